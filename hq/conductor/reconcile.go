package conductor

import (
	"slices"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/queue"
	"ferrus/hq/session"
	"ferrus/machine"
)

// reconcile compares what should run with what does, and starts or stops the difference. It
// runs after everything that happens on the loop, and may run any number of times.
func (c *Conductor) reconcile() {
	c.readOlder()
	if c.phase != conducting {
		c.reconcileClosing()
		return
	}
	if c.observed.problem != "" || c.registry.save() != nil {
		return // what cannot be recorded is not started
	}
	c.configure()
	c.noteEdit()
	limits := c.settings.config.Limits
	c.limitUsage(core.Amount{Tokens: limits.MaxTaskTokens, Cost: limits.MaxTaskCost})
	c.registry.wants.clearFulfilled(c.observed.journal.Lines)
	if c.admitted.Load() {
		c.setup.reconcile(c.settings.config)
	}
	for _, r := range c.slots {
		r.Establish()
	}
	reconcileDraft(&c.observed, c.registry.wants)
	c.openWorkflow.reconcile(c.slots[core.SlotExecutor].Lives())
	c.reportAccounts(c.queue.IsOpen())
	world := c.observed.held()
	plan := core.Plan(world, c.openWorkflow.requests(c.registry.wants), c.slots.sessions(), unmanaged(world))
	c.reconcileSlots(plan)
	c.messages = c.jobs.messages.Reconcile()
	c.resumeOnRequest()
	c.failures.reconcile(&c.observed, c.slots[core.SlotExecutor])
	c.gateRun.reconcile(&c.settings)
	c.baseRun.reconcile()
	c.lease.reconcile(time.Duration(c.settings.config.Lease.HeartbeatIntervalSecs) * time.Second)
	c.asking.reconcile()
	c.silence.reconcile(c.settings.config.Lease.TTL())
	c.ShowError(c.Project.Store.Remove(queue.WakeFile))
	c.queue.Reconcile()
	c.registry.save() //nolint:errcheck // the error is shown, and the disk tried again
}

// reconcileSlots passes to each slot what the plan wants of it; one that would begin waits until
// the task is admitted. A slot stops together with
// a hold, and the plan starts nothing during one: a stopped slot that is to start again has
// lost its hold, in whatever way, and would otherwise rest for ever.
func (c *Conductor) reconcileSlots(plan core.Desired) {
	for _, job := range plan.Start {
		slot := c.slots[job.Slot]
		if !slot.Lives() && (!c.admitted.Load() || !isAttended(job.Mode) &&
			!c.begins(job, slot.Snap().At)) {
			continue
		}
		if c.slots[job.Slot].Snap().At == session.Stopped {
			c.slots[job.Slot].Resume()
		}
		c.slots[job.Slot].Want(c.jobs.of(job))
	}
	for name, r := range c.slots {
		switch {
		case slices.ContainsFunc(plan.Start, func(j core.Job) bool { return j.Slot == name }):
		case slices.Contains(plan.Stay, name) && !c.deferred.Load():
			r.Retain()
		default:
			r.Release(orphaned(r, c.observed.world().Task))
		}
	}
}

// begins reports whether the session of a job may begin, on a fallback of its agent if another task has used up
// the account.
func (c *Conductor) begins(job core.Job, at machine.State) bool {
	agent := c.jobs.role(job).Agent
	if c.mayBegin(agent, at) {
		return true
	}
	return !c.limits.IsFree(agent, time.Now()) && c.roles.replace(job.Slot.Role(), agent) &&
		c.mayBegin(c.jobs.role(job).Agent, at)
}

// limitUsage puts the task on hold when its usage is over a limit.
func (c *Conductor) limitUsage(limits core.Amount) {
	c.usage.Flush()
	c.usage.Count(c.observed.world().Task)
	world := c.observed.held()
	if hold, words := c.usage.Overdraft(&world, limits); hold != nil && c.observed.holdBy(*hold) {
		c.notices.Add(true, "%s", words)
	}
}

// orphaned reports whether the task that a session was started for is gone.
func orphaned(r *session.Runner, task *core.Task) bool {
	e := r.Record()
	return e.Mode != core.ModePhase && e.Task != "" && (task == nil || task.ID != e.Task)
}

// readOlder reads the journal before the lines of the first read, and counts them again from
// the oldest.
func (c *Conductor) readOlder() {
	journal := &c.observed.journal
	read, err := journal.Older(c.Project, c.observed.state.Seq)
	c.notices.AddErrorOnce(err)
	if !read {
		return
	}
	c.failures = failureStreak{}
	for _, line := range journal.Lines {
		c.slots.noteProgress(line.Session, line.Event)
		c.failures.add(line)
	}
}
