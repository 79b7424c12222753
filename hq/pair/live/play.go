package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/pair"
	loop "ferrus/machine/pair"
	"ferrus/machine/session"
	"ferrus/store"
	"ferrus/ui/vt"
)

// scrollback are the lines kept above each pane.
const scrollback = 10_000

// play is one run as HQ plays it.
type play struct {
	engine *Engine
	id     string
	seq    uint64 // of the loop's state when it began
	ctx    context.Context
	cancel context.CancelCauseFunc
	over   chan struct{}
	r      *pair.Run // of the goroutine that runs it

	mu    sync.Mutex // guards what follows
	seats map[string]*seat
	shown conductor.PairView
	lines []store.Line
}

// seat is the pane of one of the agents.
type seat struct {
	pane    conductor.PaneView
	session pair.Session // that lives; nil: none
}

func newPlay(e *Engine, r *pair.Run) *play {
	p := &play{engine: e, id: r.Manifest.ID, seq: e.Conductor.View().State.Seq, over: make(chan struct{}), r: r, seats: map[string]*seat{}}
	p.ctx, p.cancel = context.WithCancelCause(context.Background())
	m := &r.Manifest
	p.shown = conductor.PairView{ID: m.ID, Task: core.TaskTitle(m.Task), Mode: string(m.Mode), State: loop.FromRunState(m.State), Iteration: m.Iteration, Limit: m.MaxIterations, Running: true, Began: m.CreatedAt}
	names := []string{pair.Primary}
	if m.Secondary != "" {
		names = append(names, pair.Secondary)
	}
	for _, who := range names {
		p.seats[who] = &seat{pane: conductor.PaneView{Slot: core.Slot(who), Agent: m.Agent(who), State: session.Initializing, Since: time.Now(), Bypass: m.Setup.Bypass(who)}}
	}
	p.recall()
	r.Watch, r.Beside, r.Gate = p.watch, e.Idle, e.WatchGate
	r.Launcher = launcher{pair.Hosted{Setup: m.Setup}, p}
	return p
}

// recall shows what happened in the run before.
func (p *play) recall() {
	all, err := p.r.Transcript()
	if err != nil {
		return // the run reads it too, and says so
	}
	for _, e := range all {
		if e.Type == "state" || e.Type == "session" {
			p.lines = append(p.lines, line(e))
		}
	}
	p.lines = p.lines[max(0, len(p.lines)-recalled):]
}

// recalled is how much of a run that goes on the activity shows.
const recalled = 200

func (p *play) running() bool {
	select {
	case <-p.over:
		return false
	default:
		return true
	}
}

// run carries the run to its end and says what came of it.
func (p *play) run() {
	err := p.r.Go(p.ctx)
	text, bad := p.finish(err)
	close(p.over)
	p.engine.Poke()
	if text != "" {
		go p.engine.Say(bad, text) // the conductor may be about to close
	}
}

// finish words the end of a run.
func (p *play) finish(err error) (text string, bad bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	v := &p.shown
	v.Running, v.Ended, v.State = false, time.Now(), loop.FromRunState(p.r.Manifest.State)
	v.Resume = "/pair --resume " + p.id
	var needs *pair.NeedsPerson
	switch {
	case err == nil:
		v.Resume = ""
		return "the pair is done: the run is complete", false
	case errors.Is(err, pair.ErrLeft):
		return "", false
	case errors.Is(err, pair.ErrCancelled):
		v.Why = "the pair is stopped, and the run is kept"
	case errors.As(err, &needs):
		v.Why = needs.Why
		if needs.Accept {
			v.Resume += " --yes"
		}
	default:
		v.Why = "the pair failed: " + worded(err).Error()
	}
	if errors.As(err, new(*pair.Failed)) && p.r.Manifest.Loop.Reason == loop.MaxIterations {
		v.Resume += fmt.Sprintf(" --max-iterations %d", v.Limit+10)
	}
	return v.Why + "; " + v.Resume + " goes on with it", !errors.Is(err, pair.ErrCancelled)
}

// watch takes in what happens. It is called by the run and by its sessions.
func (p *play) watch(e pair.Event) {
	if e.Entry == nil && e.Sits == nil {
		return // a line: its pane has it
	}
	p.mu.Lock()
	if e.Sits != nil {
		p.sits(e.Agent, *e.Sits)
	}
	if e.Entry != nil {
		p.entered(*e.Entry)
	}
	p.mu.Unlock()
	p.engine.Poke()
}

// sits takes in how a session does; mu is held.
func (p *play) sits(who string, s pair.SessionStatus) {
	seat := p.seats[who]
	if seat == nil {
		return
	}
	pane := &seat.pane
	if pane.State != s.Snap.At || pane.Session != int(s.Snap.Data.Session) {
		pane.Since = time.Now()
	}
	pane.State, pane.Session, pane.PID, pane.Until, pane.Limit, pane.Log, pane.Exit = s.Snap.At, int(s.Snap.Data.Session), s.PID, s.Until, s.Limit, s.Log, s.Exit
	pane.Errors, pane.TotalErrors = int(s.Snap.Data.Consecutive), int(s.Snap.Data.Total)
	pane.Stopping = s.Snap.Data.Ending != 0
	if s.PID == 0 {
		seat.session = nil
	}
}

// entered takes in a line of the transcript; mu is held.
func (p *play) entered(e pair.Entry) {
	v := &p.shown
	v.Iteration = e.Iteration
	switch e.Type {
	case "state":
		v.State = e.To
		if e.Signal != "" || e.Turn > 0 {
			v.Signal = string(e.Signal)
		}
	case "session":
	default:
		return
	}
	p.lines = append(p.lines, line(e))
}

// line is a line of the transcript as the activity shows it.
func line(e pair.Entry) store.Line {
	l := store.Line{At: e.At, Event: string(e.Event), By: "ferrus", From: string(e.From), To: string(e.To), Why: e.Text}
	switch {
	case e.Type == "session":
		l.Event, l.By, l.From, l.To = "session", e.Agent, "", ""
	case e.Agent != "":
		l.By = e.Agent
	case e.Event == loop.KindCancel || e.Event == loop.KindResume:
		l.By = "person"
	case e.Verdict != "":
		l.Event = string(core.KindChecked)
	}
	return l
}

func (p *play) view() conductor.PairView {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shown
}

func (p *play) journal() []store.Line {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lines[:len(p.lines):len(p.lines)]
}

func (p *play) panes() (all []conductor.PaneView) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, who := range []string{pair.Primary, pair.Secondary} {
		if s := p.seats[who]; s != nil {
			all = append(all, s.pane)
		}
	}
	return all
}

// resize gives the terminal of an agent a new size.
func (p *play) resize(slot core.Slot, columns, rows int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.seats[string(slot)]
	switch {
	case s == nil || s.pane.Terminal == nil:
	case s.session != nil:
		if live, ok := s.session.(interface{ Resize(columns, rows int) error }); ok {
			live.Resize(columns, rows) //nolint:errcheck // one that has ended keeps its size
		}
	default:
		s.pane.Terminal.Resize(columns, rows)
	}
}

// launcher has sessions drawn in the panes.
type launcher struct {
	pair.Hosted
	play *play
}

func (l launcher) Launch(turn pair.Launch) (pair.Session, error) {
	turn.Columns, turn.Rows = l.play.engine.size(core.Slot(turn.Who))
	turn.Screen = l.play.screen(turn)
	s, err := l.Hosted.Launch(turn)
	if err == nil {
		l.play.seated(turn.Who, s)
	}
	return s, err
}

// screen is the emulator of a pane; sessions go on below what the one before
// printed.
func (p *play) screen(turn pair.Launch) screen {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.seats[turn.Who]
	if s.pane.Terminal == nil {
		s.pane.Terminal = vt.NewLocked(turn.Columns, turn.Rows, scrollback)
	} else {
		io.WriteString(s.pane.Terminal, fmt.Sprintf("\x1b[0m\r\n\x1b[2m── session %d ──\x1b[0m\r\n\r\n", turn.Number)) //nolint:errcheck // an emulator takes everything
		s.pane.Terminal.Resize(turn.Columns, turn.Rows)
	}
	return screen{s.pane.Terminal, p.engine.Poke}
}

func (p *play) seated(who string, s pair.Session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seats[who].session = s
}

// screen is an emulator that tells when it has something new to show.
type screen struct {
	*vt.Locked
	poke func()
}

func (s screen) Write(b []byte) (int, error) {
	n, err := s.Locked.Write(b)
	s.poke()
	return n, err
}

func (s screen) Resize(columns, rows int) {
	s.Locked.Resize(columns, rows)
	s.poke()
}
