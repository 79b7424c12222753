package hq

import (
	"strings"
	"testing"

	"ferrus/machine"
	"ferrus/machine/task"
)

func TestTheLastRejectionFails(t *testing.T) {
	p := reviewing(t)
	p.lim.ReviewCycles = 1
	d := p.do(say("reject", person, "No."))
	p.at(task.Failed)
	if d.Result.Status != "limit" || d.Texts[ReviewText] != "No." || p.w.ReviewCycles != 1 {
		t.Errorf("%+v", d)
	}
	free := reviewer
	free.Mode = ModeFree
	p.do(Command{Kind: "reset", By: free})
	p.at(task.Idle)
}

func TestApproveOnlyWhatWasSubmitted(t *testing.T) {
	p := reviewing(t)
	moved := p.with(Command{Kind: "approve", By: reviewer}, func(f *Facts) { f.Tree, f.TreeWhy = "c", "a.go" })
	if r := p.refused(moved, machine.GuardFailed, "tree-unchanged"); !strings.Contains(r.Error(), "a.go") {
		t.Error(r)
	}
	if !p.w.Moved("c") || p.w.Moved("b") || p.w.Moved("") {
		t.Error("moved")
	}
	alarm := p.with(Command{Kind: "approve", By: reviewer}, func(f *Facts) { f.Tree, f.Alarms = "b", []string{"x"} })
	p.refused(alarm, machine.GuardFailed, "person-approves-alarms")
	alarm.By = person
	p.do(alarm)
	p.at(task.Complete)
}

func TestVoidedThreeTimesHolds(t *testing.T) {
	p := reviewing(t)
	for n := 1; ; n++ {
		d := p.do(p.with(say("voided", program, "a.go\nb.go"), func(f *Facts) { f.Tree = "other" }))
		p.at(task.Addressing)
		if !strings.Contains(d.Texts[ReviewText], "b.go") || p.w.ReviewCycles != 0 {
			t.Errorf("%+v", d)
		}
		if p.w.held("voided") != (n == 3) {
			t.Fatalf("%d: %+v", n, p.w.Hold)
		}
		if n == 3 {
			return
		}
		p.do(Command{Kind: "claim", By: executor})
		p.do(Command{Kind: "check", By: executor})
		p.verdict(Pass, "b")
		p.submit("b")
	}
}
