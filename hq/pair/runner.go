package pair

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ferrus/agent"
	"ferrus/machine"
	loop "ferrus/machine/pair"
	"ferrus/machine/session"
	"ferrus/store"
)

// Go runs the loop until it is over, from wherever it is: nil when it is complete,
// [ErrComplete] when it was before, a *[Failed], a *[NeedsPerson], or
// [ErrCancelled] or [ErrLeft] when ctx ended, after which the run can be resumed. It leaves no
// process behind.
func (r *Run) Go(ctx context.Context) error {
	lock, err := r.lock(ctx)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := r.begin(); err != nil {
		return err
	}
	for !r.machine.Terminal() {
		if err := r.once(ctx); err != nil {
			return err
		}
	}
	if r.machine.Current() == loop.StateComplete {
		return nil
	}
	return &Failed{Reason: r.Manifest.Loop.Reason, Why: r.Manifest.Error}
}

// begin reads the run again, which nobody else can change now, ends what a crash
// left of it, and has a failed one go on.
func (r *Run) begin() error {
	m, err := read(r.disk, r.Manifest.ID)
	if err != nil {
		return err
	}
	limit := r.Manifest.MaxIterations
	r.Manifest, r.machine = m, m.machine()
	if limit > 0 {
		r.Manifest.MaxIterations = limit // a person may have raised it
	}
	if err := r.mend(); err != nil {
		return err
	}
	if turn := r.Manifest.Turn; turn != nil {
		if err := turn.bury(); err != nil {
			return err
		}
	}
	if err := r.accept(); err != nil {
		return err
	}
	switch {
	case r.machine.Current() == loop.StateComplete:
		return ErrComplete
	case r.machine.Current() == loop.StateFailed:
		return r.step(machine.Human, loop.Resume{}, "", func(m *Manifest) { m.Error, m.CompletedAt = "", nil })
	case r.Manifest.Seq > 0:
		return r.note(Entry{Type: "resumed", To: r.machine.Current()})
	}
	return nil
}

// bury ends what a turn has left at work whose run died.
func (t *Turn) bury() error {
	if err := agent.KillTree(t.PID, t.Session); err != nil {
		return fmt.Errorf("end what the last process of the pair left: %w", err)
	}
	return nil
}

// once does what is to be done now. The end of ctx is the person's.
func (r *Run) once(ctx context.Context) error {
	var err error
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case r.machine.Current() == loop.StateInit:
		err = r.start()
	case r.machine.Snap().Data.Pending != loop.NoneYet:
		err = r.prove(ctx)
	default:
		err = r.turn(ctx)
	}
	if ctx.Err() == nil || r.machine.Terminal() {
		return err
	}
	if errors.Is(context.Cause(ctx), ErrLeft) {
		r.Manifest.Turn = nil
		return errors.Join(ErrLeft, r.save())
	}
	if err := r.step(machine.Human, loop.Cancel{}, "cancelled", func(m *Manifest) { m.Turn = nil }); err != nil {
		return err
	}
	return ErrCancelled
}

// start looks whether the agents can be started at all.
func (r *Run) start() error {
	agents := []string{r.Manifest.Primary}
	if r.Manifest.Mode != loop.Single {
		agents = append(agents, r.Manifest.Secondary)
	}
	launcher := r.launcher()
	for _, name := range agents {
		if err := launcher.Ready(name); err != nil {
			return r.step(machine.Ferrus, loop.StartFailed{}, err.Error(), nil)
		}
	}
	return r.step(machine.Ferrus, loop.Started{}, "", nil)
}

func (r *Run) launcher() Launcher {
	if r.Launcher != nil {
		return r.Launcher
	}
	return Hosted{Setup: r.Manifest.Setup}
}

// step puts an event to the machine and commits what it leads to, with what else
// changes. Why a run failed is in why.
func (r *Run) step(by machine.Role, e machine.Event, why string, change func(*Manifest)) error {
	return r.commit(by, e, Entry{Text: why}, change)
}

func (r *Run) commit(by machine.Role, e machine.Event, entry Entry, change func(*Manifest)) error {
	m, from := &r.Manifest, r.machine.Current()
	if err := r.machine.Step(m.policy(), by, e); err != nil {
		return err
	}
	if change != nil {
		change(m)
	}
	r.keep()
	m.Seq++
	to := r.machine.Current()
	entry.Seq, entry.At, entry.Run, entry.Type = m.Seq, time.Now().UTC(), m.ID, "state"
	entry.Event, entry.From, entry.To, entry.Iteration = e.Kind(), from, to, m.Iteration
	if to == loop.StateFailed {
		m.Error = hidden(failure(m.Loop.Reason, entry.Text))
		entry.Text = m.Error
	}
	if loop.Terminal(to) {
		m.CompletedAt = &entry.At
	}
	entry.Text = hidden(entry.Text)
	m.Last = &entry
	if err := r.save(); err != nil {
		return err
	}
	return r.append(entry)
}

// failure words why a run failed.
func failure(reason loop.Reason, why string) string {
	switch reason {
	case loop.MaxIterations:
		return "max iterations reached"
	case loop.Silence:
		return fmt.Sprintf("%d turns in a row ended without a signal", loop.SilentLimit)
	case loop.Cancelled:
		return string(loop.Cancelled)
	case loop.GivenUp:
		return "an agent gave up: " + why
	}
	return why
}

// newSession is the session machine of an agent, with its number carried on: its
// last process is gone.
func (m *Manifest) newSession(who string) session.Snap {
	before, ok := m.Sessions[who]
	if !ok {
		return session.New(1, 0)
	}
	return session.New(before.Data.Session+1, before.Data.Total)
}

func (m *Manifest) keepSession(who string, s session.Snap) {
	if m.Sessions == nil {
		m.Sessions = map[string]session.Snap{}
	}
	m.Sessions[who] = s
}

// busy reports that another process has a lock.
func busy(err error) bool {
	var held *store.LockedError
	return errors.As(err, &held)
}
