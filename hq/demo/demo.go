// Package demo provides scripted agents and the repository they work in.
//
// [Scaffold] creates a throwaway git repository with a small Go module (scaffold.go).
// [Agent] plays one role in it (executor.go, supervisor.go, phase.go), in one task or in several at the
// same time (job.go). Like any vendor's CLI
// it reaches ferrus only through a `ferrus serve` that it starts itself (client.go), and
// knows only the results of tools and the content of files, so an agent that replaces a
// killed one continues its work. What the agents write is scripted (code.go, files); the
// check commands, the repository and the loop are real. Outside the demo's repository the
// agents refuse to work.
package demo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Answer answers the executor's question in a demo without a human.
const Answer = "No. Only GET and HEAD are tried again; a POST could place an order twice."

// Options configure an agent. It has more than 12 fields because the hidden command that
// runs an agent passes each of its flags on.
type Options struct {
	Role, Mode string
	Name       string // middle of the agent id; empty: demo
	Index      int
	Project    string        // absolute directory
	Dir        string        // where the agent works; empty: the project
	Nonce      string        // of this session; empty: serve makes its own
	Ferrus     string        // program to start as `serve`; empty: this one
	Env        []string      // added to the environment of serve
	WaitSecs   int           // bound of one wait in seconds; 0: the server's own
	Speed      time.Duration // how long each step takes; 0: no time
	Plain      bool          // no colours
	Out        io.Writer
}

// errOver ends an agent that has nothing left to do.
var errOver = errors.New("nothing more to do")

// demoAgent is one running agent.
type demoAgent struct {
	Options
	*client
	*pane
	resolved string // the comments that were answered last
	task     string // its text, as the executor has read it
}

// Agent plays a role until its work is done, ctx ends or the server is gone.
func Agent(ctx context.Context, o Options) error {
	o.Dir = cmp.Or(o.Dir, o.Project)
	p := &demoAgent{Options: o, pane: newPane(o)}
	part, err := p.part()
	if err != nil {
		return err
	}
	p.title(o)
	if p.client, err = connect(ctx, o, p.pane); err != nil {
		return err
	}
	err = part(ctx)
	if errors.Is(err, errUsedUp) {
		defer p.usedUp()
		return p.client.close()
	}
	if ended := p.client.close(); err == nil || errors.Is(err, errOver) {
		err = ended
	}
	p.end(err)
	return err
}

// part returns the script of the role and mode.
func (p *demoAgent) part() (func(context.Context) error, error) {
	switch {
	case p.Role == "executor":
		return p.execute, nil
	case p.Role != "supervisor":
		return nil, fmt.Errorf("demo agent: unknown role %q; use supervisor or executor", p.Role)
	}
	parts := map[string]func(context.Context) error{
		"task": p.plan, "plan": p.plan, "spec": p.specify, "review": p.review, "consult": p.consult,
		"phase": p.phase, "free": p.showStatus, "": p.showStatus,
	}
	if part, ok := parts[p.Mode]; ok {
		return part, nil
	}
	return nil, fmt.Errorf("demo agent: unknown mode %q of a supervisor", p.Mode)
}

// step waits as long as a step takes, so that you can follow.
func (p *demoAgent) step(ctx context.Context) error { return pause(ctx, p.Speed) }

func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
