package conductor_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"ferrus/agent"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/session"
	"ferrus/machine"
)

// acting plays every agent in this process, so that a test can start hundreds.
type acting struct {
	p *project.Task

	mu      sync.Mutex
	parts   func() string // what the next agent does
	missing bool          // no agent is installed
}

func (a *acting) Ready(name string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.missing {
		return errors.New(name + ": not found on PATH")
	}
	return nil
}

func (a *acting) Launch(l session.Launch, _ agent.Screen) (session.Process, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := &acted{done: make(chan struct{}), ended: make(chan struct{})}
	one := &actor{a.p, core.Actor{
		Role: l.Slot.Role(), ID: string(l.Slot.Role()) + ":actor:1", Session: l.ID, Mode: l.Mode, Managed: true,
	}}
	part := a.parts()
	go func() {
		defer close(s.done)
		s.code = one.playSlot(l.Slot, part, s.ended)
	}()
	return s, nil
}

// acted is an agent that acting plays.
type acted struct {
	done, ended chan struct{}
	once        sync.Once
	code        int
}

func (s *acted) Done() <-chan struct{} { return s.done }
func (s *acted) PID() int              { return 0 }
func (s *acted) Input([]byte) error    { return nil }
func (s *acted) Resize(int, int) error { return nil }
func (s *acted) Detach()               {}

func (s *acted) End(context.Context, time.Duration) agent.Exit {
	s.once.Do(func() { close(s.ended) })
	<-s.done
	return agent.Exit{Code: s.code}
}

// playSlot does what a session of a slot is for, once, and returns its exit code.
func (a *actor) playSlot(slot core.Slot, part string, ended <-chan struct{}) int {
	switch part {
	case "exit":
		return 0
	case "edit and fail":
		name := filepath.Join(a.p.Dir, "edited.txt")
		before, _ := os.ReadFile(name) // the first session makes it
		if err := os.WriteFile(name, append(before, 'x'), 0o644); err != nil {
			panic(err)
		}
		return 7
	case "fail":
		return 7
	case "ask", "consult":
		a.do(core.KindClaim, "") //nolint:errcheck // it is refused where it cannot ask, too
		a.do(map[string]machine.Kind{"ask": core.KindAskHuman, "consult": core.KindConsult}[part],
			"## Problem\nWhich?\n## What I tried\nLooking.\n## Question\nWhich?\n") //nolint:errcheck // as above
		return 0
	case "sit":
		a.do(core.KindClaim, "") //nolint:errcheck // it sits without one then
		fallthrough
	case "hang":
		<-ended
		return 130
	}
	moves := map[core.Slot][]machine.Kind{
		core.SlotExecutor:   {core.KindClaim},
		core.SlotReviewer:   {core.KindClaim, machine.Kind(part)},
		core.SlotConsultant: {core.KindRespondConsult},
		core.SlotPlanner:    {core.KindCreateTask},
	}
	for _, kind := range moves[slot] {
		a.do(kind, "# Work\n") //nolint:errcheck // a refusal ends the session as any other end does
	}
	if slot == core.SlotExecutor {
		a.submit(ended)
	}
	return 0
}

// submit submits, and again whenever something happened while the gate runs.
func (a *actor) submit(ended <-chan struct{}) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	changes, err := a.p.Store.Watch(ctx)
	for err == nil {
		var result core.Result
		if result, err = a.do(core.KindSubmit, "# Done\n"); err != nil || result.Status != core.StatusRunning {
			return
		}
		select {
		case <-changes:
		case <-ended:
			return
		}
	}
}

func (a *acting) install(is bool) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.missing = !is
	return nil
}
