package conductor

import (
	"maps"
	"slices"
	"time"

	"ferrus/agent"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/session"
	"ferrus/machine"
)

// newRunner returns the runner of a slot. Its callbacks report to the conductor's parts.
func (c *Conductor) newRunner(name core.Slot) *session.Runner {
	var launcher session.Launcher = c.local
	if c.options.launcher != nil {
		launcher = c.options.launcher
	}
	return session.New(session.Options{
		Slot: name, Loop: c.loop, Launcher: launcher, Patience: c.options.patience,
		Policy:   func() config.Session { return c.settings.config.Session },
		Presence: c.presence, Tree: c.treeOf(name), Asks: c.asking.asks,
		Columns: c.options.Columns, Rows: c.options.Rows, Scrollback: c.options.Scrollback,
		Callbacks: session.Callbacks{
			Save: func() error { return c.registry.save() }, Reaped: c.reaped, Exited: c.exited,
			Stuck:   func(reason, because string) { c.observed.hold(reason, because) },
			Notice:  func(text string) { c.notices.add(true, "%s", text) },
			Problem: c.notices.addOnce, Stalled: c.notices.addOnce, Changed: c.notifyChanged,
			Printed: c.notifyPrinted, Stepped: c.logStep(name),
		},
	})
}

// logStep returns what writes the steps of a slot's session machine into the debug log; nil:
// there is none.
func (c *Conductor) logStep(name core.Slot) func(machine.Event, session.Snap) {
	if c.options.Debug == nil {
		return nil
	}
	return func(event machine.Event, after session.Snap) {
		c.options.Debug.Debug("session", "slot", name, "event", event.Kind(), "state", after.At,
			"number", after.Data.Session, "errors", after.Data.Consecutive, "total", after.Data.Total)
	}
}

// treeOf returns a function that reads the tree of the task; nil for a slot that changes no
// files.
func (c *Conductor) treeOf(name core.Slot) func() string {
	if name != core.SlotExecutor {
		return nil
	}
	return func() string {
		state, err := c.project.World()
		if err != nil {
			return ""
		}
		tree, err := c.project.Work(state.World).Tree(c.loop.Context)
		if err != nil {
			return ""
		}
		return tree.Hash
	}
}

// watchServers collects the refusals of all servers, unmanaged ones too, and notices a server
// that takes the place of another. It has its own goroutine, because servers write at every call,
// and only these are worth a turn of the loop.
func (c *Conductor) watchServers(changes <-chan struct{}) {
	known, servers := map[string]time.Time{}, map[string]int{}
	for range changes {
		all, _ := c.project.Presences() // a file that cannot be read counts as empty
		fresh := false
		for session, one := range all {
			if one.PID != servers[session] {
				servers[session] = one.PID
				c.loop.Post(func() { c.serverChanged(session) })
			}
			if n := len(one.Refused); n > 0 && one.Refused[n-1].At.After(known[session]) {
				known[session], fresh = one.Refused[n-1].At, true
			}
		}
		if fresh {
			c.loop.Post(func() {
				for _, session := range slices.Sorted(maps.Keys(all)) {
					c.refused.addNew(session, all[session].Refused)
				}
			})
		}
	}
}

// serverChanged tells the slot of a session that it has another server.
func (c *Conductor) serverChanged(session string) {
	for _, r := range c.slots {
		r.ServerChanged(session)
	}
}

// presence returns what the server of a session last wrote about itself.
func (c *Conductor) presence(id string) project.Presence {
	v, _, err := c.project.Presence(id)
	c.notices.addErrorOnce(err)
	return v
}

// reaped records the usage of a session whose process is gone, and releases what it held. It reads the
// journal first: how the session ended is judged next, by what was accepted from it, also at the very end.
func (c *Conductor) reaped(e project.SessionRecord, exit agent.Exit) {
	c.observed.reload()
	exit.Usage = exit.Usage.Larger(c.local.WrittenUsage(e, c.slots[e.Slot].Job().Workspace))
	c.usage.add(e, exit)
	c.release(e)
}

// release adds the last refusals of a session, removes its presence, and releases its lease.
func (c *Conductor) release(e project.SessionRecord) {
	c.refused.addLast(c.project, e.Session)
	c.notices.addErrorOnce(c.project.RemovePresence(e.Session))
	if claim := c.observed.world().Claim; claim != nil && claim.Session == e.Session {
		c.observed.do(core.Command{Kind: core.KindRelease, By: core.Actor{Session: e.Session}})
	}
}

// exited acts on how a session ended: messages count as delivered, a request as answered.
func (c *Conductor) exited(e session.End) {
	if e.Limit != "" {
		c.fallBack(e)
	}
	if e.Succeeded {
		c.jobs.messages.acknowledge(e.Slot, e.Session, e.Job.Origin)
	}
	if !e.WillRetry {
		c.registry.wants.drop(e.Job.Job)
		if want := e.Job.Want; want != nil {
			c.notices.addErrorOnce(c.jobs.messages.long.forget(e.Job.Origin, requestName(want.Text)))
		}
	}
	c.notices.addErrorOnce(c.local.Forget(e.Slot))
	c.loop.Go(c.findDaemons)
}

// findDaemons describes the processes that vendors' programs keep running. It looks through all
// processes.
func (c *Conductor) findDaemons() {
	var found []string
	for _, d := range agent.Daemons() {
		found = append(found, d.String())
	}
	c.loop.Post(func() { c.daemons = found })
}
