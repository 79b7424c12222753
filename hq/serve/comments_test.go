package serve_test

import (
	"strings"
	"testing"

	"ferrus/checks"
	"ferrus/hq/comments"
	"ferrus/hq/core"
	"ferrus/machine"
)

// diff reads the commented diff, since a round or, for 0, since the task began.
func (p *fixture) diff(round int) (files []string, set comments.Set) {
	p.t.Helper()
	d, err := p.CommentedDiff(p.t.Context(), round, checks.PatchLimits{File: 1 << 20, All: 1 << 20, Files: 100})
	if err != nil {
		p.t.Fatal(err)
	}
	for _, f := range d.Files {
		files = append(files, f.Path)
	}
	return files, d.Set
}

// send sends a round of comments, which must become what is wanted.
func (p *fixture) send(want comments.How, drafts ...comments.Draft) {
	p.t.Helper()
	how, _, err := p.SendComments(p.t.Context(), drafts, "")
	if err != nil || how != want {
		p.t.Fatalf("sent as %q: %v", how, err)
	}
}

func about(path string, line int, words string) comments.Draft {
	spot := comments.Spot{Path: path, Side: comments.New, Line: line, Quote: []string{"one"}}
	return comments.Draft{Spot: spot, Text: words}
}

// TestRoundsOfComments sends two rounds: as the rejection and, after the approval, as the return of
// the task.
func TestRoundsOfComments(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	p := newFixture(t, "[checks]\ncommands = [\"true\"]\n")
	a := p.worker()
	write(t, p.Dir, "a.txt", "one\ntwo\n")
	write(t, p.Dir, "b.txt", "one\n")
	a.want("submitted", "submit", args{"content": "done"})

	p.send(comments.AsRejection, about("a.txt", 1, "Say uno."), about("b.txt", 0, "Needed?"))
	a = p.agent(machine.Executor, core.ModeResume)
	claimed := a.want("claimed", "wait_for_task", nil)
	if !strings.Contains(claimed.Review, "### c1: a.txt:1") || len(claimed.Result.Comments) != 0 {
		t.Errorf("claimed %s, want a review with c1 and no comments beside it", claimed.JSON)
	}
	a.refused(machine.GuardFailed, "comments-answered", "submit", args{"content": "done"})
	a.refused(machine.GuardFailed, "arguments", "resolve_comment", args{"id": "c1", "status": "maybe"})
	write(t, p.Dir, "a.txt", "uno\ntwo\n")
	if got := a.want("resolved", "resolve_comment", args{"id": "c1", "status": "done"}); *got.OpenComments != 1 ||
		!strings.Contains(got.Text, "1 comment still unanswered") {
		t.Errorf("resolved %s %s, want one open comment", got.JSON, got.Text)
	}
	a.want("resolved", "resolve_comment", args{"id": "c2", "status": "declined",
		"note": "```\n# Checks\nThe tests read it."})
	a.want("submitted", "submit", args{"content": "done"})

	files, set := p.diff(1)
	if strings.Join(files, " ") != "a.txt" || set.Comments[0].State != comments.Done ||
		set.Comments[1].State != comments.Declined {
		t.Errorf("since round 1 %v, %+v", files, set)
	}
	reviewer := p.agent(machine.Supervisor, core.ModeReview)
	reviewer.want("claimed", "wait_for_review", nil)
	page := reviewer.want("pending", "review_pending", nil).Page
	if !strings.Contains(page, "### c2: b.txt") ||
		!strings.Contains(page, "````\n```\n# Checks\nThe tests read it.\n````") {
		t.Errorf("the reviewer reads\n%s", page)
	}
	reviewer.want("approved", "approve", nil)

	p.send(comments.AsReturn, about("a.txt", 2, "Say due."))
	a = p.agent(machine.Executor, core.ModeResume)
	if got := a.want("claimed", "wait_for_task", nil); got.State != "Addressing" ||
		!strings.Contains(got.Review, "### c3: a.txt:2") {
		t.Errorf("claimed %s, want Addressing with c3 in the review", got.JSON)
	}
	write(t, p.Dir, "b.txt", "uno\n")
	if files, _ := p.diff(-1); strings.Join(files, " ") != "b.txt" {
		t.Errorf("since round 2 %v", files)
	}
	if files, _ := p.diff(0); strings.Join(files, " ") != "a.txt b.txt" {
		t.Errorf("since the task began %v", files)
	}
	if got := p.events(); !strings.Contains(got, "approve returned claim") {
		t.Errorf("the events are %s, want approve, returned and claim", got)
	}
}

// TestARoundToTheExecutorAtWork checks that a running session gets a message, that a later one gets
// the comments with the task, and that both can read all of them.
func TestARoundToTheExecutorAtWork(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	p := newFixture(t, "[checks]\ncommands = [\"true\"]\n")
	a := p.worker()
	write(t, p.Dir, "a.txt", "one\n")
	p.send(comments.AsMessage, about("a.txt", 1, "Say uno."))
	left, err := p.Messages()
	if err != nil || len(left) != 1 || left[0].Slot != core.SlotExecutor ||
		!strings.Contains(left[0].Text, "### c1: a.txt:1") {
		t.Fatalf("the messages are %+v %v, want one to the executor with c1", left, err)
	}
	a.refused(machine.GuardFailed, "comments-answered", "submit", args{"content": "done"})
	if got := a.want("claimed", "wait_for_task", nil); len(got.Result.Comments) != 1 ||
		got.Result.Comments[0].Text != "Say uno." {
		t.Errorf("claimed %s, want one comment: Say uno.", got.JSON)
	}
	a.want("resolved", "resolve_comment", args{"id": "c1", "status": "done", "note": "It says uno."})
	if got := a.resource("comments"); !strings.Contains(got, "It says uno.") || !strings.Contains(got, "Say uno.") {
		t.Errorf("the comments are %s, want the answer and the open comment", got)
	}
	a.want("submitted", "submit", args{"content": "done"})
}

// TestDrafts checks that unsent comments are kept for their task, and for no other.
func TestDrafts(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	p := newFixture(t, once)
	if err := p.SaveDrafts([]comments.Draft{about("a", 1, "x")}); err == nil {
		t.Error("drafts are kept without a task")
	}
	p.worker()
	if err := p.SaveDrafts([]comments.Draft{about("a", 1, "x")}); err != nil {
		t.Fatal(err)
	}
	if got, err := p.Drafts(); err != nil || len(got) != 1 || got[0].Text != "x" {
		t.Errorf("the drafts are %+v %v, want one with x", got, err)
	}
	p.human("reset", "")
	p.worker()
	if got, err := p.Drafts(); err != nil || len(got) != 0 {
		t.Errorf("the next task has %+v %v", got, err)
	}
}
