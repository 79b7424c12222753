package conductor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"ferrus/hq/advice"
	"ferrus/hq/conductor/pairs"
	"ferrus/hq/core"
	"ferrus/hq/pair"
	"ferrus/hq/project"
	"ferrus/hq/session"
	"ferrus/hq/workflow"
	"ferrus/machine"
)

// sessionCommands are the human's commands to the sessions of the task and of a pair.
type sessionCommands struct {
	*commands
	registry *registry
	jobs     *jobs
	pairs    *pairs.Pairs
	local    *session.Local
}

// Want asks for a supervisor's session, or a free one. It replaces an earlier request for
// the same slot; repeating a request changes nothing.
func (c *sessionCommands) Want(w core.Request) error {
	err := ErrClosed
	c.loop.Ask(func() {
		selected := c.world().Selection
		if err = attachMilestone(c.project, selected, &w); err != nil || c.registry.wants.contains(w) {
			return
		}
		if err = c.refuseRequest(w); err != nil {
			return
		}
		w.Since = int64(c.state.Seq)
		c.registry.wants.add(w)
		c.slots[w.Slot()].Resume()
	})
	return err
}

// refuseRequest returns why a request cannot be met.
func (c *sessionCommands) refuseRequest(w core.Request) error {
	if c.slots[w.Slot()].Lives() && !c.isLeaving(w.Slot()) {
		return fmt.Errorf("the %s already has a session; end it in its pane, or /stop", roleOf(w))
	}
	if why := c.fault(); why != "" {
		return errors.New(why)
	}
	if err := c.project.CheckNoPair(); err != nil {
		return fmt.Errorf("%w; /stop stops it", err)
	}
	world := c.world()
	if err := c.jobs.trusted(); err != nil {
		return err
	}
	if world.Hold != nil {
		what := "the task"
		if !world.IsOpen() {
			what = "the project"
		}
		return fmt.Errorf("%s is on hold (%s): run /resume first", what, world.Hold.Reason)
	}
	create := func(o machine.Option) bool { return o.Event == core.KindCreateTask }
	apart := c.jobs.config.HQ.Worktree() // then the task is queued
	if w.Kind == core.ModeTask && !apart && !slices.ContainsFunc(core.OpenTransitions(*world), create) {
		return fmt.Errorf("a task is open (%s): ferrus task add queues another one; /reset archives the open one",
			world.State)
	}
	return nil
}

// isLeaving reports whether the planner's session has met its request and is stopping, so
// that the next request need not wait until it is gone.
func (c *sessionCommands) isLeaving(slot core.Slot) bool {
	return slot == core.SlotPlanner && c.slots[slot].Job().Mode != core.ModePhase && !c.registry.wants.has(slot)
}

// roleOf returns the role that a request asks for; panes do not show the name of its slot.
func roleOf(w core.Request) machine.Role {
	if w.Slot() == core.SlotExecutor {
		return machine.Executor
	}
	return machine.Supervisor
}

// Stop stops the pair, which can be resumed, and every session, and puts the task or the
// workflow on hold until /resume.
func (c *sessionCommands) Stop(ctx context.Context) error {
	c.pairs.Stop(nil)
	if c.holdable() {
		if err := c.commands.hold(ctx, core.HoldStop); err != nil {
			return err
		}
	}
	if !c.loop.Ask(func() {
		c.registry.wants = nil
		for _, r := range c.slots {
			if r.Record().Session != "" {
				r.Stop()
			}
		}
	}) {
		return ErrClosed
	}
	return nil
}

// Resume continues the task: it clears a hold, restarts slots that gave up, and ends the
// waits of slots that cool down or are parked. It returns a sentence about the result.
//
// Where no task is open, nor a workflow in the checkout, it also resumes the pair that failed or was
// stopped last.
func (c *sessionCommands) Resume(ctx context.Context) (string, error) {
	if id, ok := c.pairs.Resumable(); ok && !c.newest().IsOpen() && workflow.Open(c.project).CheckNoneHere() == nil {
		words, err := c.pairs.Start(ctx, pair.Request{Again: true, ID: id})
		if err == nil {
			_, err = c.clearHold(ctx) // of a workflow with a worktree
		}
		return words, err
	}
	if v := c.pairs.Newest(time.Time{}); v.Running {
		return "", errors.New("a pair is running; /stop stops it")
	}
	resumed, err := continueQueue(ctx, c.project)
	if err != nil {
		return "", err
	}
	held, err := c.clearHold(ctx)
	if err != nil {
		return "", err
	}
	if !c.loop.Ask(func() { resumed = c.slots.resume() || resumed }) {
		return "", ErrClosed
	}
	return resumedWords(c.view.Load(), held || resumed), nil
}

// resumedWords says what a /resume led to.
func resumedWords(v *View, resumed bool) string {
	world, f := v.State.World, v.Workflow
	if f != nil && !f.IsFinal() && !world.IsOpen() {
		in := fmt.Sprintf("the workflow is in %s", f.Phase)
		if asks := f.Asks(); asks != "" {
			in = asks
		}
		if resumed {
			return "the hold is cleared: " + in
		}
		return "there is nothing to resume: " + in
	}
	if resumed && world.IsOpen() {
		return fmt.Sprintf("the task continues: it is %s", world.State)
	}
	if next := advice.Next(world, project.HumanActor()); next != "" {
		return "there is nothing to resume; next: " + next
	}
	return "there is nothing to resume"
}

// Start starts the session of one slot, even if the slot gave up or cools down. A hold
// stopped all slots, so clearing one restarts them all. It is an error, and changes
// nothing, if the slot has a session already, or the task has no work for it.
func (c *sessionCommands) Start(slot core.Slot) error {
	if err := c.startable(slot); err != nil {
		return err
	}
	held, err := c.clearHold(context.Background())
	if err != nil {
		return err
	}
	c.loop.Ask(func() {
		if c.slots[slot].Resume(); held {
			c.slots.resume()
		}
	})
	return nil
}

// startable returns why the session of a slot cannot start.
func (c *sessionCommands) startable(slot core.Slot) error {
	if !slices.Contains(core.Slots, slot) {
		return fmt.Errorf("unknown slot %.40q; use one of: %s", slot, core.SlotNames())
	}
	err := ErrClosed
	c.loop.Ask(func() {
		free := *c.world()
		free.Hold = nil
		plan := core.Plan(free, c.jobs.work.requests(c.registry.wants), c.slots.sessions(), unmanaged(free))
		switch {
		case c.slots[slot].Lives():
			err = fmt.Errorf("the %s already has a session: /tell reaches it, /stop stops it", slot.Pane())
		case !slices.ContainsFunc(plan.Start, func(j core.Job) bool { return j.Slot == slot }):
			err = fmt.Errorf("there is nothing for the %s to do: the task is %s", slot.Pane(), free.State)
		default:
			err = nil
		}
	})
	return err
}

// TakeLease takes the lease from the session that does the work of a slot, and starts another.
// Later calls of the old session are refused as late. A session of this conductor is stopped.
func (c *sessionCommands) TakeLease(ctx context.Context, slot core.Slot) error {
	w := c.view.Load().State.World
	if !w.IsClaimed() || w.ClaimedSlot() != slot {
		return fmt.Errorf("no session holds the work of the %s; /resume %s starts one", slot.Pane(), slot.Pane())
	}
	if _, err := c.Do(ctx, core.Command{Kind: core.KindRelease}); err != nil {
		return err
	}
	if _, err := c.clearHold(ctx); err != nil {
		return err
	}
	c.loop.Ask(func() {
		c.slots[slot].Resume()
		c.slots.supersede(w.Claim)
	})
	return nil
}

// SwitchScreen continues the session of a slot on its program's own screen or, if it is on that screen,
// without it: the program ends, and another process continues the conversation. Later sessions of the
// slot stay as you chose. It returns a sentence, or an error if there is no such session, or its program
// cannot continue one.
func (c *sessionCommands) SwitchScreen(slot core.Slot) (words string, err error) {
	if !slices.Contains(core.Slots, slot) {
		return "", fmt.Errorf("unknown slot %.40q; use one of: %s", slot, core.SlotNames())
	}
	err = ErrClosed
	c.loop.Ask(func() {
		if err = c.switchable(slot); err != nil {
			return
		}
		own := !c.slots[slot].Job().Interactive
		c.jobs.ownScreen[slot] = own
		wanted := c.slots[slot].Wanted() // while it waits for an answer, it is not started again
		c.slots[slot].Reopen()
		words = c.local.ScreenWords(c.slots[slot].Record(), own)
		if !wanted {
			words += " once its question is answered"
		}
	})
	return words, err
}

// switchable returns why the session of a slot cannot change its screen.
func (c *sessionCommands) switchable(slot core.Slot) error {
	r := c.slots[slot]
	switch job := r.Job(); {
	case c.jobs.headless:
		return fmt.Errorf("sessions have their own screens only in HQ")
	case !r.Interruptible():
		return fmt.Errorf("the %s has no running session", slot.Pane())
	case job.Attended:
		return fmt.Errorf("the %s already has its own screen; type into it", slot.Pane())
	default:
		return c.local.Continuable(r.Record(), job.Workspace)
	}
}

// SendMessage leaves a message for the session of a slot, or for its next one. It returns a
// sentence that says which.
func (c *sessionCommands) SendMessage(slot core.Slot, text string) (string, error) {
	if slices.Contains(core.PairSlots, slot) {
		return c.pairs.SendMessage(slot, text)
	}
	if err := c.project.PostMessage(slot, text); err != nil {
		return "", err
	}
	words := "message kept for the next session of the " + slot.Pane()
	if !c.loop.Ask(func() {
		if c.slots[slot].Lives() {
			words = "message sent to the " + slot.Pane()
		}
	}) {
		return "", ErrClosed
	}
	return words, nil
}

// Input sends bytes to the agent of a slot as if typed there.
func (c *sessionCommands) Input(slot core.Slot, data []byte) {
	r := c.slots[slot]
	if r == nil {
		return
	}
	if err := r.Input(data); err != nil {
		c.loop.Ask(func() { c.notices.AddOnce(fmt.Sprintf("cannot send keys to the %s: %v", slot.Pane(), err)) })
	}
}

// Resize gives the pane of a slot a new size, also before its first session. It does not
// wait.
func (c *sessionCommands) Resize(slot core.Slot, columns, rows int) {
	if columns < 1 || rows < 1 {
		return
	}
	if r := c.slots[slot]; r != nil {
		r.Resize(columns, rows)
		return
	}
	c.pairs.Resize(slot, columns, rows)
}

// Pair starts a run of two agents, or resumes one. It returns a sentence that says which.
func (c *sessionCommands) Pair(ctx context.Context, q pair.Request) (string, error) {
	return c.pairs.Start(ctx, q)
}

// RecoverPair resumes the pair that a crash interrupted.
func (c *sessionCommands) RecoverPair() { c.pairs.Recover() }

// oneWriter ends a sentence that says why no pair may start.
const oneWriter = "and a working tree has one writer at a time; /stop stops it"

// idle returns why no pair may start: the loop has a session, or is about to start one.
func (c *sessionCommands) idle() error {
	if err := workflow.Open(c.project).CheckNoneHere(); err != nil {
		return err
	}
	err := ErrClosed
	c.loop.Ask(func() {
		err = nil
		for name, r := range c.slots {
			if r.Lives() {
				err = fmt.Errorf("the %s has a session, "+oneWriter, name.Pane())
			}
		}
		if err == nil && len(c.registry.wants) > 0 {
			err = errors.New("a session is about to start, " + oneWriter)
		}
	})
	return err
}

// resumeOnRequest does what ResumeAll or TakeLease asked for.
func (c *sessionCommands) resumeOnRequest() {
	session, err := c.project.Store.ReadFile(resumeFile)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err = errors.Join(err, c.project.Store.Remove(resumeFile)); err != nil {
		c.notices.AddOnce(err.Error())
		return
	}
	c.slots.resume()
	c.slots.supersede(&core.Claim{Session: string(session)})
}
