package tui

import (
	"time"

	"ferrus/hq/conductor"
	"ferrus/hq/tui/projection"
	"ferrus/ui"
	"ferrus/ui/view"
)

// minFrame is the least time between two frames.
const minFrame = time.Second / 120

// sendFrames sends what is true to the screen: at once after a pause, and no more often
// than the screen is drawn after that, or than the terminal takes it.
func (a *app) sendFrames() {
	clock := time.NewTimer(0)
	defer clock.Stop()
	var p projection.Projector
	for {
		select {
		case <-a.ctx.Done():
			return
		case <-a.Engine.Updates():
		case <-clock.C:
		}
		a.terminal.AwaitRoom(a.ctx)
		began, now := time.Now(), a.Now()
		v := a.Engine.View()
		a.program.Send(ui.ViewMsg{View: a.project(&p, v, now)})
		clock.Stop()
		if projection.Ticks(v) {
			clock.Reset(now.Truncate(time.Second).Add(time.Second).Sub(now))
		}
		a.rest(minFrame - time.Since(began))
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
