package pair

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ferrus/agent"
	"ferrus/hq/core"
	"ferrus/hq/session"
	"ferrus/machine"
	"ferrus/machine/pair"
)

// Go continues the run until it ends. It returns nil when the run completes,
// [ErrComplete] if it was complete before, a *[FailedError], a *[NeedsHuman], or
// [ErrCancelled] or [ErrDetached] when ctx ended, after which the run can be resumed. It
// leaves no process behind. After a kill at any point, [Run.Go] continues the opened run.
func (r *Run) Go(ctx context.Context) (err error) {
	r.publish(func(v *View) { v.Running, v.End = true, End{} })
	defer func() { r.stopped(err) }()
	lock, err := r.lock(ctx)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := r.recover(); err != nil {
		return err
	}
	defer r.startAgents(ctx).loop.Close()
	for !r.machine.Terminal() {
		if err := r.next(ctx); err != nil {
			return err
		}
	}
	if r.machine.Current() == pair.StateComplete {
		return nil
	}
	return &FailedError{Reason: r.Manifest.Loop.Reason, Why: r.Manifest.Error}
}

// recover reads the run again, now that no other process can change it, ends what a crash
// left running, and resumes a failed run.
func (r *Run) recover() error {
	m, err := readManifest(r.disk, r.Manifest.ID)
	if err != nil {
		return err
	}
	limit := r.Manifest.MaxIterations
	r.Manifest, r.machine = m, m.machine()
	if limit > 0 {
		r.Manifest.MaxIterations = limit // the human may have raised it
	}
	if err := r.addLostStep(); err != nil {
		return err
	}
	if err := r.Manifest.Turn.killLeftover(); err != nil {
		return err
	}
	if err := r.recordAcceptance(); err != nil {
		return err
	}
	switch {
	case r.machine.Current() == pair.StateComplete:
		return ErrComplete
	case r.machine.Current() == pair.StateFailed:
		return r.step(machine.Human, pair.Resume{}, "", func(m *Manifest) {
			if m.CompletedAt != nil {
				m.Idle += time.Since(*m.CompletedAt)
			}
			m.Error, m.CompletedAt = "", nil
		})
	case r.Manifest.Seq > 0:
		return r.note(Entry{Type: "resumed", Step: Step{To: r.machine.Current()}})
	}
	return nil
}

// killLeftover ends what the turn of a killed run left behind; nil: there was none.
func (t *Turn) killLeftover() error {
	if t == nil {
		return nil
	}
	var local session.Local
	return local.End(core.Slot(t.Agent), t.Session, t.PID)
}

// next takes the next step of the run. The end of ctx means that the human stopped the run,
// unless its cause is [ErrDetached].
func (r *Run) next(ctx context.Context) error {
	var err error
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case r.machine.Current() == pair.StateInit:
		err = r.start()
	case r.machine.Snap().Data.Pending != pair.NoneYet:
		err = r.check(ctx)
	default:
		err = r.takeTurn(ctx)
	}
	if ctx.Err() == nil || r.machine.Terminal() {
		return err
	}
	if errors.Is(context.Cause(ctx), ErrDetached) {
		r.Manifest.Turn = nil
		return errors.Join(ErrDetached, r.save())
	}
	if err := r.step(machine.Human, pair.Cancel{}, "cancelled", func(m *Manifest) { m.Turn = nil }); err != nil {
		return err
	}
	return ErrCancelled
}

// start checks whether the agents can be started at all.
func (r *Run) start() error {
	agents := []string{r.Manifest.Primary}
	if r.Manifest.Mode != pair.Single {
		agents = append(agents, r.Manifest.Secondary)
	}
	launcher := r.launcher()
	for _, name := range agents {
		if err := launcher.Ready(name); err != nil {
			why := err.Error()
			if missing := (*agent.NotInstalledError)(nil); errors.As(err, &missing) {
				why = fmt.Sprintf("%s: %s: install it, then resume the run", missing.Binary, missing.Why)
			}
			return r.step(machine.Ferrus, pair.StartFailed{}, why, nil)
		}
	}
	return r.step(machine.Ferrus, pair.Started{}, "", nil)
}

func (r *Run) launcher() session.Launcher {
	if r.Launcher != nil {
		return r.Launcher
	}
	return r.Manifest.Setup.local(r.project)
}

// step puts an event to the machine and commits the result, with what else changes. Why is
// the reason if the run fails.
func (r *Run) step(by machine.Role, e machine.Event, why string, change func(*Manifest)) error {
	return r.commit(by, e, Entry{Text: why}, change)
}

// commit puts an event to the machine, and writes the manifest, then the entry. A kill in
// between is repaired by addLostStep.
func (r *Run) commit(by machine.Role, e machine.Event, entry Entry, change func(*Manifest)) error {
	m, from := &r.Manifest, r.machine.Current()
	if err := r.machine.Step(m.policy(), by, e); err != nil {
		return err
	}
	if change != nil {
		change(m)
	}
	r.syncMachine()
	m.Seq++
	to := r.machine.Current()
	entry.Seq, entry.At, entry.Run, entry.Type = m.Seq, time.Now().UTC(), m.ID, "state"
	entry.Event, entry.From, entry.To, entry.Iteration = e.Kind(), from, to, m.Iteration
	if to == pair.StateFailed {
		m.Error = redacted(describeFailure(m.Loop.Reason, entry.Text))
		entry.Text = m.Error
	}
	if pair.Terminal(to) {
		m.CompletedAt = &entry.At
	}
	entry.Text = redacted(entry.Text)
	m.Last = &entry
	if err := r.save(); err != nil {
		return err
	}
	r.publish(func(v *View) {
		if entry.Turn > 0 {
			v.Signal = string(entry.Signal)
		}
	})
	return r.append(entry)
}

// describeFailure returns why a run failed.
func describeFailure(reason pair.Reason, why string) string {
	switch reason {
	case pair.MaxIterations:
		return "max iterations reached"
	case pair.Silence:
		return fmt.Sprintf("%d turns in a row did not end with the line they were asked for", pair.SilentLimit)
	case pair.Cancelled:
		return string(pair.Cancelled)
	case pair.GivenUp:
		return "an agent failed the run: " + why
	}
	return why
}
