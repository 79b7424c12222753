package slash

import (
	"context"

	"ferrus/hq/comments"
	"ferrus/ui/text"
)

// Comments keeps and sends the human's comments on the change of the task.
type Comments interface {
	// SaveDrafts keeps the comments that were not sent.
	SaveDrafts(all []comments.Draft) error
	// SendComments sends a round of comments with a note above it, and then drops the
	// drafts. It returns what the round was sent as.
	SendComments(ctx context.Context, all []comments.Draft, note string) (comments.How, error)
}

// sentAs says what became of a round.
var sentAs = map[comments.How]string{
	comments.AsRejection: "sent: they reject the submission, and the executor gets them with the task",
	comments.AsMessage:   "sent to the executor, which answers each before it submits",
	comments.AsReturn:    "sent: the task is back with the executor",
}

// SendComments sends comments on the diff as one round.
type SendComments struct {
	once
	Drafts []comments.Draft
}

// Run sends them.
func (s SendComments) Run(ctx context.Context, e *Env) (Result, error) {
	how, err := e.Comments.SendComments(ctx, s.Drafts, "")
	return report(text.Count(len(s.Drafts), "comment")+" "+sentAs[how], err)
}
