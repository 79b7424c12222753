package conductor

import (
	"maps"
	"slices"
	"time"

	"ferrus/agent"
	"ferrus/hq/conductor/usage"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/session"
	"ferrus/machine"
)

// sessions connects the runners of the slots to the other parts: it makes them, takes over what
// runs already, and acts on how each session ends.
type sessions struct {
	*observed
	*signals
	options  Options
	local    *session.Local
	slots    slots
	registry *registry
	jobs     *jobs
	roles    *roles
	usage    *usage.Ledger
	refused  *refusals
	asking   *permissions
	daemons  []string // of the vendors, when a session ended last
}

// newRunner returns the runner of a slot. Its callbacks report to the conductor's parts.
func (s *sessions) newRunner(name core.Slot) *session.Runner {
	var launcher session.Launcher = s.local
	if s.options.launcher != nil {
		launcher = s.options.launcher
	}
	return session.New(session.Options{
		Slot: name, Loop: s.loop, Launcher: launcher, Patience: s.options.patience,
		Policy:   func() config.Session { return s.jobs.config.Session },
		Presence: s.presence, Tree: s.treeOf(name),
		Permissions: session.Permissions{Asks: s.asking.asks, Refused: s.asking.refused},
		Columns:     s.options.Columns, Rows: s.options.Rows, Scrollback: s.options.Scrollback,
		Callbacks: session.Callbacks{
			Save: func() error { return s.registry.save() }, Reaped: s.reaped, Exited: s.exited,
			Stuck:   func(reason, because string) { s.observed.hold(reason, because) },
			Notice:  func(text string) { s.notices.Add(true, "%s", text) },
			Problem: s.notices.AddOnce, Stalled: s.notices.AddOnce, Changed: s.signals.NotifyChanged,
			Printed: s.signals.notifyPrinted, Stepped: s.logStep(name),
		},
	})
}

// logStep returns what writes the steps of a slot's session machine into the debug log; nil:
// there is none.
func (s *sessions) logStep(name core.Slot) func(machine.Event, session.Snap) {
	if s.options.Debug == nil {
		return nil
	}
	return func(event machine.Event, after session.Snap) {
		s.options.Debug.Debug("session", "slot", name, "event", event.Kind(), "state", after.At,
			"number", after.Data.Session, "errors", after.Data.Consecutive, "total", after.Data.Total)
	}
}

// treeOf returns a function that reads the tree of the task; nil for a slot that changes no
// files.
func (s *sessions) treeOf(name core.Slot) func() string {
	if name != core.SlotExecutor {
		return nil
	}
	return func() string {
		state, err := s.project.World()
		if err != nil {
			return ""
		}
		tree, err := s.project.Work(state.World).Tree(s.loop.Context)
		if err != nil {
			return ""
		}
		return tree.Hash
	}
}

// watchServers collects the refusals of all servers, unmanaged ones too, and notices a server
// that takes the place of another. It has its own goroutine, because servers write at every call,
// and only these are worth a turn of the loop.
func (s *sessions) watchServers(changes <-chan struct{}) {
	known, servers := map[string]time.Time{}, map[string]int{}
	for range changes {
		all, _ := s.project.Presences() // a file that cannot be read counts as empty
		fresh := false
		for session, one := range all {
			if one.PID != servers[session] {
				servers[session] = one.PID
				s.loop.Post(func() { s.slots.serverChanged(session) })
			}
			if n := len(one.Refused); n > 0 && one.Refused[n-1].At.After(known[session]) {
				known[session], fresh = one.Refused[n-1].At, true
			}
		}
		if fresh {
			s.loop.Post(func() {
				for _, session := range slices.Sorted(maps.Keys(all)) {
					s.refused.addNew(session, all[session].Refused)
				}
			})
		}
	}
}

// presence returns what the server of a session last wrote about itself.
func (s *sessions) presence(id string) project.Presence {
	v, _, err := s.project.Presence(id)
	s.notices.AddErrorOnce(err)
	return v
}

// reaped records the usage of a session whose process is gone, and releases what it held. It reads the
// journal first: how the session ended is judged next, by what was accepted from it, also at the very end.
func (s *sessions) reaped(e project.SessionRecord, exit agent.Exit) {
	s.reload()
	exit.Usage = exit.Usage.Larger(s.local.WrittenUsage(e, s.slots[e.Slot].Job().Workspace))
	s.usage.Add(e, exit)
	s.release(e)
}

// release adds the last refusals of a session, removes its presence, and releases its lease.
func (s *sessions) release(e project.SessionRecord) {
	s.refused.addLast(s.project, e.Session)
	s.notices.AddErrorOnce(s.project.RemovePresence(e.Session))
	if claim := s.world().Claim; claim != nil && claim.Session == e.Session {
		s.do(core.Command{Kind: core.KindRelease, By: core.Actor{Session: e.Session}})
	}
}

// exited acts on how a session ended: messages count as delivered, a request as answered.
func (s *sessions) exited(e session.End) {
	if e.Limit != "" {
		s.roles.fallBack(e)
	}
	if e.Succeeded {
		s.jobs.messages.Acknowledge(e.Slot, e.Session, e.Job.Origin)
	}
	if !e.WillRetry {
		s.registry.wants.drop(e.Job.Job)
		if want := e.Job.Want; want != nil {
			s.notices.AddErrorOnce(s.jobs.messages.Long.ForgetRequest(e.Job.Origin, want.Text))
		}
	}
	s.notices.AddErrorOnce(s.local.Forget(e.Slot))
	s.loop.Go(s.findDaemons)
}

// findDaemons describes the processes that vendors' programs keep running. It looks through all
// processes.
func (s *sessions) findDaemons() {
	var found []string
	for _, d := range agent.Daemons() {
		found = append(found, d.String())
	}
	s.loop.Post(func() { s.daemons = found })
}
