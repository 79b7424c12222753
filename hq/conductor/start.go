package conductor

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"ferrus/hq/conductor/usage"
	"ferrus/hq/core"
	"ferrus/hq/fleet"
	"ferrus/hq/guest"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/hq/session"
	"ferrus/hq/workflow"
	"ferrus/machine"
	"ferrus/store"
)

// Start takes the conductor's lock, takes over the sessions that still run, ends what else
// a dead conductor left behind, and continues the task. The error is a
// [*store.LockedError] if another conductor runs here, and a [*project.PairRunningError] if
// a pair does.
func Start(ctx context.Context, p *project.Task, o Options) (*Conductor, error) {
	lock, err := p.Store.TryLock(project.ConductorLock)
	if err != nil {
		return nil, err
	}
	// A conductor and a pair that start at the same time look for each other after they
	// have taken their own lock, so that at least one of them sees the other.
	if err := p.CheckNoPair(); err != nil {
		lock.Close()
		return nil, err
	}
	c := newConductor(ctx, p, o, lock, newSignals())
	if err := c.follow(); err != nil {
		return nil, err
	}
	c.desk.open()
	c.loop.Go(c.probeSandbox)
	c.loop.Start(c.turn)
	return c, nil
}

// startTask starts the conductor of a task with a directory of its own, beside the project's. It
// starts no session before it is admitted, and reports its changes to the project's.
func startTask(ctx context.Context, p *project.Task, o Options, all *tasks, where placement) (*Conductor, error) {
	lock, err := p.Store.TryLock(project.ConductorLock)
	if err != nil {
		return nil, err
	}
	c := newConductor(ctx, p, o, lock, all.main.signals)
	c.gateRun.line, c.baseRun.turn = &all.gates, &all.bases
	c.queueTurn.changed, c.queueTurn.claims = all.changed, &all.claims
	c.gateRun.others = func() bool { return all.othersRun(c) }
	c.admitted.Store(false)
	c.placed.Store(&where)
	if err := c.follow(); err != nil {
		return nil, err
	}
	c.loop.Start(c.turn)
	return c, nil
}

// follow prepares the conductor, and has the loop follow what changes on disk. After an error
// nothing of it is left.
func (c *Conductor) follow() error {
	changes, err := c.prepare()
	if err != nil {
		c.loop.Close()
		c.observed.lock.Close() //nolint:errcheck // it goes with the process at the latest
		return err
	}
	c.loop.Go(func() {
		for range changes {
			c.loop.Ask(c.observed.reload)
		}
	})
	c.loop.Go(func() {
		err := c.project.Store.Verify(c.loop.Context)
		c.loop.Ask(func() { c.observed.verified(err) })
	})
	return nil
}

// newConductor connects the parts of a conductor. It starts nothing.
func newConductor(ctx context.Context, p *project.Task, o Options, lock *store.Lock, s *signals) *Conductor {
	c := &Conductor{
		QueueCommands: QueueCommands{p}, signals: s, project: p, options: o,
		loop: session.NewLoop(ctx), slots: slots{}, quiet: make(chan struct{}),
	}
	c.tasks = newTasks(o, c)
	if c.notices.Log = o.Debug; o.Notice != "" {
		c.notices.Add(false, "%s", o.Notice)
	}
	c.local = c.newLocal()
	disk, shown := &c.observed, &c.notices
	c.observed = observed{
		project: p, loop: c.loop, notices: shown, lock: lock, handleLine: c.handleLine, retry: c.retryDisk,
	}
	c.sessions = sessions{
		observed: disk, signals: s, options: o, local: c.local, slots: c.slots, registry: &c.registry, jobs: &c.jobs,
		roles: &c.roles, usage: &c.usage, refused: &c.commands.refused, asking: &c.asking,
	}
	for _, name := range core.Slots {
		c.slots[name] = c.newRunner(name)
	}
	c.registry = registry{observed: disk, slots: c.slots}
	c.roles = roles{observed: disk, settings: &c.settings, commands: &c.commands, local: c.local, gate: &c.gate}
	c.commands = commands{
		observed: disk, view: &c.view, gate: &c.gate, roles: &c.roles, slots: c.slots, changed: c.notifyChanged,
	}
	c.queueTurn = queueTurn{
		observed: disk, slots: c.slots, setup: &c.setup, claims: &c.tasks.claims, limited: map[core.Slot]int{},
	}
	c.admitted.Store(true)
	c.desk = desk{observed: disk, slots: c.slots, others: c.tasks.sessions}
	c.desk.serve(!o.Headless, c.notifyChanged)
	c.checkout = checkout{observed: disk, gate: &c.gate, changed: c.notifyChanged}
	c.setup = workspaceSetup{observed: disk, view: &c.gate, changed: c.notifyChanged}
	c.gateRun = gateRunner{observed: disk, view: &c.gate, line: &c.tasks.gates, changed: c.notifyChanged,
		others: func() bool { return c.tasks.othersRun(c) }}
	c.baseRun = baseRunner{observed: disk, turn: &c.tasks.bases}
	c.usage = usage.Ledger{Project: p, Notices: shown}
	c.disk = usage.Disk{Loop: c.loop, Project: p, Changed: c.publish}
	c.lease = leaseRenewal{observed: disk, slots: c.slots}
	c.silence = silenceWatch{observed: disk}
	c.asking = permissions{observed: disk, slots: c.slots}
	workers := fleet.New(p, o.Ferrus, func() {
		c.tasks.workers.Add(1)
		c.loop.Post(func() {})
	})
	c.guests = guest.Admission{Serve: o.Guest, Go: c.loop.Go}
	c.queue = taskQueue{
		observed: disk, settings: &c.settings, registry: &c.registry, work: &c.openWorkflow, slots: c.slots,
		tasks: c.tasks, claims: &c.tasks.claims, begin: map[int]string{}, fleet: workers,
		merges: &mergeRun{project: p, fleet: workers, line: &c.tasks.gates, changed: c.notifyChanged},
	}
	c.needs = needWatch{observed: disk, settings: &c.settings, slots: make(chan struct{}, needsAtOnce)}
	c.openWorkflow = openWorkflow{
		observed: disk, gate: &c.gate, store: workflow.Open(p), rows: func() []queue.Row { return c.queue.rows },
		changed: c.notifyChanged, progress: c.slots.noteProgress,
	}
	c.pairs = &pairs{
		project: p, loop: c.loop, notices: shown, gate: &c.gate, idle: c.sessionCommands.idle, changed: c.notifyChanged,
		seq: func() uint64 { return c.view.Load().State.Seq },
	}
	c.sessionCommands = sessionCommands{
		commands: &c.commands, registry: &c.registry, jobs: &c.jobs, pairs: c.pairs, local: c.local,
	}
	c.jobs = jobs{
		observed: disk, settings: &c.settings, setup: &c.setup, work: &c.openWorkflow, headless: o.Headless,
		ownScreen: map[core.Slot]bool{},
		messages:  messages{project: p, notices: shown, slots: c.slots, long: longTexts{p}},
	}
	return c
}

// newLocal returns the launcher of sessions, with what it asks about the task and the configuration.
func (c *Conductor) newLocal() *session.Local {
	return &session.Local{
		Project: c.project, Ferrus: c.options.Ferrus, StopOnExit: c.options.StopOnExit,
		Agents:  c.agents,
		Only:    c.onlyFerrus,
		Trusted: func() error { return c.jobs.trusted() },
		Sandbox: func() core.Sandbox { return project.InEffect(c.settings.config, *c.observed.world()).Sandbox },
		Setup: func() core.Definition {
			d := project.Setup(c.settings.config)
			d.Sandbox = project.InEffect(c.settings.config, *c.observed.world()).Sandbox
			return d
		},
		WaitSecs: func() int { return c.settings.config.Limits.WaitTimeoutSecs },
		Remote:   c.workerPlace,
	}
}

// turn does what follows from anything that happened on the loop.
func (c *Conductor) turn() {
	c.reconcile()
	c.publish()
	c.report()
	if c.phase == conducting {
		c.needs.reconcile(c.inbox, false)
	}
}

// prepare does what comes before the first turn of the loop. It returns a channel that
// signals changes on disk.
func (c *Conductor) prepare() (<-chan struct{}, error) {
	cfg, err := c.project.Config()
	if err != nil {
		return nil, err
	}
	c.settings.config = cfg
	watched := []string{project.MessagesDir}
	if !c.project.HasDirectory() {
		if err := c.project.Store.MkdirExclusive(workflow.Dir); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		watched = append(watched, workflow.Dir, queue.Dir)
	}
	changes, err := c.project.Store.Watch(c.loop.Context, watched...)
	if err != nil {
		return nil, err
	}
	servers, err := c.project.Store.Watch(c.loop.Context, "run")
	if err != nil {
		return nil, err
	}
	c.loop.Go(func() { c.watchServers(servers) })
	if !c.project.HasDirectory() { // its branch, its edits and the machine's processes are the project's to show
		c.checkout.watch()
		c.branch = c.project.Repo().ReadHead()
		c.afterFirstFrame(c.describe)
		c.afterFirstFrame(c.findDaemons)
	}
	if err := c.recover(); err != nil {
		return nil, err
	}
	if err := c.project.RecordRepository(); err != nil {
		return nil, err
	}
	c.observed.damage = c.project.CheckOwnPlace(c.loop.Context) // the queue's own is checked off the loop
	c.observed.reload()
	if err := c.openWorkflow.read(); err != nil { // the first view shows it
		return nil, err
	}
	c.publish()
	return changes, nil
}

// firstFrame is about how long HQ takes to draw its first frame.
const firstFrame = 100 * time.Millisecond

// afterFirstFrame runs what starts processes, or looks through all of them, and only changes a detail of
// the screen: at the start it would take the cores that the first frame needs.
func (c *Conductor) afterFirstFrame(f func()) {
	c.loop.Go(func() {
		select {
		case <-c.loop.Context.Done():
		case <-time.After(firstFrame):
			f()
		}
	})
}

// retryDisk writes and reads again what the disk refused.
func (c *Conductor) retryDisk() {
	if c.phase == conducting {
		c.registry.saved = ""
		c.registry.save() //nolint:errcheck // it is shown, and tried again
		c.observed.reload()
	}
}

// waitingTasks returns the tasks of the queue that have files already, and have not begun.
func waitingTasks(p *project.Task) ([]string, error) {
	q, err := queue.Open(p.Main())
	if errors.Is(err, store.ErrNone) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return q.WaitingDirs()
}

// freeTasks removes what the sessions of former tasks kept outside the project.
func (c *Conductor) freeTasks() {
	c.loop.Go(func() {
		waiting, err := waitingTasks(c.project)
		var tasks int
		var size int64
		if err == nil {
			tasks, size, err = session.FreeTasks(c.project, waiting...)
		}
		c.loop.Ask(func() {
			c.notices.AddErrorOnce(err)
			if size >= 1<<20 {
				c.notices.Add(false, "freed %[2]d MB: private homes and caches of %[1]d past tasks", tasks, size>>20)
			}
		})
	})
}

// handleLine handles a new line of the journal.
func (c *Conductor) handleLine(line store.Entry) {
	c.observed.announceDecision(line)
	c.logLine(line)
	c.slots.noteProgress(line.Session, line.Event)
	c.gateRun.noteVerdict(line)
	if line.Event == string(core.KindCreateTask) {
		c.gate.Forget()
	}
	ends := []machine.Kind{core.KindCreateTask, core.KindLanded, core.KindReset} // what a former task kept is free then
	if !c.project.HasDirectory() && slices.Contains(ends, machine.Kind(line.Event)) {
		c.freeTasks()
	}
	c.failures.add(line)
}

// logLine writes a line of the journal into the debug log. What a human or an agent wrote is
// left out.
func (c *Conductor) logLine(line store.Entry) {
	if c.options.Debug == nil {
		return
	}
	why := ""
	if line.By == string(machine.Ferrus) {
		why = line.Why
	}
	c.options.Debug.Info("journal", "seq", line.Seq, "event", line.Event, "by", line.By, "from", line.From,
		"to", line.To, "session", line.Session, "why", why)
}
