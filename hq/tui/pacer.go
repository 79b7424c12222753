package tui

import (
	"context"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui"
)

// minFrame is the least time between two frames under load. It is twice that where only panes without the keys have
// printed something: the processor is for the agents, not for their pictures.
const minFrame = time.Second / 120

// burst is how many of these frames are saved up at most while nothing is drawn.
const burst = 5

// reserve is what only the echo of a key takes of the credit.
const reserve = 1

// credit counts the frames that may be drawn at once. It grows by one each minFrame up to burst,
// and one frame costs one.
type credit struct {
	saved time.Duration
	at    time.Time
}

// missing returns how long to wait until a number of frames has been saved.
func (c *credit) missing(frames time.Duration, now time.Time) time.Duration {
	c.saved, c.at = min(c.saved+now.Sub(c.at), burst*minFrame), now
	return frames*minFrame - c.saved
}

// spend takes a number of frames.
func (c *credit) spend(frames time.Duration) { c.saved -= frames * minFrame }

// pacer decides when a frame is drawn: at once after a pause, and at the pace of the credit under load.
// It has no timer while nothing changes.
type pacer struct {
	kicked chan struct{} // size 1: a frame is due
	urgent atomic.Bool   // an echo is due
	soon   atomic.Bool   // more than output is due
	later  *time.Timer   // kicks for what had no haste
}

func newPacer() *pacer {
	p := &pacer{kicked: make(chan struct{}, 1)}
	p.later = time.AfterFunc(time.Hour, func() { p.kick(ui.HasteSoon) })
	p.later.Stop()
	return p
}

// kick asks for a frame.
func (p *pacer) kick(h ui.Haste) {
	switch h {
	case ui.HasteLater:
		p.later.Reset(minFrame)
		return
	case ui.HasteNow:
		p.urgent.Store(true)
	case ui.HasteSoon:
		p.soon.Store(true)
	}
	select {
	case p.kicked <- struct{}{}:
	default: // one is due already
	}
}

// run draws until the context ends.
func (p *pacer) run(ctx context.Context, draw func()) {
	left := credit{burst * minFrame, time.Now()}
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	defer p.later.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.kicked:
		}
		for wait := p.wait(&left); wait > 0; wait = p.wait(&left) {
			timer.Reset(wait)
			select {
			case <-ctx.Done():
				return
			case <-timer.C:
			case <-p.kicked: // it may have haste
			}
		}
		select { // what came meanwhile is in this frame
		case <-p.kicked:
		default:
		}
		p.later.Stop()
		left.spend(p.cost())
		p.urgent.Store(false)
		p.soon.Store(false)
		draw()
	}
}

// cost returns what the next frame takes of the credit.
func (p *pacer) cost() time.Duration {
	if p.urgent.Load() || p.soon.Load() {
		return 1
	}
	return 2
}

// wait returns how long the next frame has to wait.
func (p *pacer) wait(left *credit) time.Duration {
	if p.urgent.Load() {
		return left.missing(p.cost(), time.Now())
	}
	return left.missing(p.cost()+reserve, time.Now())
}

// frameMsg requests the next view. drawMsg is dropped: once it is received, the view of the
// previous message is in place.
type (
	frameMsg struct{}
	drawMsg  struct{}
)

// printedMsg says that a pane has something new, where Bubble Tea draws by its own clock.
type printedMsg struct{}

// paced is a model whose view is made once for each frame instead of after each message.
type paced struct {
	tea.Model
	haste func(tea.Msg) ui.Haste
	kick  func(ui.Haste)
	view  tea.View
	// changed says that the model had messages since the view.
	changed bool
	// whole makes each call create a view: before the first frame, and for the last.
	whole bool
}

// Update passes on everything except the request for a frame. Keys and clicks refer to what earlier
// messages have opened, and boxes learn their size when they are drawn. A key for an agent is passed
// on at once, because nothing on the screen affects it.
func (m *paced) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg.(type) {
	case frameMsg:
		m.whole = false
		m.redraw()
		return m, nil
	case tea.KeyMsg, tea.MouseMsg, tea.PasteMsg:
		if m.changed && m.haste(msg) != ui.HasteLater {
			m.redraw()
		}
	}
	var cmd tea.Cmd
	m.Model, cmd = m.Model.Update(msg)
	m.changed = true
	m.kick(m.haste(msg))
	return m, cmd
}

// redraw makes a view.
func (m *paced) redraw() { m.view, m.changed = m.Model.View(), false }

// View returns the view of the newest frame.
func (m *paced) View() tea.View {
	if m.whole {
		m.redraw()
		m.kick(ui.HasteSoon)
	}
	return m.view
}

// drawing draws the frames of a program when something has changed, and sleeps until then.
type drawing struct {
	screen *paced
	pacer  *pacer
	ticks  chan<- time.Time // each draws the newest view; nil: Bubble Tea draws by its own clock
}

// newDrawing wraps the model of a program that attach is called for.
func newDrawing(model tea.Model, haste func(tea.Msg) ui.Haste) drawing {
	p := newPacer()
	return drawing{screen: &paced{Model: model, haste: haste, kick: p.kick, whole: true}, pacer: p}
}

// attach takes over the frames of a program, if this version of Bubble Tea lets it. Call it before
// the program runs.
func (d *drawing) attach(p *tea.Program) {
	if ticks, err := ownTicks(p); err == nil {
		d.ticks = ticks
	}
}

// printed asks for a frame that shows what a pane has.
func (d *drawing) printed(h ui.Haste, send func(tea.Msg)) {
	if d.ticks == nil {
		send(printedMsg{})
		return
	}
	d.pacer.kick(h)
}

// run draws until the context ends. send sends the program a message, and returns when it is
// taken.
func (d *drawing) run(ctx context.Context, send func(tea.Msg)) {
	if d.ticks == nil {
		return
	}
	d.pacer.run(ctx, func() {
		send(frameMsg{})
		send(drawMsg{})
		select {
		case d.ticks <- time.Now():
		default: // a tick that was not taken yet draws it
		}
	})
}
