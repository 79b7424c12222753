package pair

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/machine/pair"
)

// View is a run as it can be shown. It is a copy and may be kept.
type View struct {
	ID, Task, Mode   string // Task is the first line of it
	State            machine.State
	Iteration, Limit int
	Signal           string    // of the newest turn; empty: it had none
	Running          bool      // in this process
	Began            time.Time // later by the time in which it was stopped
	End
}

// End is how a run stopped running.
type End struct {
	Ended   time.Time
	Why     string // why it is neither running nor complete
	Stopped bool   // by the human
	Resume  string // the command of HQ that continues it; empty: nothing does
}

// View returns the newest view of the run. It may be called from any goroutine.
func (r *Run) View() View { return *r.view.Load() }

// publish stores a view of the manifest, with a change, and signals it.
func (r *Run) publish(change func(*View)) {
	v := r.Manifest.view(r.machine.Current())
	if b := r.view.Load(); b != nil {
		v.Signal, v.Running, v.End = b.Signal, b.Running, b.End
	}
	if change != nil {
		change(&v)
	}
	r.view.Store(&v)
	r.changed()
}

// view returns what the manifest says of the run in a state.
func (m *Manifest) view(state machine.State) View {
	return View{ID: m.ID, Task: core.TaskTitle(m.Task), Mode: string(m.Mode), State: state, Iteration: m.Iteration,
		Limit: m.MaxIterations, Began: m.CreatedAt.Add(m.Idle)}
}

// stopped publishes how Go ended.
func (r *Run) stopped(err error) {
	r.publish(func(v *View) {
		v.Running = false
		v.End = End{Ended: time.Now(), Resume: "/pair " + r.ResumeFlags(err), Stopped: errors.Is(err, ErrCancelled)}
		var needs *NeedsHuman
		switch {
		case err == nil || errors.Is(err, ErrComplete):
			v.Resume = ""
		case errors.Is(err, ErrDetached):
		case v.Stopped:
			v.Why = stoppedWords
		case errors.As(err, &needs):
			v.Why = needs.Why
		default:
			v.Why = "the pair failed: " + WithHint(err).Error()
		}
	})
}

// ResumeFlags returns the flags with which the command pair continues the run after an error
// of Go.
func (r *Run) ResumeFlags(err error) string {
	flags := "--resume " + r.Manifest.ID
	var needs *NeedsHuman
	var failed *FailedError
	switch {
	case errors.As(err, &needs) && needs.Accept:
		flags += " --yes"
	case errors.As(err, &failed) && failed.Reason == pair.MaxIterations:
		flags += fmt.Sprintf(" --max-iterations %d", r.Manifest.MaxIterations+10)
	}
	return flags
}

// WithHint returns an error with the hint of a refusal in its sentence, for a screen
// that has one line.
func WithHint(err error) error {
	if r, ok := errors.AsType[*RefusedError](err); ok && r.Hint != "" {
		return fmt.Errorf("%s: %s", r.Why, r.Hint)
	}
	return err
}

// Waits reports whether only the human can continue the run, if it can be continued at all.
func (m *Manifest) Waits() bool {
	return pair.Terminal(pair.FromRunState(m.State)) || m.Asked != "" && m.Accepted != m.Asked
}

// Waiting returns the view of the newest run of a project, if it waits for the human and the state of the task has not
// changed after it: since says when that was.
func Waiting(p *project.Task, since time.Time) (View, bool) {
	all, err := List(p)
	if err != nil || len(all) == 0 { // ferrus pair --list says what is wrong
		return View{}, false
	}
	m := &all[0]
	v := m.view(m.machine().Current())
	v.End = End{Ended: m.UpdatedAt, Resume: "/pair --resume " + m.ID, Stopped: m.WasStopped()}
	switch {
	case v.Stopped:
		v.Why = stoppedWords
	case v.State == pair.StateFailed:
		v.Why = "the pair failed: " + cmp.Or(m.Error, string(m.Loop.Reason))
	default:
		v.Why = "the pair's change touches what only you may approve; resume the run to see it"
	}
	return v, m.Waits() && !m.IsComplete() && m.UpdatedAt.After(since)
}

// Interrupted returns the id of the newest run if its process ended in the middle of it: the next HQ continues it.
// Empty: none did.
func Interrupted(p *project.Task) string {
	all, err := List(p)
	if err != nil || len(all) == 0 || all[0].Waits() || all[0].IsComplete() || p.CheckNoPair() != nil {
		return ""
	}
	return all[0].ID
}

// stoppedWords say that the human stopped the run.
const stoppedWords = "the pair was stopped; its run is kept"

// WasStopped reports whether the human stopped the run.
func (m *Manifest) WasStopped() bool {
	return pair.FromRunState(m.State) == pair.StateFailed && m.Loop.Reason == pair.Cancelled
}

// IsComplete reports whether the run is over and cannot be resumed.
func (m *Manifest) IsComplete() bool { return pair.FromRunState(m.State) == pair.StateComplete }

// Resumable reports whether the run stopped before it was complete.
func (v View) Resumable() bool {
	return !v.Running && v.Resume != "" && v.State == pair.StateFailed
}
