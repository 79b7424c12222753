package serve

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"ferrus/hq/advice"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/store"
)

// conn is one agent's connection: whose it is, and what its calls share. Nothing in it
// matters after a crash.
type conn struct {
	project    *project.Task
	who        identity
	started    string        // distinguishes this server's calls from an earlier server's
	waitLimit  time.Duration // how long the client lets one call take; 0: as long as it likes
	inputEnded <-chan struct{}
	log        *slog.Logger
	seen       tickets
	cursors    atomic.Uint64 // so that no two cursors are alike

	mu   sync.Mutex     // guards idle
	idle map[string]int // waits in a row that found nothing, by tool
}

// actor returns the caller as the registry has it now: a conductor may have ended, or
// recorded the agent's process, since the last call.
func (c *conn) actor() (core.Actor, error) {
	a := core.Actor{Role: c.who.role, ID: c.who.id, Session: c.who.session, Mode: c.who.mode, Process: c.who.own}
	registry, err := c.project.Registry()
	if err != nil {
		return a, err
	}
	if entry, ok := registry.Session(c.who.session); ok && entry.Role == c.who.role {
		a.Managed = true
		if agent := cmp.Or(c.who.agent, entry.Process); agent != nil {
			a.Process = agent
		}
	}
	return a, nil
}

// next returns what this session should do in a state of the task.
func (c *conn) next(w core.World) string {
	by, err := c.actor()
	if err != nil {
		c.log.Warn("who calls", "error", err) // it counts as started by hand
	}
	return advice.Next(w, by)
}

// journalCall names a call in the journal; it is never replayed.
func (c *conn) journalCall(request string) store.Call {
	return store.Call{ID: c.who.session + "." + c.started + "." + request, Session: c.who.session}
}

// holdsLease reports whether this session has claimed the task.
func (c *conn) holdsLease(w core.World) bool {
	return w.Claim != nil && w.Claim.Session == c.who.session
}

// release gives back the lease, if this session has it.
func (c *conn) release() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	state, err := c.project.World()
	if err != nil || !c.holdsLease(state.World) {
		return nil // There is nothing to give back, or nothing that can be.
	}
	actor, err := c.actor()
	if err == nil {
		_, err = c.project.Do(ctx, c.journalCall("release"), core.Command{Kind: core.KindRelease, By: actor,
			Process: actor.Process})
	}
	if err == nil || machine.IsRefusal(err) {
		return nil
	}
	return fmt.Errorf("release the lease: %w", err)
}

// patience returns how long one call may take.
func (c *conn) patience(config config.Config) time.Duration {
	patience := config.Limits.WaitTimeout()
	if c.waitLimit > 0 {
		patience = min(patience, c.waitLimit)
	}
	return patience
}

// cursor returns a unique cursor that begins with what it names.
func (c *conn) cursor(names string) string { return fmt.Sprintf("%s.%d", names, c.cursors.Add(1)) }

// nextAfter is what a session does after a directive of HQ's, by its kind; nothing else
// than before after a message.
var nextAfter = map[string]string{
	project.DirectivePark: core.EndSession + "; ferrus starts you again with the answer",
	project.DirectiveEnd:  core.EndSession,
}

// directive takes what HQ left for this session, if anything.
func (c *conn) directive() (project.Directive, bool) {
	d, ok, err := c.project.TakeDirective(c.who.session)
	if err != nil {
		c.log.Warn("take HQ's directive", "error", err)
	}
	return d, ok && err == nil
}

// refreshTickets notes which questions are open now.
func (c *conn) refreshTickets() {
	if state, err := c.project.World(); err == nil {
		c.seen.see(state.World)
	}
}
