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
	"ferrus/ui/text"
)

// headless is a conductor without a screen: it prints what happens until the
// task is over or a person is needed.
type headless struct {
	*streams
	project        *project.Project
	conductor      *conductor.Conductor
	workflowSeq    uint64    // the newest line of the workflow's journal that was printed
	journalSeq     uint64    // the newest line of the journal that was printed
	noticesPrinted int       // notices that were printed
	demo           bool      // nobody wants its work
	attended       bool      // somebody else answers questions
	planned        time.Time // since when a supervisor is to write the task; Idle is only the beginning
}

// run runs until there is an end, and leaves no process behind.
func (h *headless) run(ctx context.Context) (err error) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	quit := false // hold the task, so that nothing goes on by itself
	defer func() {
		if closed := h.conductor.Close(quit); err == nil {
			err = closed
		}
		h.print()
	}()
	for {
		h.print()
		if over, err := h.finished(h.conductor.View()); over {
			return err
		}
		select {
		case s := <-signals:
			quit = s == syscall.SIGINT
			return signalled(quit)
		case <-ctx.Done():
			return ctx.Err()
		case <-h.conductor.Changed():
		}
	}
}

// signalled is the end by a signal.
func signalled(quit bool) error {
	if quit {
		return &exitError{code: codeInterrupted, what: "interrupted: the sessions are ended and the task is on hold", hints: []string{"ferrus run goes on"}}
	}
	return &exitError{code: codeInterrupted, what: "ended by a signal: the sessions are ended", hints: []string{"ferrus run goes on"}}
}

// quietEvents events change no state and say nothing to who watches.
var quietEvents = map[string]bool{"claim": true, "release": true, "deliver": true, "select": true, "import": true, "create_spec": true}

// print writes what is new, one line per transition.
func (h *headless) print() {
	v := h.conductor.View()
	for _, l := range v.Journal {
		if l.Seq <= h.journalSeq {
			continue
		}
		h.journalSeq = l.Seq
		if !quietEvents[l.Event] {
			fmt.Fprintln(h.out, transitionLine(l))
		}
	}
	for _, l := range v.Story {
		if l.Seq > h.workflowSeq {
			h.workflowSeq = l.Seq
			fmt.Fprintln(h.out, transitionLine(l))
		}
	}
	for ; h.noticesPrinted < len(v.Notices); h.noticesPrinted++ {
		if n := v.Notices[h.noticesPrinted]; n.Error {
			fmt.Fprintln(h.err, "ferrus: "+text.Sanitize(n.Text))
		}
	}
}

// finished reports whether there is nothing to wait for, and how that counts.
func (h *headless) finished(v conductor.View) (bool, error) {
	w := v.State.World
	switch {
	case v.StateError != "":
		return true, &exitError{code: codeError, what: v.StateError}
	case v.Workflow != nil:
		return h.workflowOver(v)
	case w.State == "Complete" && sessionsRunning(v):
		return false, nil // who has done its work ends by itself, and says what that took
	case w.State == "Complete":
		words := "the task is complete"
		if !h.demo {
			words += "; bring it home with: ferrus land"
		}
		fmt.Fprintln(h.out, words)
		return true, nil
	case w.State == "Failed":
		return true, failedTask(w)
	case w.State == "Idle" && w.Hold == nil:
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

// sessionsRunning reports whether a session has not ended.
func sessionsRunning(v conductor.View) bool {
	return slices.ContainsFunc(v.Panes, func(p conductor.PaneView) bool { return p.PID != 0 })
}

// needsApproval says what only the person may approve.
func (h *headless) needsApproval(w core.World) error {
	fmt.Fprintln(h.out, "\nthe reviewer accepts the work, and only you may approve it:")
	for _, a := range w.PersonAlarms() {
		fmt.Fprintln(h.out, "  "+text.Sanitize(a.String()))
	}
	return &exitError{
		code: codeWaiting, what: "the task needs your approval: it touches what the checks rest on",
		hints: []string{"ferrus report shows the evidence; then: ferrus approve, or ferrus reject <notes>"},
	}
}

func heldTask(w core.World) error {
	what := fmt.Sprintf("the task is on hold (%s, by %s)", w.Hold.Reason, w.Hold.By)
	if w.Hold.Cause != "" {
		what += ": " + w.Hold.Cause
	}
	return &exitError{code: codeWaiting, what: what, hints: []string{"ferrus explain says why; then: ferrus resume, ferrus run"}}
}

// planningEnded is Idle: over, unless a supervisor still writes the task.
func (h *headless) planningEnded() (bool, error) {
	if h.planned.IsZero() {
		return true, &exitError{code: codeError, what: "the task was put away"}
	}
	registry, err := h.project.Registry()
	if err != nil || len(registry.Wants) > 0 || !h.plannerEnded(registry) {
		return err != nil, err
	}
	state, err := h.project.World() // the view may be older than the registry
	if err != nil || state.World.State != "Idle" {
		return err != nil, err
	}
	return true, &exitError{code: codeError, what: "the supervisor ended without creating a task"}
}

// plannerEnded tells a session of ours that is over from one that is still to begin.
func (h *headless) plannerEnded(r project.Registry) bool {
	for _, e := range r.Agents {
		if e.Slot == core.SlotPlanner && !e.StartedAt.Before(h.planned) {
			return e.Status != project.Running
		}
	}
	return false
}

// needsAnswer prints the question; its session is ended, and started again by
// the answer.
func (h *headless) needsAnswer(v conductor.View) error {
	fmt.Fprintf(h.out, "\nthe %s asks:\n\n%s\n\n", v.State.World.Question.Role, indent(text.SanitizeLines(v.Texts.Question)))
	return &exitError{code: codeWaiting, what: "the task needs your answer", hints: []string{"run: ferrus answer <text>, and then: ferrus run"}}
}
