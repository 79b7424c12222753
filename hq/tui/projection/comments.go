package projection

import (
	"ferrus/hq/comments"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine/task"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// commentStates are the states of comments on the screen.
var commentStates = map[comments.State]view.CommentState{
	comments.Open: view.CommentOpen, comments.Done: view.CommentDone, comments.Declined: view.CommentDeclined,
}

// whyMoved says why a comment does not stand where it was written.
var whyMoved = map[comments.Fit]string{
	comments.Changed: "its lines have changed", comments.InFile: "no longer in this diff",
	comments.Outside: "the file is not in this diff",
}

// placed returns the comments of a task at their places in a diff.
func placed(c project.CommentedDiff) (all []view.Comment) {
	diff := comments.NewDiff(project.CommentFiles(c.Files))
	place := func(s comments.Spot) (view.Spot, view.Place) {
		at := diff.Place(s)
		out := view.Place{Line: at.Line, Last: at.Last, Why: whyMoved[at.Fit]}
		if at.File >= 0 {
			out.File = text.Sanitize(c.Files[at.File].Path)
		}
		if s.Line == 0 && (at.File >= 0 || s.Path == "") {
			out.Why = ""
		}
		return spot(s), out
	}
	for _, one := range c.Set.Comments {
		v := view.Comment{ID: one.ID, Round: one.Round, State: commentStates[one.State],
			Text: text.SanitizeLines(one.Text), From: text.Sanitize(one.From),
			Answer: text.SanitizeLines(one.Answer), By: text.Sanitize(one.By)}
		v.Spot, v.Place = place(one.Spot)
		all = append(all, v)
	}
	for _, d := range c.Drafts {
		v := view.Comment{Text: text.SanitizeLines(d.Text), From: text.Sanitize(d.From)}
		v.Spot, v.Place = place(d.Spot)
		all = append(all, v)
	}
	return all
}

func spot(s comments.Spot) view.Spot {
	return view.Spot{Path: s.Path, Old: s.Side == comments.Old, Line: s.Line, Last: s.Last, Hunk: s.Hunk,
		Quote: s.Quote, Before: s.Before, After: s.After}
}

// Drafts returns comments of the screen as they are kept and sent.
func Drafts(all []view.Comment) (drafts []comments.Draft) {
	for _, c := range all {
		s := comments.Spot{Path: c.Spot.Path, Line: c.Spot.Line, Last: c.Spot.Last, Hunk: c.Spot.Hunk,
			Quote: c.Spot.Quote, Before: c.Spot.Before, After: c.Spot.After}
		if s.Line > 0 {
			if s.Side = comments.New; c.Spot.Old {
				s.Side = comments.Old
			}
		}
		drafts = append(drafts, comments.Draft{Spot: s, Text: c.Text, From: c.From})
	}
	return drafts
}

// sendingComments says what sending comments does in a state; empty: they cannot be sent.
func sendingComments(w core.World) string {
	switch {
	case w.State == task.Reviewing:
		return "rejects the submission, and the executor gets the comments with the task"
	case w.State == task.Complete && w.Task != nil && w.Task.Landed == nil:
		return "returns the approved task to the executor, and counts against no limit"
	case w.IsOpen() && !w.IsIn(task.Reviewing):
		return "interrupts the executor with the comments"
	}
	return ""
}

// commentsOff says why comments cannot be sent.
func commentsOff(w core.World) string {
	switch {
	case w.State == task.AwaitingHuman:
		return "answer the reviewer's question first"
	case w.State == task.Complete:
		return "the task has landed; a new task takes them"
	case w.State == task.Failed:
		return "the task has failed; /retry continues it"
	}
	return "there is no task"
}
