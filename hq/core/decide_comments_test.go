package core

import (
	"strings"
	"testing"

	"ferrus/checks"
	"ferrus/hq/comments"
	"ferrus/machine"
	"ferrus/machine/task"
)

var twoComments = []comments.Draft{
	{Spot: comments.Spot{Path: "a.go", Side: comments.New, Line: 3, Quote: []string{"retry()"}},
		Text: "Use the context."},
	{Spot: comments.Spot{Path: "b.go"}, Text: "Is this needed?"},
}

// round returns a command with comments, added to the comments that a decision left.
func (p *loop) round(kind string, after Decision, drafts ...comments.Draft) Command {
	set, err := comments.Decode(after.Texts[CommentsText])
	if err != nil {
		p.t.Fatal(err)
	}
	return Command{Kind: machine.Kind(kind), By: human, Drafts: drafts, Facts: Facts{Comments: &set, Tree: "now"}}
}

// answer returns the executor's answer to comments, as they are after a decision.
func (p *loop) answer(by Actor, after Decision, done bool, text string, ids ...string) Command {
	c := p.round("resolve_comment", after)
	c.By, c.Answer = by, comments.Answer{IDs: ids, Done: done, Text: text}
	return c
}

func TestARoundWhileReviewingIsTheRejection(t *testing.T) {
	p := reviewing(t)
	submitted := p.w.Submission.Tree
	first := p.do(p.round("reject", Decision{}, twoComments...))
	p.wantState(task.Addressing)
	set, err := comments.Decode(first.Texts[CommentsText])
	if err != nil || len(set.Comments) != 2 || set.Rounds[0].How != comments.AsRejection ||
		set.Rounds[0].Tree != submitted {
		t.Fatalf("the round is %+v, %v; want 2 comments sent as a rejection of the submitted tree", set, err)
	}
	if notes := first.Texts[ReviewText]; !strings.Contains(notes, "### c1: a.go:3") ||
		!strings.Contains(notes, "+retry()") || !strings.Contains(notes, "Is this needed?") {
		t.Errorf("the executor gets\n%s", notes)
	}
	if n := p.w.Task.Comments; *n != (Comments{Rounds: 1, All: 2, Open: 2}) || p.w.ReviewCycles != 1 {
		t.Errorf("the comments are %+v after %d cycles, want 1 round with 2 open ones after 1", n, p.w.ReviewCycles)
	}
	if first.Why != "2 comments: a.go:3: Use the context." {
		t.Errorf("the journal says %q", first.Why)
	}

	// Nothing is submitted before each comment has an answer.
	p.do(Command{Kind: "claim", By: executor2})
	p.wantRefusal(say("submit", executor2, "done"), machine.GuardFailed, "comments-answered")
	answered := p.do(p.answer(executor2, first, true, "", "c1"))
	p.wantRefusal(p.answer(executor2, answered, false, " ", "c2"), machine.GuardFailed, "comment-known")
	p.wantRefusal(p.answer(executor2, answered, true, "", "c3"), machine.GuardFailed, "comment-known")
	answered = p.do(p.answer(executor2, answered, false, "The caller needs it.", "c2"))
	if p.w.Task.Comments.Open != 0 || *answered.Result.OpenComments != 0 ||
		answered.Why != "c2 declined: The caller needs it." {
		t.Errorf("after the answer: %+v, why %q; want no open comment", p.w.Task.Comments, answered.Why)
	}
	p.do(p.with(say("submit", executor2, "done"), func(f *Facts) { f.Tree = "b" }))
	p.wantState(task.Checking)
}

func TestARoundWhileTheExecutorWorksIsAMessage(t *testing.T) {
	p := started(t)
	d := p.do(p.round("comment", Decision{}, twoComments...))
	p.wantState(task.Executing)
	set, _ := comments.Decode(d.Texts[CommentsText])
	if set.Rounds[0].How != comments.AsMessage || set.Rounds[0].Tree != "now" || d.Event != KindComment ||
		!strings.Contains(d.Result.Message, "### c2: b.go") {
		t.Errorf("the round is %+v, want a message with its comments on the present tree", d)
	}
	if _, wrote := d.Texts[ReviewText]; wrote {
		t.Error("a message replaces the review notes")
	}
	d = p.do(p.round("comment", d, twoComments[0]))
	if p.w.Task.Comments.Rounds != 2 || p.w.Task.Comments.Open != 3 {
		t.Errorf("the comments are %+v, want 2 rounds with 3 open ones", p.w.Task.Comments)
	}

	// It arrives while the gate runs or after it has passed as well.
	p.do(Command{Kind: "check", By: executor})
	p.do(p.round("comment", d, twoComments[0]))
	p.verdict(checks.Pass, "a")
	p.wantRefusal(p.with(say("submit", executor, "done"), func(f *Facts) { f.Tree = "a" }), machine.GuardFailed,
		"comments-answered")
}

func TestARoundAfterCompleteReturnsTheTask(t *testing.T) {
	p := reviewing(t)
	p.w.ReviewCycles = 2 // the next rejection would be the last
	p.do(p.with(Command{Kind: "approve", By: human}, func(f *Facts) { f.Tree = p.w.Submission.Tree }))
	p.wantState(task.Complete)
	p.wantRefusal(p.round("comment", Decision{}, twoComments...), machine.NoSuchTransition, "task-open")
	d := p.do(p.round("returned", Decision{}, twoComments...))
	p.wantState(task.Addressing)
	if p.w.ReviewCycles != 0 || p.w.CheckRetries != 0 || d.Texts[ReviewText] == "" {
		t.Errorf("a return changed the counters: %+v", p.w.Counters)
	}
	if set, _ := comments.Decode(d.Texts[CommentsText]); set.Rounds[0].How != comments.AsReturn {
		t.Errorf("the rounds are %+v, want a return first", set.Rounds)
	}
	if plan := Plan(p.w, nil, nil, false); len(plan.Start) != 1 || plan.Start[0].Slot != SlotExecutor {
		t.Errorf("no executor is started: %+v", plan)
	}
}

// Landed work belongs to the branch, and the human cannot return it.
func TestLandedWorkIsNotReturned(t *testing.T) {
	p := reviewing(t)
	p.do(p.with(Command{Kind: "approve", By: human}, func(f *Facts) { f.Tree = p.w.Submission.Tree }))
	p.do(Command{Kind: "landed", By: program, Landed: &Landed{Commit: "0123456789abcdef"}})
	p.wantRefusal(p.round("returned", Decision{}, twoComments...), machine.GuardFailed, "not-landed")
}

func TestWhoSendsAndResolvesComments(t *testing.T) {
	p := started(t)
	for _, by := range []Actor{executor, reviewer, program} {
		c := p.round("comment", Decision{}, twoComments...)
		c.By = by
		p.wantRefusal(c, machine.NotYourRole, "role")
	}
	p.wantRefusal(p.round("comment", Decision{}), machine.GuardFailed, "comments-valid")
	p.wantRefusal(p.answer(executor, Decision{}, true, "", "c1"), machine.NoSuchTransition, "comments-sent")
	d := p.do(p.round("comment", Decision{}, twoComments...))
	p.wantRefusal(p.answer(human, d, true, "", "c1"), machine.NotYourRole, "role")
	p.wantRefusal(p.answer(executor2, d, true, "", "c1"), machine.GuardFailed, "lease-required")

	// A reviewer's rejection adds no comments of the human.
	p = reviewing(t)
	c := p.round("reject", Decision{}, twoComments...)
	c.By = reviewer
	p.wantRefusal(c, machine.NotYourRole, "role")
	p.wantRefusal(p.round("comment", Decision{}, twoComments...), machine.NoSuchTransition, "executor-at-work")
}

// The comments of a task are archived with it, and the next task has none.
func TestCommentsEndWithTheTask(t *testing.T) {
	p := started(t)
	p.do(p.round("comment", Decision{}, twoComments...))
	d := p.do(Command{Kind: "reset", By: human})
	if text, removed := d.Texts[CommentsText]; !removed || text != "" || d.Archive == "" {
		t.Errorf("the decision is %+v, want the comments removed and the task archived", d)
	}
}
