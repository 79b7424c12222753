package conductor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"ferrus/agent"
	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/project"
	"ferrus/hq/workflow"
	"ferrus/machine"
	flows "ferrus/machine/workflow"
	"ferrus/store"
)

// workAgain is how long the conductor waits before it tries a step of a workflow
// again that was refused or failed.
const workAgain = time.Second

// openWorkflow is the workflow that is open, as the loop knows it.
type openWorkflow struct {
	book    *workflow.Store
	current *workflow.Workflow // nil: none was open since the start
	next    workflow.Next
	lines   []store.Line  // of its journal
	stamp   string        // active.json, as it was read last
	busy    bool          // a step is being taken
	resting bool          // until workAgain has passed
	session *core.Request // for a session of the phase
}

// settleWork looks where the workflow stands and takes the next step towards
// where it should be: one at a time, off the loop.
func (c *Conductor) settleWork() {
	w := &c.flow
	if err := c.readWork(); err != nil {
		c.once(err.Error())
		return
	}
	w.session, w.next = nil, workflow.Next{}
	if w.current == nil {
		return
	}
	d := &w.current.Document
	executor := c.slots[core.SlotExecutor]
	w.next = workflow.PlanNext(d, workflow.Loop{World: c.state.World, Text: c.texts.Task, Lives: executor != nil && executor.lives()})
	if w.next.Do == workflow.DoSession {
		w.session = &core.Request{Kind: core.ModePhase, Text: visit(d), Since: int64(d.Visit)}
	}
	if c.state.World.Hold == nil && !w.busy && !w.resting {
		c.takeStep()
	}
}

// visit tells the sessions of one visit of a phase from every other.
func visit(d *workflow.Document) string { return fmt.Sprintf("%s.%d", d.ID, d.Visit) }

// readWork takes in the workflow when something was said of it.
func (c *Conductor) readWork() error {
	w := &c.flow
	data, err := c.project.Store.ReadFile(workflow.ActiveFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if stamp := string(data) + " read"; stamp == w.stamp {
		return nil
	}
	open, err := w.book.Find()
	switch {
	case errors.Is(err, workflow.ErrNoneOpen) && w.current != nil:
		open, err = w.book.Load(w.current.ID) // It is over now.
	case errors.Is(err, workflow.ErrNoneOpen):
		w.stamp = string(data) + " read"
		return nil
	}
	if err != nil {
		return err
	}
	lines, err := open.Journal()
	if err != nil {
		return err
	}
	for _, line := range lines {
		if n := len(w.lines); n == 0 || w.current.ID != open.ID || line.Seq > w.lines[n-1].Seq {
			c.witness(line.Session, line.Event)
		}
	}
	w.current, w.lines, w.stamp = &open, lines, string(data)+" read"
	return nil
}

// takeStep starts what Drive says, if it is ferrus's own.
func (c *Conductor) takeStep() {
	w, next := *c.flow.current, c.flow.next
	var step func(context.Context) error
	switch next.Do {
	case workflow.DoEnter, workflow.DoRecord:
		step = func(ctx context.Context) error { return c.recordWork(ctx, w.ID, next.Command) }
	case workflow.DoCreate:
		step = func(ctx context.Context) error { return c.createTask(ctx, w, next.Task) }
	case workflow.DoReset:
		step = func(ctx context.Context) error { return c.putAway(ctx, w) }
	case workflow.DoGate:
		step = func(ctx context.Context) error { return c.proveWork(ctx, w) }
	case workflow.DoPublish:
		step = func(ctx context.Context) error { return c.publishWork(ctx, w) }
	default:
		return
	}
	c.flow.busy = true
	c.ended.Go(func() {
		err := step(c.ctx)
		c.later(func() {
			c.flow.busy = false
			if err != nil {
				c.workFailed(err)
			}
			c.reload()
		})
	})
}

// workFailed rests for a moment: what was refused depends on what is not there
// yet. Anything but a refusal is shown.
func (c *Conductor) workFailed(err error) {
	if held := (*store.LockedError)(nil); !isRefusal(err) && !errors.As(err, &held) && c.ctx.Err() == nil {
		c.once(err.Error())
	}
	c.flow.resting = true
	c.after(workAgain, func() { c.flow.resting = false })
}

func (c *Conductor) recordWork(ctx context.Context, id string, command workflow.Command) error {
	command.By = project.FerrusActor()
	_, err := c.flow.book.Do(ctx, id, store.Call{}, command)
	return err
}

// planner is in whose name a task of the plan goes into the loop: who planned it.
func planner(t workflow.Task) core.Actor {
	id := t.By
	if id == "" || id == project.HumanActor().ID {
		id = "supervisor"
	}
	return core.Actor{Role: machine.Supervisor, ID: id}
}

func (c *Conductor) createTask(ctx context.Context, w workflow.Workflow, t workflow.Task) error {
	_, err := c.project.Do(ctx, store.Call{}, core.Command{Kind: "create_task", By: planner(t), Text: w.TaskText(t)})
	return err
}

// putAway resets the failed task that the workflow gave to the loop.
func (c *Conductor) putAway(ctx context.Context, w workflow.Workflow) error {
	_, err := c.project.Do(ctx, store.Call{}, core.Command{Kind: "reset", By: core.Actor{Role: machine.Supervisor, ID: "supervisor"}})
	return err
}

// proveWork runs the commands that were pinned at the start.
func (c *Conductor) proveWork(ctx context.Context, w workflow.Workflow) error {
	if w.Definition != nil {
		if trusted, err := c.project.Trusted(*w.Definition); err != nil || !trusted {
			return errors.Join(err, errors.New("the gate of the workflow waits: let its check commands run with ferrus trust"))
		}
	}
	var titles []string
	if w.Definition != nil {
		titles = w.Definition.Titles()
	}
	c.gate.begin(0, 0, titles, time.Now())
	record, err := gate.Force(ctx, c.project, gate.Options{
		Definition: w.Definition, Name: fmt.Sprintf("%s-%d", w.ID, w.Seq),
		Progress: func(p checks.Progress) { c.gate.progress(p); c.poke() },
	})
	c.gate.forced(record, err)
	if err != nil {
		return err
	}
	if record.Verdict == checks.Cancelled {
		return errors.New("the gate of the workflow was cancelled")
	}
	passed := record.Verdict == checks.Pass || record.Verdict == checks.Unproven && record.Allowed
	report := record.Report
	if !passed {
		report = strings.TrimSpace(record.Why + "\n" + report)
	}
	return c.recordWork(ctx, w.ID, workflow.Command{Kind: "validated", Gate: &workflow.Validation{TestsPass: &passed, Tree: record.After.Hash, Log: record.Log, Report: report}})
}

func (c *Conductor) publishWork(ctx context.Context, w workflow.Workflow) error {
	s, err := c.flow.book.Forge.Publish(ctx, w)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	kind := machine.Kind("published")
	if err != nil {
		kind, s.PRURL, s.LastError = "publish_failed", "", err.Error()
	}
	return c.recordWork(ctx, w.ID, workflow.Command{Kind: kind, Synthesis: &s})
}

// workWants are the wants of the person with that of the workflow, which waits
// until the planner's place is free.
func (c *Conductor) workWants() []core.Request {
	if c.flow.session == nil || slices.ContainsFunc(c.wants, func(w core.Request) bool { return w.Slot() == core.SlotPlanner }) {
		return c.wants
	}
	return append(slices.Clone(c.wants), *c.flow.session)
}

// phaseData is what the prompt of a phase's session is made of.
func (c *Conductor) phaseData(data agent.PromptData) agent.PromptData {
	if c.flow.current == nil {
		return data
	}
	w := c.flow.current
	data.Text, data.Phase, data.Work = "", string(w.Phase), w.Brief()
	return data
}

// edits reports that the session of a job may change files though it is a
// supervisor's.
func (c *Conductor) edits(job core.Job) bool {
	w := c.flow.current
	return job.Mode == core.ModePhase && w != nil && w.Flow().Phase(w.Phase).Run == flows.RunEdit
}
