package conductor

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"ferrus/hq/conductor/messages"
	"ferrus/hq/conductor/needs"
	"ferrus/hq/conductor/pairs"
	"ferrus/hq/conductor/usage"
	"ferrus/hq/core"
	"ferrus/hq/human"
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
//
// Queue makes what runs the other tasks of the project, before anything of the conductor runs; nil: it runs no other
// task.
func Start(ctx context.Context, p *project.Task, o Options, queue func(*Conductor) Queue) (*Conductor, error) {
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
	c := newConductor(ctx, p, o, lock, &Shared{signals: newSignals()})
	if queue != nil {
		c.queue = queue(c)
	}
	if err := c.follow(); err != nil {
		return nil, err
	}
	c.desk.open()
	c.Loop.Go(c.probeSandbox)
	c.Loop.Start(c.turn)
	return c, nil
}

// StartTask starts the conductor of another task of the project, which has a directory of its own. It starts no
// session before the queue admits it, see [Conductor.Place]. It calls changed on its own loop when the state of the
// task has changed, or which of its processes run. A conductor of the project has to be running.
func (c *Conductor) StartTask(
	ctx context.Context, of *project.Task, o Options, at Placement, changed func(),
) (*Conductor, error) {
	lock, err := of.Store.TryLock(project.ConductorLock)
	if err != nil {
		return nil, err
	}
	t := newConductor(ctx, of, o, lock, c.Shared)
	t.queueTurn.changed = changed
	t.admitted.Store(false)
	t.placed.Store(&at)
	if err := t.follow(); err != nil {
		return nil, err
	}
	t.Loop.Start(t.turn)
	return t, nil
}

// follow prepares the conductor, and has the loop follow what changes on disk. After an error
// nothing of it is left.
func (c *Conductor) follow() error {
	changes, err := c.prepare()
	if err != nil {
		c.Loop.Close()
		c.observed.lock.Close() //nolint:errcheck // it goes with the process at the latest
		return err
	}
	c.Loop.Go(func() {
		for range changes {
			c.Loop.Ask(c.observed.reload)
		}
	})
	c.Loop.Go(func() {
		err := c.Project.Store.Verify(c.Loop.Context)
		c.Loop.Ask(func() { c.observed.verified(err) })
	})
	return nil
}

// newConductor connects the parts of a conductor. It starts nothing.
func newConductor(ctx context.Context, p *project.Task, o Options, lock *store.Lock, with *Shared) *Conductor {
	c := &Conductor{
		signals: with.signals, Project: p, Shared: with, options: o, queue: alone{},
		Loop: session.NewLoop(ctx), slots: slots{}, quiet: make(chan struct{}),
	}
	if c.notices.Log = o.Debug; o.Notice != "" {
		c.notices.Add(false, "%s", o.Notice)
	}
	c.local = c.newLocal()
	disk, shown := &c.observed, &c.notices
	c.observed = observed{
		project: p, loop: c.Loop, notices: shown, lock: lock, handleLine: c.handleLine, retry: c.retryDisk,
	}
	c.sessions = sessions{
		observed: disk, signals: with.signals, options: o, local: c.local, slots: c.slots, registry: &c.registry,
		jobs: &c.jobs, roles: &c.roles, usage: &c.usage, refused: &c.commands.refused, asking: &c.asking,
	}
	for _, name := range core.Slots {
		c.slots[name] = c.newRunner(name)
	}
	c.registry = registry{observed: disk, slots: c.slots}
	c.roles = roles{observed: disk, settings: &c.settings, local: c.local, gate: &c.gate,
		limits: &with.Accounts}
	c.commands = commands{
		observed: disk, view: &c.view, gate: &c.gate, roles: &c.roles, slots: c.slots, changed: c.NotifyChanged,
	}
	c.queueTurn = queueTurn{
		observed: disk, slots: c.slots, setup: &c.setup, accounts: &with.Accounts, limited: map[core.Slot]int{},
	}
	c.admitted.Store(true)
	c.desk = desk{observed: disk, slots: c.slots, others: func() []human.Session { return c.queue.Sessions() }}
	c.desk.serve(!o.Headless, c.NotifyChanged)
	c.checkout = checkout{observed: disk, gate: &c.gate, changed: c.NotifyChanged}
	c.setup = workspaceSetup{observed: disk, view: &c.gate, changed: c.NotifyChanged}
	c.gateRun = gateRunner{observed: disk, view: &c.gate, line: &with.Gates, changed: c.NotifyChanged,
		others: func() bool { return with.othersRun(c) }}
	c.baseRun = baseRunner{observed: disk, turn: &with.Bases}
	c.usage = usage.Ledger{Project: p, Notices: shown}
	c.disk = usage.Disk{Loop: c.Loop, Project: p, Changed: c.publish}
	c.lease = leaseRenewal{observed: disk, slots: c.slots}
	c.silence = silenceWatch{observed: disk}
	c.asking = permissions{observed: disk, slots: c.slots}
	c.needs = needs.New(p, c.Loop, shown)
	c.openWorkflow = openWorkflow{
		observed: disk, gate: &c.gate, store: workflow.Open(p), rows: func() []queue.Row { return c.queue.Rows() },
		changed: c.NotifyChanged, progress: c.slots.noteProgress,
	}
	c.pairs = &pairs.Pairs{
		Project: p, Loop: c.Loop, Notices: shown, Gate: &c.gate, Idle: c.sessionCommands.idle, Changed: c.NotifyChanged,
		Since: func() time.Time { return c.view.Load().State.World.Since },
	}
	c.sessionCommands = sessionCommands{
		commands: &c.commands, registry: &c.registry, jobs: &c.jobs, pairs: c.pairs, local: c.local,
	}
	c.jobs = jobs{
		observed: disk, settings: &c.settings, setup: &c.setup, work: &c.openWorkflow, headless: o.Headless,
		ownScreen: map[core.Slot]bool{},
		messages:  messages.Delivery{Project: p, Notices: shown, Slots: c.slots, Long: messages.LongTexts{Project: p}},
	}
	return c
}

// newLocal returns the launcher of sessions, with what it asks about the task and the configuration.
func (c *Conductor) newLocal() *session.Local {
	return &session.Local{
		Project: c.Project, Ferrus: c.options.Ferrus, StopOnExit: c.options.StopOnExit,
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
	c.report(func() string { return c.View().SessionsNeed() })
	if c.phase == conducting {
		c.needs.Reconcile(c.settings.config, c.observed.world(), c.inbox, false)
	}
}

// prepare does what comes before the first turn of the loop. It returns a channel that
// signals changes on disk.
func (c *Conductor) prepare() (<-chan struct{}, error) {
	cfg, err := c.Project.Config()
	if err != nil {
		return nil, err
	}
	c.settings.config = cfg
	watched := []string{project.MessagesDir}
	if !c.Project.HasDirectory() {
		if err := c.Project.Store.MkdirExclusive(workflow.Dir); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		watched = append(watched, workflow.Dir, queue.Dir)
	}
	changes, err := c.Project.Store.Watch(c.Loop.Context, watched...)
	if err != nil {
		return nil, err
	}
	servers, err := c.Project.Store.Watch(c.Loop.Context, "run")
	if err != nil {
		return nil, err
	}
	c.Loop.Go(func() { c.watchServers(servers) })
	if !c.Project.HasDirectory() { // its branch, its edits and the machine's processes are the project's to show
		c.checkout.watch()
		c.branch = c.Project.Repo().ReadHead()
		c.afterFirstFrame(c.describe)
		c.afterFirstFrame(c.findDaemons)
	}
	if err := c.recover(); err != nil {
		return nil, err
	}
	if err := c.Project.RecordRepository(); err != nil {
		return nil, err
	}
	c.observed.damage = c.Project.CheckOwnPlace(c.Loop.Context) // the queue's own is checked off the loop
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
	c.Loop.Go(func() {
		select {
		case <-c.Loop.Context.Done():
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

// waitingTasks returns the tasks of the queue that have files already, and have not started.
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
	c.Loop.Go(func() {
		waiting, err := waitingTasks(c.Project)
		var tasks int
		var size int64
		if err == nil {
			tasks, size, err = session.FreeTasks(c.Project, waiting...)
		}
		c.Loop.Ask(func() {
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
	if !c.Project.HasDirectory() && slices.Contains(ends, machine.Kind(line.Event)) {
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
