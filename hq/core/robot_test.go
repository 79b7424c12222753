package core

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ferrus/checks"
	"ferrus/machine"
	"ferrus/machine/task"
)

// crews are the sets of sessions that work on a task: as a conductor starts them, and as you start
// them by hand.
var crews = map[string][]Actor{
	"managed": {
		{Role: machine.Executor, ID: "e", Session: "e1", Mode: ModeWork, Managed: true},
		{Role: machine.Executor, ID: "e", Session: "e2", Mode: ModeResume, Managed: true},
		{Role: machine.Supervisor, ID: "p", Session: "p1", Mode: ModeTask, Managed: true},
		{Role: machine.Supervisor, ID: "r", Session: "r1", Mode: ModeReview, Managed: true},
		{Role: machine.Supervisor, ID: "c", Session: "c1", Mode: ModeConsult, Managed: true},
	},
	"by hand": {
		{Role: machine.Executor, ID: "e", Session: "e1", Mode: ModeFree},
		{Role: machine.Executor, ID: "e", Session: "e2", Mode: ModeFree},
		{Role: machine.Supervisor, ID: "s", Session: "s1", Mode: ModeFree},
		{Role: machine.Supervisor, ID: "s", Session: "s2", Mode: ModeFree},
	},
}

// robot obeys next and nothing else, except where the decision is an agent's own.
type robot struct {
	Actor
	refused int // in a row
}

// toolNames are the tools that next may name, in the order of preference when a sentence names
// several.
var toolNames = []machine.Kind{
	ToolWaitForTask, ToolWaitForReview, ToolWaitForAnswer, KindWaitForConsult, KindRespondConsult, KindCreateTask,
	KindCreateSpec, KindApprove, KindReject, KindSubmit, KindCheck, KindReset,
}

// choose returns the command of the tool that next names; empty: the session ends.
func (r *robot) choose(t *rapid.T, next string) machine.Kind {
	if strings.HasPrefix(next, EndSession) {
		return ""
	}
	switch {
	case strings.Contains(next, "call check"): // an agent may ask first
		return rapid.SampledFrom([]machine.Kind{
			KindCheck, KindCheck, KindCheck, KindSubmit, KindConsult, KindAskHuman,
		}).Draw(t, "work")
	case strings.Contains(next, "approve or reject"):
		return rapid.SampledFrom([]machine.Kind{KindApprove, KindApprove, KindReject, KindAskHuman}).Draw(t, "review")
	case next == string(KindRespondConsult):
		return rapid.SampledFrom([]machine.Kind{KindRespondConsult, KindRespondConsult, KindAskHuman}).Draw(t, "answer")
	}
	for _, name := range toolNames {
		if next == string(name) {
			return commandOf(name)
		}
	}
	t.Fatalf("next names no tool: %q", next)
	return ""
}

// early are the guards that refuse a wait that has nothing to return yet; the tool waits then.
var early = map[string]bool{"nothing-to-claim": true, "consult-answered": true, "question-answered": true}

// Robots that obey next bring every task to its end, whatever the gate, the reviews and the human
// decide, and none is refused twice in a row.
func TestRobotsObeyNext(t *testing.T) {
	for name, crew := range crews {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				p := newLoop(t)
				p.lim = Limits{CheckRetries: 3, ReviewCycles: 2}
				var robots []*robot
				for _, a := range crew {
					robots = append(robots, &robot{Actor: a})
				}
				for range 2000 {
					if p.w.State == task.Complete {
						return
					}
					p.others(rt)
					rapid.SampledFrom(robots).Draw(rt, "robot").act(rt, p)
				}
				rt.Fatalf("the task is %s, and never Complete", p.w.State)
			})
		})
	}
}

// act obeys once.
func (r *robot) act(t *rapid.T, p *loop) {
	next := Advice.Next(p.w, r.Actor)
	kind := r.choose(t, next)
	if kind == "" {
		if p.w.HeldBy(r.Actor) {
			t.Fatalf("%s ends with the lease while %s", r.ID, p.w.State)
		}
		return
	}
	c := Command{Kind: kind, By: r.Actor, Text: request, Facts: Facts{Tree: "a", Definition: &Definition{}}}
	d, err := p.decide(c)
	if refusal := machine.AsRefusal(err); refusal != nil {
		if len(refusal.Failed) == 1 && early[refusal.Failed[0].Guard] {
			return
		}
		if r.refused++; r.refused > 1 {
			t.Fatalf("%s obeyed %q while %s and was refused twice: %v", r.ID, next, p.w.State, err)
		}
		return
	}
	r.refused = 0
	p.w = d.World
	if d.Event != "" {
		p.seq++
	}
}

// others does what agents do not: the gate's verdict, and the human's answers.
func (p *loop) others(t *rapid.T) {
	verdicts := []checks.Verdict{checks.Pass, checks.Pass, checks.Fail, checks.Cancelled}
	switch {
	case p.w.GateRunning() && rapid.Bool().Draw(t, "the gate ends"):
		p.verdict(rapid.SampledFrom(verdicts).Draw(t, "verdict"), "a")
	case p.w.State == task.AwaitingHuman && rapid.Bool().Draw(t, "the human answers"):
		p.do(say("answer", human, "Yes."))
	case p.w.State == task.Failed && rapid.Bool().Draw(t, "the human retries"):
		p.do(Command{Kind: "retry", By: human})
	}
}
