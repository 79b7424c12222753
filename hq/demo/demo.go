// Package demo is the built-in agents and the repository they work on.
//
// [Scaffold] makes a throw-away git repository with a small Go module. [Agent]
// plays one role in it: like any vendor's CLI it reaches ferrus only through a
// `ferrus serve` that it starts itself, and knows nothing but what tools answer
// and what files say, so one that was killed goes on where it was. What the
// agents write is scripted; the check commands, the repository and the loop are
// real. The agents work on their own repository only and say so elsewhere.
package demo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Answer is what a person who watches would say to the executor's question.
const Answer = "No. Only GET and HEAD are tried again; a POST could place an order twice."

// Options say which part an agent plays and where.
type Options struct {
	Role, Mode string
	Name       string // middle of the agent id; empty: demo
	Index      int
	Project    string        // absolute directory
	Dir        string        // where the agent works; empty: the project
	Nonce      string        // of this session; empty: serve makes its own
	Ferrus     string        // program to start as `serve`; empty: this one
	Env        []string      // what serve gets besides this program's environment
	WaitSecs   int           // bound of one wait; 0: what the server says
	Speed      time.Duration // how long each step takes; 0: no waiting
	Plain      bool          // no colours
	Out        io.Writer
}

// errOver ends an agent that has nothing more to do.
var errOver = errors.New("nothing more to do")

// demoAgent is one demo agent at work.
type demoAgent struct {
	Options
	*client
	*pane
}

// Agent plays a role until its part is done, ctx ends or a tool cannot be used.
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
	if ended := p.client.close(); err == nil || errors.Is(err, errOver) {
		err = ended
	}
	p.end(err)
	return err
}

// part is what the role and mode have to do.
func (p *demoAgent) part() (func(context.Context) error, error) {
	switch {
	case p.Role == "executor":
		return p.execute, nil
	case p.Role != "supervisor":
		return nil, fmt.Errorf("demo agent: unknown role %q; use supervisor or executor", p.Role)
	}
	parts := map[string]func(context.Context) error{
		"task": p.plan, "plan": p.plan, "spec": p.specify, "review": p.review, "consult": p.consult, "phase": p.phase, "free": p.showStatus, "": p.showStatus,
	}
	if part, ok := parts[p.Mode]; ok {
		return part, nil
	}
	return nil, fmt.Errorf("demo agent: unknown mode %q of a supervisor", p.Mode)
}

// step lets a person follow: it waits as long as a step takes.
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
