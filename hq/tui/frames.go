package tui

import (
	"sync/atomic"
	"time"

	"ferrus/hq/conductor"
	"ferrus/hq/tui/projection"
	"ferrus/ui"
	"ferrus/ui/view"
	"ferrus/ui/vt"
)

// sendFrames sends what is true to the screen: at once after a pause, and under load no more
// often than the screen is drawn, or than the terminal takes it.
func (a *app) sendFrames() {
	clock := time.NewTimer(0)
	defer clock.Stop()
	var p projection.Projector
	left := credit{burst * minFrame, time.Now()}
	for pending := false; ; {
		if !pending {
			select {
			case <-a.ctx.Done():
				return
			case <-a.Engine.Updates():
			case <-clock.C:
			}
		}
		a.terminal.AwaitRoom(a.ctx)
		now := a.Now()
		echoed := a.focused.changed()
		v := a.Engine.View()
		shown := a.project(&p, v, now)
		a.clients.show(shown)
		a.program.Send(ui.ViewMsg{View: shown})
		clock.Stop()
		if next := projection.NextTick(v, now); next > 0 {
			clock.Reset(next)
		}
		left.spend()
		pending = a.rest(&left, echoed)
		if a.ctx.Err() != nil {
			return
		}
	}
}

// project returns what the screen shows of v at now.
func (a *app) project(p *projection.Projector, v conductor.View, now time.Time) view.View {
	s := a.Settings()
	a.settings.Store(&s)
	shown := p.Project(v, now)
	shown.Agents, shown.Models, shown.Preferences = s.Agents, s.Models, s.Preferences
	return shown
}

// rest waits until a view may be sent again, and reports whether there is something new. The last
// of the credit is kept for the pane with the keys: echoed says that it has changed since a call.
func (a *app) rest(left *credit, echoed func() bool) (pending bool) {
	t := time.NewTimer(time.Hour)
	defer t.Stop()
	for {
		wait := left.missing(2, time.Now())
		if pending && echoed() {
			wait = left.missing(1, time.Now())
		}
		if wait <= 0 {
			return pending
		}
		t.Reset(wait)
		select {
		case <-a.ctx.Done():
			return pending
		case <-t.C:
		case <-a.Engine.Updates():
			pending = true
		}
	}
}

// focusedPane is the terminal of the pane with the keys, for the goroutine that sends views.
type focusedPane struct{ terminal atomic.Pointer[vt.Locked] }

// changed returns a function that reports whether the terminal has changed since now.
func (f *focusedPane) changed() func() bool {
	t := f.terminal.Load()
	if t == nil {
		return func() bool { return false }
	}
	before := t.Gen()
	return func() bool { return t.Gen() != before }
}
