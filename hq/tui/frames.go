package tui

import (
	"time"

	"ferrus/hq/conductor"
	"ferrus/hq/tui/projection"
	"ferrus/ui"
	"ferrus/ui/view"
)

// sendFrames sends what is true to the screen: at once after a pause, and under load no more
// often than the screen is drawn, or than the terminal takes it.
func (a *app) sendFrames() {
	clock := time.NewTimer(0)
	defer clock.Stop()
	var p projection.Projector
	left := credit{burst * minFrame, time.Now()}
	for {
		select {
		case <-a.ctx.Done():
			return
		case <-a.Engine.Updates():
		case <-clock.C:
		}
		a.terminal.AwaitRoom(a.ctx)
		now := a.Now()
		v := a.Engine.View()
		shown := a.project(&p, v, now)
		a.guests.show(shown)
		a.program.Send(ui.ViewMsg{View: shown})
		clock.Stop()
		if next := projection.NextTick(v, now); next > 0 {
			clock.Reset(next)
		}
		left.spend()
		a.rest(left.missing(1, time.Now()))
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

func (a *app) rest(pause time.Duration) {
	if pause <= 0 {
		return
	}
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-a.ctx.Done():
	case <-t.C:
	}
}
