package conductor

import (
	"context"
	"errors"
	"time"

	"ferrus/checks"
	"ferrus/hq/conductor/gateview"
	"ferrus/hq/conductor/turn"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/project"
	"ferrus/store"
)

// gateRetry is the interval at which the conductor checks whether another process that runs
// the gate has died.
const gateRetry = 2 * time.Second

// gateRunner runs the gate that the state calls for, off the loop.
type gateRunner struct {
	*observed
	view    *gateview.Watch
	line    *turn.Gates // of the gates of all tasks
	others  func() bool // whether sessions of other tasks run; from any goroutine
	changed func()
	current *gateRun // nil: none runs
}

// gateRun is the ticket that this conductor runs.
type gateRun struct {
	ticket    uint64
	cancel    context.CancelFunc
	cancelled bool        // its end is no failure
	retry     *time.Timer // forgets it; nil: it runs
}

// reconcile starts the gate that should be running, and cancels one of an older ticket.
func (g *gateRunner) reconcile(s *settings) {
	w := g.world()
	if !w.GateRunning() || g.current != nil && g.current.ticket == w.Gate.Ticket {
		return
	}
	g.cancel()
	g.run(*w.Gate, gateCommands(w, s))
}

// cancel cancels the gate that runs in this process.
func (g *gateRunner) cancel() {
	if g.current == nil {
		return
	}
	g.current.cancelled = true
	g.current.cancel()
	if g.current.retry != nil {
		g.current.retry.Stop()
		g.current = nil
	}
}

func (g *gateRunner) run(of core.Gate, commands []string) {
	ctx, cancel := context.WithCancel(g.loop.Context)
	this := &gateRun{ticket: of.Ticket, cancel: cancel}
	g.current = this
	g.view.Start(of.Ticket, of.Attempt, commands, time.Now())
	g.loop.Go(func() {
		defer cancel()
		progress := func(p checks.Progress) { g.view.Progress(p); g.changed() }
		setup := func(of int, p checks.Progress) { g.view.Setup(of, p); g.changed() }
		rank := turn.Check
		if of.Submit {
			rank = turn.Submit
		}
		place := g.line.Join(rank, func(ahead int) { g.view.Wait(of.Ticket, ahead, time.Now()); g.changed() })
		defer g.line.Leave(place)
		select {
		case <-place.Turn:
		case <-ctx.Done():
		}
		err := gate.Run(ctx, g.project, of.Ticket, gate.Options{Progress: progress, Setup: setup,
			Crowded: func() bool { return g.line.Crowded(place) || g.others() || gate.Loaded() },
			Alone:   func(ctx context.Context) error { return g.line.WaitAlone(ctx, place) },
		})
		g.loop.Post(func() { g.finished(this, err) })
	})
}

// finished handles the end of a run. If another process runs the gate, the next reconcile
// after gateRetry tries again: if that process died, the ticket is ours.
func (g *gateRunner) finished(this *gateRun, err error) {
	held := errors.As(err, new(*store.LockedError))
	if err == nil || this.cancelled || !held && g.loop.Context.Err() != nil {
		g.forget(this)
		g.reload()
		return
	}
	if !held {
		g.reportError(err)
	}
	this.retry = g.loop.After(gateRetry, func() { g.forget(this) })
}

func (g *gateRunner) forget(this *gateRun) {
	if g.current == this {
		g.current = nil
	}
}

// gateCommands returns the commands of the gate: those pinned with the task, if it has any.
func gateCommands(w *core.World, s *settings) []string {
	d := project.GateDefinition(s.config)
	if w.Task != nil && w.Task.Definition != nil {
		d = *w.Task.Definition
	}
	if w.Gate != nil && w.Gate.Quick {
		d.Commands = d.Quick
	}
	return d.Titles()
}

// noteVerdict shows a verdict that the journal has.
func (g *gateRunner) noteVerdict(line store.Entry) {
	last := g.world().Gate
	if last != nil && (line.Event == string(core.KindChecked) || line.Event == string(core.KindCheckCancelled)) {
		g.view.End(*last, line.Why, time.Now())
	}
}

// recall shows the newest gate of the task, unless that is still to run.
func (g *gateRunner) recall() {
	last := g.world().Gate
	if last == nil || last.Verdict == "" {
		g.view.Remember(gate.Took(g.project, time.Now()))
		return
	}
	record, err := gate.Read(g.project, last.Ticket)
	if err != nil {
		g.view.Remember(gate.Took(g.project, time.Now()))
		g.view.End(*last, string(last.Verdict), time.Now()) // its record is gone; the verdict stands
		return
	}
	g.view.Remember(gate.Took(g.project, record.Started))
	g.view.Recall(record)
}
