package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/hq/scheduler"
	"ferrus/hq/workflow"
	"ferrus/machine"
	"ferrus/machine/flow"
	"ferrus/machine/task"
	"ferrus/ui/text"
)

// headless runs a conductor without a screen: it prints what happens until the task
// has ended or needs a human.
type headless struct {
	runPrinter
	project   *project.Task
	conductor *scheduler.Scheduler
	demo      bool      // its work is not landed
	queue     bool      // it continues with the tasks that are queued
	attended  bool      // questions are answered by someone else
	planned   time.Time // when a supervisor was asked for the task, which is Idle until then
	signals   <-chan os.Signal
	workersBy <-chan time.Time // until when workers may connect; nil: no longer
}

// workerGrace is how long a run waits for the workers that its tasks need.
const workerGrace = 30 * time.Second

// endSignals catches the signals that end a run, from the call on until stop. It is
// called before the conductor starts, since the sessions that it starts must be ended.
func endSignals() (signals <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 1) // one is enough to end
	signal.Notify(c, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	return c, func() { signal.Stop(c) }
}

// run runs until the task has ended or needs a human, and leaves no process behind.
func (h *headless) run(ctx context.Context) (err error) {
	h.workersBy = time.After(workerGrace)
	quit := false // hold the task, so that nothing continues by itself
	defer func() {
		if closed := h.conductor.Close(quit); err == nil {
			err = closed
		}
		if quit && onHold(h.project) {
			err = interruption("interrupted: sessions stopped, task on hold", "continue with: ferrus run")
		}
		h.print(h.project, h.conductor)
	}()
	for {
		h.print(h.project, h.conductor)
		if over, err := h.finished(h.conductor.View()); over {
			return err
		}
		select {
		case s := <-h.signals:
			quit = s == syscall.SIGINT
			return signalled(quit)
		case <-ctx.Done():
			return ctx.Err()
		case <-h.workersBy:
			h.workersBy = nil
		case <-h.conductor.Updates():
		}
	}
}

// signalled returns the error for an end by a signal.
func signalled(quit bool) error {
	if quit {
		return interruption("interrupted: sessions stopped", "continue with: ferrus run")
	}
	return interruption("terminated by a signal: sessions stopped", "continue with: ferrus run")
}

// onHold reports whether a task of a project is on hold.
func onHold(pr *project.Task) bool {
	state, err := pr.World()
	if err == nil && state.World.Hold != nil {
		return true
	}
	rows, _ := queueRows(pr) // ferrus task says what is wrong with the queue
	return slices.ContainsFunc(rows, func(r queue.Row) bool {
		of, err := pr.OpenTask(r.Dir)
		if r.Dir == "" || err != nil {
			return false
		}
		state, err := of.World()
		return err == nil && state.World.Hold != nil
	})
}

// finished reports whether there is nothing to wait for, and with which error.
func (h *headless) finished(v conductor.View) (bool, error) {
	w := v.State.World
	if f := v.Workflow; f != nil && f.Apart() && !f.IsFinal() && v.StateError == "" {
		return h.finishedApart(v)
	}
	if h.queue && (w.State == task.Idle || w.State == task.Complete) {
		if over, known, err := h.tasksOver(v); known {
			if over && err == nil && v.Workflow != nil {
				return h.workflowOver(v)
			}
			return over, err
		}
	}
	if h.queue && (w.State == task.Idle || w.State == task.Complete) && v.StateError == "" {
		if more, err := h.queueContinues(v); err != nil || more {
			return err != nil, err
		}
	}
	switch {
	case v.StateError != "":
		return true, failure(v.StateError, "once that is repaired, continue with: ferrus run")
	case v.Workflow != nil:
		return h.workflowOver(v)
	case w.State == task.Complete && sessionsRunning(v):
		return false, nil // a session ends by itself and reports its usage
	case w.State == task.Complete:
		words := "the task is complete"
		if !h.demo {
			words += "; land it with: ferrus land"
		}
		h.say(words)
		return true, nil
	case w.State == task.Failed:
		return true, failedTask(w)
	case w.State == task.Idle && w.Hold == nil:
		return h.planningEnded()
	case questionOpen(w) && !h.attended:
		return true, h.needsAnswer(v)
	case w.AwaitsApproval():
		return true, h.needsApproval(w)
	case w.Hold != nil && (!w.Hold.IsLimit() || !sessionsRunning(v)):
		return true, heldTask(w)
	}
	return false, nil
}

// queueContinues reports that the next task of the queue begins, or has begun since the view.
func (h *headless) queueContinues(v conductor.View) (bool, error) {
	moves, err := queueMoves(h.project)
	if err != nil || moves {
		return moves, err
	}
	now, err := h.project.World()
	return now.Seq != v.State.Seq, err
}

// sessionsRunning reports whether a session is still running.
func sessionsRunning(v conductor.View) bool {
	return slices.ContainsFunc(v.Panes, func(p conductor.PaneView) bool { return p.PID != 0 })
}

// needsApproval prints the alarms that only the human may approve.
func (h *headless) needsApproval(w core.World) error {
	h.say("\nthe reviewer accepts the work, but only you can approve it:")
	for _, a := range w.HumanAlarms() {
		h.say("  " + text.Sanitize(a.String()))
	}
	return waiting("the task needs your approval",
		"ferrus report shows the evidence; then: ferrus approve, or ferrus reject <notes>")
}

func heldTask(w core.World) error {
	what := fmt.Sprintf("the task is on hold (%s, by %s)", w.Hold.Reason, core.NameOf(w.Hold.By))
	if w.Hold.Cause != "" {
		what += ": " + w.Hold.Cause
	}
	return waiting(what, "ferrus explain says why; then: ferrus resume, ferrus run")
}

// planningEnded reports whether an Idle task has ended, or a supervisor still plans it.
func (h *headless) planningEnded() (bool, error) {
	if h.planned.IsZero() {
		return true, failure("the task was archived")
	}
	registry, err := h.project.Registry()
	if err != nil || len(registry.Wants) > 0 || !h.plannerEnded(registry) {
		return err != nil, err
	}
	state, err := h.project.World() // the view may be older than the registry
	if err != nil || state.World.State != task.Idle {
		return err != nil, err
	}
	if _, err := workflow.Open(h.project).Find(); err == nil { // and than the workflow
		return false, nil
	}
	return true, failure("the supervisor ended without creating a task")
}

// plannerEnded reports whether our planner session ran and has ended.
func (h *headless) plannerEnded(r project.Registry) bool {
	for _, e := range r.Agents {
		if e.Slot == core.SlotPlanner && !e.StartedAt.Before(h.planned) {
			return e.Status != project.Running
		}
	}
	return false
}

// needsAnswer prints the question. Its session stops, and starts again with the
// answer.
func (h *headless) needsAnswer(v conductor.View) error {
	h.say(fmt.Sprintf("\nthe %s asks:\n\n%s\n", v.State.World.Question.Role,
		indent(text.SanitizeLines(shorten(v.Texts.Question, v.State.World.Task.ID)))))
	return waiting("the task needs your answer", "run: ferrus answer <text>; then: ferrus run")
}

// workflowOver reports whether there is nothing to wait for in a workflow, and with
// which error. The end of a task does not end its workflow.
func (h *headless) workflowOver(v conductor.View) (bool, error) {
	w, task := v.Workflow, v.State.World
	switch {
	case w.IsFinal() && sessionsRunning(v):
		return false, nil // they end by themselves
	case w.IsFinal():
		err := h.printWorkflowEnd(*w)
		switch {
		case err != nil || h.demo:
		case w.Lands():
			h.say("land it with: ferrus land")
		case w.StaysHere():
			h.say("its changes are in your checkout, not committed")
		}
		return true, err
	case cancels(w):
		return false, nil // its end comes from there
	case questionOpen(task) && !h.attended:
		return true, h.needsAnswer(v)
	case task.AwaitsApproval():
		return true, h.needsApproval(task)
	case task.Hold != nil && (!task.Hold.IsLimit() || !sessionsRunning(v)):
		return true, heldTask(task)
	case h.attended && w.Cancelling == nil:
		return false, nil
	case w.Asks() != "":
		return true, h.needsDecision(*w)
	case v.Next.Do == workflow.DoNothing && v.Next.Role == machine.Human:
		return true, waiting(v.Next.WaitingFor, "ferrus status shows it; then: ferrus run")
	}
	return false, nil
}

// cancels reports whether another process cancels the workflow: it has steps left and none
// that failed.
func cancels(w *workflow.Workflow) bool {
	return w.Cancelling != nil && !slices.ContainsFunc(w.Compensation, func(s workflow.Step) bool {
		return s.Status == workflow.StepFailed
	})
}

// printWorkflowEnd prints how a workflow ended.
func (p *runPrinter) printWorkflowEnd(w workflow.Workflow) error {
	if w.Phase == flow.Cancelled {
		return failure("the workflow was cancelled")
	}
	p.say("workflow completed")
	if pr := w.Artifacts["pr"]; pr != "" {
		p.say("published: " + text.Sanitize(pr))
	}
	return nil
}

// needsDecision prints what you have to decide, with the plan.
func (h *headless) needsDecision(w workflow.Workflow) error {
	if plan := w.Artifacts["plan"]; plan != "" && w.Flow().Phase(w.Phase).Run == flow.RunHuman &&
		w.Phase != flow.Blocked {
		h.say(fmt.Sprintf("\nthe plan:\n\n%s\n", indent(text.SanitizeLines(plan))))
	}
	hints := decisionHints(&w.Document)
	return waiting(w.Asks(), append(hints, "then: ferrus run")...)
}
