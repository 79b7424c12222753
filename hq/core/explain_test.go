package core

import (
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"ferrus/checks"
)

// rendered compares a text with its golden file; -update writes it.
func rendered(t *testing.T, name, got string) {
	t.Helper()
	t.Run(name, func(t *testing.T) { golden.RequireEqual(t, got) })
}

func TestExplain(t *testing.T) {
	p := newLoop(t)
	rendered(t, "explain-idle", Advice.Explain(p.w))
	p = started(t)
	p.do(Command{Kind: "check", By: executor})
	rendered(t, "explain-checking", Advice.Explain(p.w))
	p.verdict(checks.Fail, "a")
	p.do(say("consult", executor, request))
	p.do(say("ask_human", consultant, "Which?"))
	p.do(say("hold", human, "stop"))
	rendered(t, "explain-awaiting", Advice.Explain(p.w))
}

// A refusal is one sentence that says what to do.
func TestRefusalsInWords(t *testing.T) {
	var refusals string
	say2 := func(p *loop, c Command) {
		_, err := p.decide(c)
		refusals += err.Error() + "\n"
	}
	p := newLoop(t)
	say2(p, Command{Kind: "check", By: executor})
	say2(p, Command{Kind: "claim", By: executor})
	say2(p, say("create_task", planner, ""))
	say2(p, say("create_task", reviewer, "x"))
	p = started(t)
	say2(p, say("create_task", planner, "another"))
	say2(p, Command{Kind: "check", By: human})
	say2(p, Command{Kind: "check", By: executor2})
	say2(p, say("consult", executor, "help"))
	say2(p, say("approve", executor, ""))
	say2(p, Command{Kind: "deliver", By: executor})
	p.do(Command{Kind: "check", By: executor})
	say2(p, say("consult", executor, request))
	p.verdict(checks.Fail, "a")
	say2(p, Command{Kind: "checked", By: program, Ticket: p.w.Gate.Ticket, Gate: &GateResult{Verdict: checks.Pass}})
	p = reviewing(t)
	say2(p, p.with(say("approve", reviewer, ""), func(f *Facts) { f.Tree, f.TreeWhy = "c", "fetch.go changed" }))
	say2(p, p.with(say("approve", human, ""), func(f *Facts) { f.Tree, f.TreeWhy = "c", "fetch.go changed" }))
	say2(p, say("reject", reviewer, " "))
	say2(p, Command{Kind: "reset", By: Actor{Role: "supervisor", Session: "s"}})
	p.approve(human, "b")
	say2(p, say("reject", human, "wait"))
	rendered(t, "refusals", refusals)
}
