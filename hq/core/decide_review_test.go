package core

import (
	"strings"
	"testing"

	"ferrus/checks"
	"ferrus/machine"
	"ferrus/machine/task"
)

func TestTheLastRejectionFails(t *testing.T) {
	p := reviewing(t)
	p.lim.ReviewCycles = 1
	d := p.do(say("reject", human, "No."))
	p.wantState(task.Failed)
	if d.Result.Status != "limit" || d.Texts[ReviewText] != "No." || p.w.ReviewCycles != 1 {
		t.Errorf("the last rejection: %+v, want the limit with the notes", d)
	}
	free := reviewer
	free.Mode = ModeFree
	p.do(Command{Kind: "reset", By: free})
	p.wantState(task.Idle)
}

func TestApproveOnlyWhatWasSubmitted(t *testing.T) {
	p := reviewing(t)
	moved := p.with(Command{Kind: "approve", By: reviewer}, func(f *Facts) { f.Tree, f.TreeWhy = "c", "a.go" })
	if r := p.wantRefusal(moved, machine.GuardFailed, "tree-unchanged"); !strings.Contains(r.Error(), "a.go") {
		t.Errorf("the refusal does not name a.go: %v", r)
	}
	if !p.w.TreeChanged("c") || p.w.TreeChanged("b") || p.w.TreeChanged("") {
		t.Error("moved")
	}
	alarm := p.with(Command{Kind: "approve", By: reviewer}, func(f *Facts) {
		f.Tree, f.Alarms = "b", []Alarm{{Rule: "ci-changed", Path: "ci.yml", Words: "changed", NeedsHuman: true}}
	})
	if r := p.wantRefusal(alarm, machine.GuardFailed, "person-approves-alarms"); !strings.Contains(r.Error(),
		"ci.yml: changed") {
		t.Errorf("the refusal does not name the alarm: %v", r)
	}
	alarm.By = human
	p.do(alarm)
	p.wantState(task.Complete)
	if r := p.w.Submission.Review; r.Decision != "approved" || r.Tree != "b" || r.By != human.ID {
		t.Errorf("the review is %+v, want approved by the human on tree b", r)
	}
}

// TestEndorsedWaitsForTheHuman checks that no reviewer starts again for work that only the human
// may approve.
func TestEndorsedWaitsForTheHuman(t *testing.T) {
	p := reviewing(t)
	seen := []Alarm{{Words: "a file is new"}, {Path: "ci.yml", Words: "changed", NeedsHuman: true}}
	p.wantRefusal(Command{Kind: "endorse", By: reviewer}, machine.GuardFailed, "alarm-for-the-person")
	endorse := p.with(Command{Kind: "endorse", By: reviewer}, func(f *Facts) { f.Alarms = seen })
	other := endorse
	other.By.Session = "another"
	p.wantRefusal(other, machine.GuardFailed, "lease-required")
	p.do(endorse)
	p.wantState(task.Reviewing)
	if !p.w.AwaitsApproval() || p.w.ClaimedBy != "" || len(p.w.HumanAlarms()) != 1 {
		t.Errorf("the submission is %+v, want one that awaits the human, with one alarm", p.w.Submission)
	}
	p.wantRefusal(Command{Kind: "claim", By: reviewer}, machine.GuardFailed, "nothing-to-claim")
	if g := Plan(p.w, nil, nil, false); len(g.Start) != 0 {
		t.Errorf("a reviewer is started again: %+v", g)
	}
	if next := Advice.Next(p.w, human); !strings.Contains(next, "only you") ||
		!strings.Contains(Advice.Explain(p.w), "ALARM       ci.yml: changed") {
		t.Errorf("next is %q, want the human alone; explained as:\n%s", next, Advice.Explain(p.w))
	}
	p.do(say("reject", human, "leave it alone"))
	p.wantState(task.Addressing)
	if p.w.AwaitsApproval() || p.w.Submission.Review.Decision != "rejected" {
		t.Errorf("the review is %+v, want rejected", p.w.Submission.Review)
	}
}

func TestAlarmsComeWithTheSubmission(t *testing.T) {
	p := started(t)
	p.do(Command{Kind: "claim", By: executor})
	p.do(Command{Kind: "check", By: executor})
	p.verdict(checks.Pass, "b")
	lines := []string{"+1: x"}
	submit := p.with(say("submit", executor, "done"), func(f *Facts) {
		f.Tree, f.Alarms = "b", []Alarm{{Words: "changed", Lines: lines}}
	})
	p.do(submit)
	p.wantState(task.Reviewing)
	lines[0] = "else"
	if s := p.w.Submission; len(s.Alarms) != 1 || s.Alarms[0].Lines[0] != "+1: x" || s.Ticket != p.w.Gate.Ticket {
		t.Errorf("the submission is %+v, want one alarm and the gate's ticket", s)
	}
}

func TestVoidedThreeTimesHolds(t *testing.T) {
	p := reviewing(t)
	for n := 1; ; n++ {
		d := p.do(p.with(say("voided", program, "a.go\nb.go"), func(f *Facts) { f.Tree = "other" }))
		p.wantState(task.Addressing)
		if !strings.Contains(d.Texts[ReviewText], "b.go") || p.w.ReviewCycles != 0 {
			t.Errorf("the voided submission: %+v, want notes that name b.go and no review cycle", d)
		}
		if p.w.isHeld("voided") != (n == 3) {
			t.Fatalf("after %d voided submissions the hold is %+v, want one at 3", n, p.w.Hold)
		}
		if n == 3 {
			return
		}
		p.do(Command{Kind: "claim", By: executor})
		p.do(Command{Kind: "check", By: executor})
		p.verdict(checks.Pass, "b")
		p.submit("b")
	}
}

// If the human decides while a reviewer holds the lease, the reviewer's late calls are STALE in
// every state that follows; a reviewer that decided itself is not late.
func TestAReviewInPlaceOfAnothers(t *testing.T) {
	for _, judge := range []Command{say("approve", human, ""), say("reject", human, "No."),
		say("voided", program, "a.go")} {
		p := reviewing(t)
		p.do(p.with(judge, func(f *Facts) {
			f.Tree = map[machine.Kind]string{"approve": "b", "voided": "c"}[judge.Kind]
		}))
		for _, kind := range []machine.Kind{"approve", "reject", "ask_human", "deliver", "heartbeat"} {
			p.wantRefusal(say(kind, reviewer, "late"), machine.Stale, "lease-required")
		}
		if judge.Kind == "approve" {
			continue
		}
		p.do(Command{Kind: "claim", By: executor})
		p.wantRefusal(say("reject", reviewer, "late"), machine.Stale, "lease-required")
		p.do(Command{Kind: "check", By: executor})
		p.verdict(checks.Pass, "b")
		p.submit("b")
		p.wantRefusal(say("approve", reviewer, ""), machine.Stale, "lease-required")
		p.do(Command{Kind: "claim", By: reviewer})
		p.do(say("reject", reviewer, "No."))
		p.wantRefusal(say("reject", reviewer, "again"), machine.NoSuchTransition, "")
	}
}

// Work that is a different change on the branch is reviewed again on the tree that was proven
// there; without a proof, or once it has landed, it is not.
func TestRejudgedOnAProvenTree(t *testing.T) {
	p := reviewing(t)
	p.approve(reviewer, "b")
	again := p.with(Command{Kind: "rejudge", By: program, Text: "another change\n\ndiff"}, func(f *Facts) {
		f.Base, f.Alarms = Base{Commit: "head", Tree: "h"}, []Alarm{{Words: "a file is new"}}
	})
	p.wantRefusal(again, machine.GuardFailed, "proven-again")
	again.Gate = &GateResult{Verdict: checks.Fail, Tree: "c"}
	p.wantRefusal(again, machine.GuardFailed, "proven-again")
	again.Gate = &GateResult{Verdict: checks.Pass, Tree: "c", Log: "log"}
	d := p.do(again)
	p.wantState(task.Reviewing)
	s, g := p.w.Submission, p.w.Gate
	if !s.Rejudged || s.Tree != "c" || s.Review != nil || len(s.Alarms) != 1 || s.Ticket != g.Ticket ||
		g.Ticket != p.seq || g.Tree != "c" || g.Verdict != checks.Pass || p.w.Task.Base.Commit != "head" ||
		d.Texts[ReviewText] != "another change\n\ndiff" || d.Why != "another change" {
		t.Errorf("the submission is %+v, the gate %+v, the decision %+v; want it judged again on tree c", s, g, d)
	}
	p.wantRefusal(p.with(Command{Kind: "approve", By: human}, func(f *Facts) { f.Tree = "b" }), machine.GuardFailed,
		"tree-unchanged")
	p.do(Command{Kind: "claim", By: reviewer})
	p.approve(reviewer, "c")
	p.do(Command{Kind: "landed", By: program, Landed: &Landed{Commit: "tip"}})
	p.wantRefusal(again, machine.GuardFailed, "not-landed")
}

// FLAKY work may be submitted, and the human alone approves it, whatever the alarms say; a
// reviewer's acceptance is recorded.
func TestFlakyNeedsTheHuman(t *testing.T) {
	p := started(t)
	p.do(Command{Kind: "check", By: executor})
	p.verdict(checks.Flaky, "b")
	p.wantState(task.Checking)
	p.submit("b")
	p.wantState(task.Reviewing)
	p.do(Command{Kind: "claim", By: reviewer})
	approve := p.with(Command{Kind: "approve", By: reviewer}, func(f *Facts) { f.Tree = "b" })
	p.wantRefusal(approve, machine.GuardFailed, "person-approves-flaky")
	p.do(p.with(Command{Kind: "endorse", By: reviewer}, func(f *Facts) {
		f.Alarms = []Alarm{{Rule: "failed-before", Words: "FLAKY", NeedsHuman: true}}
	}))
	if !p.w.AwaitsApproval() {
		t.Errorf("the submission is %+v, want one that awaits the human", p.w.Submission)
	}
	approve.By = human
	p.do(approve)
	p.wantState(task.Complete)
}
