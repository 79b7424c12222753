package core

import (
	"fmt"
	"strings"

	"ferrus/hq/comments"
	"ferrus/machine"
	"ferrus/machine/task"
	"ferrus/ui/text"
)

// comment sends a round of comments to the executor that works on the task. The state
// stays. The caller delivers Result.Message to the executor's session; should that get
// lost, submit is refused while a comment is open, so the executor learns of it anyway.
func (t *decision) comment() error {
	switch {
	case !t.was.IsOpen():
		return t.refusal(machine.NoSuchTransition, machine.Failed{Guard: "task-open",
			Reason: "no executor works on the task", Expected: "an open task"})
	case t.was.IsIn(task.Reviewing):
		return t.refusal(machine.NoSuchTransition, machine.Failed{Guard: "executor-at-work",
			Reason: "the work is under review", Fix: "answer what the reviewer asks, then reject it with the comments"})
	}
	if err := t.sendRound(comments.AsMessage); err != nil {
		return err
	}
	t.out.Event, t.out.Why = KindComment, t.roundSummary()
	t.out.Result = Result{Status: StatusCommented, Message: t.c.Text}
	return nil
}

// sendRound adds the command's drafts to the comments of the task, and replaces the
// command's text by what the executor gets: the text, and each comment. A command without
// drafts sends no round.
func (t *decision) sendRound(how comments.How) error {
	if len(t.c.Drafts) == 0 && t.c.Kind != KindComment {
		return nil
	}
	if t.c.By.Role != machine.Human {
		return t.refusal(machine.NotYourRole, machine.Failed{Guard: "role",
			Reason: "a round of comments is the human's"})
	}
	if t.w.Task == nil || t.c.Facts.Comments == nil {
		return t.refusal(machine.NoSuchTransition, machine.Failed{Guard: "task-open",
			Reason: "there is no task whose change could be commented on"})
	}
	f := t.c.Facts
	tree := f.Tree
	if how != comments.AsMessage && t.was.Submission != nil {
		tree = t.was.Submission.Tree
	}
	set, err := f.Comments.Send(t.c.Drafts, comments.Round{At: f.Now, How: how, Tree: tree, Base: t.was.Task.Base.Tree})
	if err != nil {
		return t.refusal(machine.GuardFailed, machine.Failed{Guard: "comments-valid", Reason: err.Error()})
	}
	t.setComments(set)
	if t.c.Text = strings.TrimSpace(t.c.Text); t.c.Text != "" {
		t.c.Text += "\n\n"
	}
	t.c.Text += set.Brief(len(set.Rounds))
	return nil
}

// setComments keeps the comments as a text of the task, and counts them in its World.
func (t *decision) setComments(set comments.Set) {
	t.setText(CommentsText, set.Encode())
	t.w.Task.Comments = &Comments{Rounds: len(set.Rounds), All: len(set.Comments), Open: len(set.Unresolved())}
}

// roundSummary returns a round as one line of the journal.
func (t *decision) roundSummary() string {
	first := t.c.Drafts[0]
	return summaryLine(fmt.Sprintf("%s: %s: %s", text.Count(len(t.c.Drafts), "comment"), first.Where(),
		strings.TrimSpace(first.Text)))
}

// resolveComment takes the executor's answer to some comments. It moves nothing: whether
// what it says is true, the next review shows.
func (t *decision) resolveComment() error {
	switch {
	case t.w.Task == nil || t.c.Facts.Comments == nil || t.w.Task.Comments == nil:
		return t.refusal(machine.NoSuchTransition, machine.Failed{Guard: "comments-sent",
			Reason: "there are no comments to resolve"})
	case !t.was.IsOpen() || t.was.IsIn(task.Reviewing):
		return t.refusal(machine.NoSuchTransition, machine.Failed{Guard: "executor-at-work",
			Reason: "comments are resolved while the task is worked on"})
	case !t.was.HeldBy(t.c.By):
		return t.noLease()
	}
	answer := t.c.Answer
	answer.By, answer.At = orElse(t.c.By.ID, string(t.c.By.Role)), t.c.Facts.Now
	set, err := t.c.Facts.Comments.Resolve(answer)
	if err != nil {
		return t.refusal(machine.GuardFailed, machine.Failed{Guard: "comment-known", Reason: err.Error(),
			Expected: "ids of comments as in ferrus://comments, and a reason where one is declined"})
	}
	t.setComments(set)
	word := comments.Declined
	if answer.Done {
		word = comments.Done
	}
	t.out.Event = KindResolveComment
	t.out.Why = summaryLine(strings.Join(answer.IDs, ", ") + " " + string(word) + orPrefix(": ", answer.Text))
	t.out.Result = Result{Status: StatusResolved, OpenComments: &t.w.Task.Comments.Open}
	return nil
}

// orPrefix returns s behind a prefix; empty for an empty s.
func orPrefix(prefix, s string) string {
	if s = strings.TrimSpace(s); s == "" {
		return ""
	}
	return prefix + s
}

// commentsAnswered refuses a submission while a comment is open: each comes back to the
// human answered. It is asked before the gate, which takes long.
func (t *decision) commentsAnswered() error {
	if t.was.Task == nil || t.was.Task.Comments == nil || t.was.Task.Comments.Open == 0 || !t.was.HeldBy(t.c.By) {
		return nil
	}
	open, have := t.was.Task.Comments.Open, " have no answer"
	if open == 1 {
		have = " has no answer"
	}
	return t.refusal(machine.GuardFailed, machine.Failed{Guard: "comments-answered",
		Reason:   text.Count(open, "comment") + " on the change" + have,
		Expected: "an answer to each",
		Fix:      "read ferrus://comments, act on each open comment, and call resolve_comment"})
}
