package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/store"
)

// playReview puts the task on hold and takes the executor's steps itself, beside HQ.
func playReview(t *testing.T) {
	dir, env := echoProject(t, "[limits]\nmax_review_cycles = 1\n")
	p, err := project.OpenKept(dir, headsIn(env), agentNames()...)
	if err != nil {
		t.Fatal(err)
	}
	e := &otherClient{t, p}
	e.do("create_task", project.HumanActor(), "# Do it")
	e.do("hold", project.HumanActor(), "stop")
	e.submit("first\n")
	toml, err := os.ReadFile(filepath.Join(dir, "ferrus.toml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "ferrus.toml"),
		bytes.Replace(toml, []byte(`"true"`), []byte(`"test -f code.txt"`), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	h := &user{openWith(t, dir, 120, 40, env), nil}
	h.WaitFor("● Reviewing")
	h.WaitFor("/trust ") // the commands are looked at after the state
	h.do(reviewSteps...)
	e.submit("second\n")
	h.WaitFor("● Reviewing")
	h.do(approvedSteps...)
	h.leave()
}

// otherClient changes a project beside HQ.
type otherClient struct {
	*testing.T
	p *project.Task
}

func (e *otherClient) do(kind machine.Kind, by core.Actor, text string) core.Result {
	e.Helper()
	return e.command(core.Command{Kind: kind, By: by, Text: text})
}

func (e *otherClient) command(c core.Command) core.Result {
	e.Helper()
	r, err := e.p.Do(e.Context(), store.Call{}, c)
	if err != nil {
		e.Fatal(err)
	}
	return r
}

// submit changes the code and submits it, as an executor whose gate passed.
func (e *otherClient) submit(code string) {
	e.Helper()
	if err := os.WriteFile(filepath.Join(e.p.Dir, "code.txt"), []byte(code), 0o644); err != nil {
		e.Fatal(err)
	}
	lock, err := e.p.Store.TryLock("gate.lock") // so that HQ's own gate records no verdict
	if err != nil {
		e.Fatal(err)
	}
	defer lock.Close()
	by := core.Actor{Role: machine.Executor, ID: "executor:x:1", Session: "e", Mode: core.ModeWork}
	e.do("claim", by, "")
	ticket := e.do("check", by, "").Ticket
	tree, err := e.p.Repo().Tree(e.Context())
	if err != nil {
		e.Fatal(err)
	}
	e.command(core.Command{Kind: "checked", By: project.FerrusActor(), Ticket: ticket,
		Gate: &core.GateResult{Verdict: checks.Pass, Tree: tree.Hash}})
	e.do("submit", by, "## Summary\nIt is done.\n\n## How to verify manually\nLook.\n")
}

// headsIn returns where a ferrus with some environment keeps the heads of records.
func headsIn(env []string) (heads store.Heads) {
	for _, e := range env {
		if state, ok := strings.CutPrefix(e, "XDG_STATE_HOME="); ok {
			heads = store.Heads(filepath.Join(state, "ferrus", "heads"))
		}
	}
	return heads
}
