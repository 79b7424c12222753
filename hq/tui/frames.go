package tui

import (
	"slices"
	"time"

	"ferrus/hq/conductor"
	"ferrus/hq/tui/projection"
	"ferrus/ui"
	"ferrus/ui/view"
	"ferrus/ui/vt"
)

// sendFrames sends the newest view to the screen: at once after a pause, and under load no
// more often than the screen is drawn or the terminal accepts frames.
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
		v := a.Engine.View()
		shown := a.project(&p, v, now)
		a.shown.Store(terminals(shown))
		a.clients.awaken()
		shown.Notices = slices.DeleteFunc(slices.Clone(shown.Notices), func(n view.Notice) bool {
			return a.Via != "" && n.By == a.Via // it was done here
		})
		a.program.Send(ui.ViewMsg{View: shown})
		clock.Stop()
		if next := projection.NextTick(v, now); next > 0 {
			clock.Reset(next)
		}
		left.spend(1)
		pending = a.rest(&left)
		if a.ctx.Err() != nil {
			return
		}
	}
}

// project returns what the screen shows of v at now.
func (a *app) project(p *projection.Projector, v conductor.View, now time.Time) view.View {
	s := a.Settings(v.State.World.Pinned())
	a.settings.Store(&s)
	shown := p.Project(v, now)
	shown.Agents, shown.Models, shown.Preferences = s.Agents, s.Models, s.Preferences
	return shown
}

// rest waits until a view may be sent again, and reports whether there is something new.
func (a *app) rest(left *credit) (pending bool) {
	t := time.NewTimer(time.Hour)
	defer t.Stop()
	for {
		wait := left.missing(1, time.Now())
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

// drawOutput draws what sessions print. It needs no new view: the panes of the newest one draw
// their terminals as they are.
func (a *app) drawOutput() {
	var drawn outputs
	for {
		select {
		case <-a.ctx.Done():
			return
		case <-a.Engine.Printed():
		}
		a.terminal.AwaitRoom(a.ctx)
		if h, any := drawn.haste(a.shown.Load(), a.focused.Load()); any {
			a.drawing.printed(h, a.program.Send)
		}
		a.clients.printed()
	}
}

// outputs are the generations of the terminals at the last look.
type outputs map[*vt.Locked]uint64

// haste reports whether a terminal has changed since the last call, and how soon that must be shown.
func (o *outputs) haste(shown *[]*vt.Locked, focused *vt.Locked) (h ui.Haste, changed bool) {
	if shown == nil {
		return h, false
	}
	seen := outputs{}
	for _, t := range *shown {
		seen[t] = t.Gen()
		if before, known := (*o)[t]; known && before == seen[t] {
			continue
		}
		if changed = true; t == focused {
			h = ui.HasteNow
		} else if h != ui.HasteNow {
			h = ui.HasteOutput
		}
	}
	*o = seen
	return h, changed
}

// terminals returns the terminals of the panes of a view.
func terminals(v view.View) *[]*vt.Locked {
	var all []*vt.Locked
	for _, p := range v.Panes {
		if p.Terminal != nil {
			all = append(all, p.Terminal)
		}
	}
	return &all
}
