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
	"ferrus/hq/conductor/gateview"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/land"
	"ferrus/hq/merge"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/hq/workflow"
	"ferrus/machine"
	"ferrus/machine/flow"
	"ferrus/store"
)

// stepRetry is how long the conductor waits before it tries a step of a workflow
// again that was refused or failed.
const stepRetry = time.Second

// openWorkflow follows the open workflow and takes the steps that are ferrus's own: one at
// a time, off the loop. A kill in the middle of a step is harmless: the next conductor
// computes the step again from the documents.
type openWorkflow struct {
	*observed
	gate     *gateview.Watch
	rows     func() []queue.Row // of the queue
	changed  func()
	progress func(session, event string) // gets each new line of the workflow's journal
	store    *workflow.Store

	current *workflow.Workflow // nil: none has been open since the start
	next    workflow.Next
	session *core.Request // the session that the phase needs; nil: none

	lastRead
	stepping
}

// lastRead is what was read last.
type lastRead struct {
	lines  []store.Entry // of the journal of the workflow
	stamp  string        // active.json
	result string        // the id of the newest workflow, if it has ended and can land
}

// stepping is how far the step of a workflow is.
type stepping struct {
	busy      bool   // it is being taken
	resting   bool   // until stepRetry has passed
	refused   string // why the last task that was approved could not land; empty: it could
	cancelled string // the workflow that the human is canceling here: the answer reports its end
}

// reconcile reads the workflow and starts its next step, if that is ferrus's own. Executor
// says whether the executor of the task is running.
func (w *openWorkflow) reconcile(executor bool) {
	if err := w.read(); err != nil {
		w.notices.AddOnce(err.Error())
		return
	}
	w.session, w.next = nil, workflow.Next{}
	if w.current == nil {
		return
	}
	d := &w.current.Document
	executor = executor && !d.Apart() // their tasks land once nothing of them is running
	loop := workflow.TaskLoop{World: *w.world(), Text: w.texts.Task, Lives: executor, Rows: w.rows()}
	w.next = workflow.PlanNext(d, loop)
	if w.next.Do == workflow.DoLand && w.refused != "" {
		w.next.Role, w.next.WaitingFor = machine.Human, w.next.WaitingFor+": "+w.refused
	}
	if w.next.Do == workflow.DoSession {
		w.session = &core.Request{Kind: core.ModePhase, Text: visit(d)}
	}
	if w.world().Hold == nil && !w.busy && !w.resting {
		w.takeStep()
	}
}

// visit returns the id of one visit of a phase; see [session.Job.Origin].
func visit(d *workflow.Document) string { return fmt.Sprintf("%s.%d", d.ID, d.Visit) }

// read reads the workflow if it has changed, and reports the new lines of its journal.
func (w *openWorkflow) read() error {
	data, err := w.project.Store.ReadFile(workflow.ActiveFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	stamp := string(data) + " read"
	if stamp == w.stamp {
		if w.result != "" && w.store.HasLanded(w.result) {
			w.result = ""
		}
		return nil
	}
	open, err := w.store.Find()
	if w.result = ""; errors.Is(err, workflow.ErrNoneOpen) {
		w.result, _ = w.store.Result() // Find has read the same
	}
	switch {
	case errors.Is(err, workflow.ErrNoneOpen) && w.current != nil:
		open, err = w.store.Load(w.current.ID) // it has ended since
	case errors.Is(err, workflow.ErrNoneOpen):
		w.stamp = stamp
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
			w.progress(line.Session, line.Event)
		}
	}
	if w.current != nil && !w.current.IsFinal() && open.IsFinal() && open.ID != w.cancelled {
		w.notices.Add(false, "%s", endOf(&open))
	}
	w.current, w.lines, w.stamp = &open, lines, stamp
	return nil
}

// endOf says how a workflow ended.
func endOf(w *workflow.Workflow) string {
	words := fmt.Sprintf("The %s workflow is %s: %s", w.Type, w.Phase, w.Title)
	switch pull := w.Artifacts["pr"]; {
	case w.Lands():
		return words + "; /land lands it on its branch"
	case w.StaysHere():
		return words + "; its changes are in your checkout, not committed"
	case pull != "":
		return words + "; published as " + pull
	}
	return words
}

// takeStep starts the next step on its own goroutine, if it is ferrus's own.
func (w *openWorkflow) takeStep() {
	of, next := *w.current, w.next
	var step func(context.Context) error
	switch next.Do {
	case workflow.DoEnter, workflow.DoRecord:
		step = func(ctx context.Context) error { return w.record(ctx, of.ID, next.Command) }
	case workflow.DoCreate:
		step = func(ctx context.Context) error { return w.createTask(ctx, of, next.Task) }
	case workflow.DoReset:
		step = w.resetTask
	case workflow.DoQueue:
		step = func(ctx context.Context) error { return w.enqueue(ctx, of) }
	case workflow.DoLand:
		step = func(ctx context.Context) error { return w.land(ctx, next.Item) }
	case workflow.DoGate:
		step = func(ctx context.Context) error { return w.check(ctx, of) }
	case workflow.DoPublish:
		step = func(ctx context.Context) error { return w.publish(ctx, of) }
	default:
		return
	}
	w.busy = true
	w.loop.Go(func() {
		err := step(w.loop.Context)
		w.loop.Post(func() {
			w.busy, w.refused = false, ""
			if refused := (*land.RefusedError)(nil); errors.As(err, &refused) {
				w.refused = refused.Error() + "; " + refused.Fix
			}
			if err != nil {
				w.failed(err)
			}
			w.reload()
		})
	})
}

// failed waits for stepRetry before the next step: a refused step depends on something that
// is not there yet. Any error but a refusal is shown.
func (w *openWorkflow) failed(err error) {
	quiet := machine.IsRefusal(err) || errors.As(err, new(*store.LockedError)) || errors.Is(err, errQueued)
	if !quiet && w.loop.Context.Err() == nil {
		w.notices.AddOnce(err.Error())
	}
	w.resting = true
	w.loop.After(stepRetry, func() { w.resting = false })
}

func (w *openWorkflow) record(ctx context.Context, id string, command workflow.Command) error {
	command.By = project.FerrusActor()
	_, err := w.store.Do(ctx, id, store.Call{}, command)
	return err
}

func (w *openWorkflow) createTask(ctx context.Context, of workflow.Workflow, t workflow.Task) error {
	_, err := w.project.Do(ctx, store.Call{}, core.Command{
		Kind: core.KindCreateTask, By: t.Planner(), Text: of.TaskText(t), Origin: of.Origin(t),
	})
	return err
}

// errQueued reports that all tasks are in the queue, but its rows do not show them yet.
var errQueued = errors.New("the tasks are queued")

// enqueue adds the tasks of the plan to the queue.
func (w *openWorkflow) enqueue(ctx context.Context, of workflow.Workflow) error {
	added, err := w.store.Enqueue(ctx, &of.Document)
	if err == nil && added == 0 {
		err = errQueued
	}
	return err
}

// land stages an approved task for the branch of the workflow. On a conflict or a failed check there,
// the task returns to its executor.
func (w *openWorkflow) land(ctx context.Context, n int) error {
	q, err := queue.Open(w.project)
	if err != nil {
		return err
	}
	i, err := q.Item(n)
	if err != nil && !errors.Is(err, queue.ErrUnknown) {
		return err
	}
	if err != nil || !i.IsParked() {
		return errQueued
	}
	return errors.Join(merge.Stage(ctx, q, i, project.HumanActor(), ""),
		w.project.Store.WriteFile(queue.WakeFile, nil))
}

// resetTask archives the failed task that the workflow gave to the loop.
func (w *openWorkflow) resetTask(ctx context.Context) error {
	by := core.Actor{Role: machine.Supervisor, ID: "supervisor"}
	_, err := w.project.Do(ctx, store.Call{}, core.Command{Kind: core.KindReset, By: by})
	return err
}

// check runs the commands that were pinned when the workflow started, and records the verdict.
func (w *openWorkflow) check(ctx context.Context, of workflow.Workflow) error {
	var titles []string
	if d := of.Definition; d != nil {
		if trusted, err := w.project.Trusted(*d); err != nil || !trusted {
			return errors.Join(err, errors.New("the workflow's gate waits: trust its check commands with ferrus trust"))
		}
		titles = d.Titles()
	}
	progress, over := w.gate.Track("", titles, w.changed)
	record, err := gate.Force(ctx, w.project, gate.Options{
		Definition: of.Definition, Name: fmt.Sprintf("%s-%d", of.ID, of.Seq), Progress: progress,
		Dir: w.store.Workspace(&of.Document),
	})
	over(record, err)
	if err != nil {
		return err
	}
	if record.Verdict == checks.Cancelled {
		return errors.New("the workflow's gate was cancelled")
	}
	passed := record.Green()
	report := record.Report
	if !passed {
		report = strings.TrimSpace(record.Why + "\n" + report)
	}
	return w.record(ctx, of.ID, workflow.Command{Kind: flow.KindValidated, Gate: &workflow.Validation{
		TestsPass: &passed, Tree: record.Tree.Hash, Log: record.Log, Report: report,
	}})
}

func (w *openWorkflow) publish(ctx context.Context, of workflow.Workflow) error {
	s, err := w.store.Forge.Publish(ctx, &of.Document)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	kind := flow.KindPublished
	if err != nil {
		kind, s.PRURL, s.LastError = flow.KindPublishFailed, "", err.Error()
	}
	return w.record(ctx, of.ID, workflow.Command{Kind: kind, Synthesis: &s})
}

// requests returns the human's requests and the workflow's own. The latter waits while the
// human has a request for the planner's slot.
func (w *openWorkflow) requests(human requests) requests {
	if w.session == nil || human.has(core.SlotPlanner) {
		return human
	}
	return append(slices.Clone(human), *w.session)
}

// phaseData adds what the prompt of a phase's session needs.
func (w *openWorkflow) phaseData(data agent.PromptData) agent.PromptData {
	if w.current != nil {
		data.Text, data.Phase, data.Work = "", string(w.current.Phase), w.current.Brief()
	}
	return data
}

// workspace returns where the session of a phase works.
func (w *openWorkflow) workspace() string {
	if w.current == nil {
		return w.project.Dir
	}
	return w.store.Workspace(&w.current.Document)
}

// canEdit reports whether the session of a job may change files, although its role is
// supervisor.
func (w *openWorkflow) canEdit(job core.Job) bool {
	return job.Mode == core.ModePhase && w.current != nil && w.current.CanEdit()
}
