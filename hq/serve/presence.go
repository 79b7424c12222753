package serve

import (
	"slices"
	"sync"
	"time"

	"ferrus/hq/project"
	"ferrus/machine"
)

// presence keeps run/<session id>.json up to date. The file is written by a
// goroutine of its own, so that no call waits for the disk; states that were
// passed through meanwhile are not written.
type presence struct {
	mu    sync.Mutex // guards now, tools and shown
	now   project.Presence
	tools []string // in flight, newest last
	shown bool     // there is an agent

	dirty chan struct{} // there is something new to write
	done  chan struct{}
	save  func(project.Presence) error
	drop  func() error
}

// newPresence starts to publish the presence of a connection; end stops it.
func newPresence(c *conn) *presence {
	p := &presence{dirty: make(chan struct{}, 1), done: make(chan struct{})}
	p.now = project.Presence{
		PID: c.who.own.PID, Start: c.who.own.Start, Host: c.who.own.Host, Boot: c.who.own.Boot,
		Role: string(c.who.role), Mode: string(c.who.mode), Agent: c.who.id,
	}
	if actor, err := c.actor(); err == nil {
		p.now.Managed = actor.Managed
	}
	p.save = func(now project.Presence) error { return c.project.SavePresence(c.who.session, now) }
	p.drop = func() error {
		if p.now.Managed {
			return nil // The conductor still reads it, and removes it.
		}
		return c.project.RemovePresence(c.who.session)
	}
	if err := c.project.RemoveStalePresences(false); err != nil {
		c.log.Warn("presences of servers that died", "error", err)
	}
	go p.write(func(err error) { c.log.Warn("presence", "error", err) })
	return p
}

// announce publishes the presence: from now on there is an agent at the other end.
func (p *presence) announce() {
	p.mu.Lock()
	first := !p.shown
	p.shown = true
	p.mu.Unlock()
	if first {
		p.touch()
	}
}

// touch requests a write of the present state, once there is an agent.
func (p *presence) touch() {
	p.mu.Lock()
	shown := p.shown
	p.mu.Unlock()
	if !shown {
		return
	}
	select {
	case p.dirty <- struct{}{}:
	default: // A write is due already and will see this change.
	}
}

func (p *presence) write(failed func(error)) {
	defer close(p.done)
	for range p.dirty {
		p.mu.Lock()
		now := p.now
		p.mu.Unlock()
		if err := p.save(now); err != nil {
			failed(err)
		}
	}
	if !p.shown { // nothing begins any more
		return
	}
	if err := p.drop(); err != nil {
		failed(err)
	}
}

// startCall notes that a tool is in flight until the returned function is called
// with the seq that its caller has seen.
func (p *presence) startCall(tool string) (end func(seq uint64)) {
	p.change(func() {
		if p.now.FirstCall == nil {
			p.now.FirstCall = stamp()
		}
		p.tools = append(p.tools, tool)
	})
	return func(seq uint64) {
		p.change(func() {
			p.tools = remove(p.tools, tool)
			p.now.Seq = max(p.now.Seq, seq)
		})
	}
}

// refused records that a call changed nothing.
func (p *presence) refused(tool string, why machine.Refusal) {
	p.change(func() {
		one := project.NewRefused(*stamp(), p.now.Agent, tool, why)
		all := append(slices.Clone(p.now.Refused), one) // what is being written is not changed
		p.now.Refused = all[max(len(all)-project.RefusedKept, 0):]
	})
}

func (p *presence) change(f func()) {
	p.mu.Lock()
	f()
	p.now.Calls, p.now.Tool, p.now.Since = len(p.tools), "", stamp()
	if n := len(p.tools); n > 0 {
		p.now.Tool = p.tools[n-1]
	}
	p.mu.Unlock()
	p.touch()
}

func remove(all []string, one string) []string {
	for i, s := range all {
		if s == one {
			return append(all[:i:i], all[i+1:]...)
		}
	}
	return all
}

func stamp() *time.Time {
	now := time.Now().UTC().Round(0)
	return &now
}

// end waits for the last write, and reports whether there was an agent. Nothing may begin after it.
func (p *presence) end() (was bool) {
	close(p.dirty)
	<-p.done
	return p.shown
}
