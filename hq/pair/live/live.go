// Package live plays a pair inside HQ, beside its conductor.
//
// [New] makes of a conductor an engine for the screen that has a pair as well;
// [Engine.Pair] begins a run or goes on with one, [Engine.Recover] with one that a
// crash left. The agents' sessions, the states and the gate are in the view like
// those of the loop; /stop, /tell, /resume and the end of HQ mean the pair too.
//
// There is one writer: a run begins only while the conductor is idle, and nothing
// of the loop begins while it goes on. The run itself, and all that is kept of it,
// is package pair's.
package live

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/pair"
	"ferrus/hq/project"
	loop "ferrus/machine/pair"
)

// Engine is a conductor with a pair beside it. Its methods may be called from
// anywhere.
type Engine struct {
	*conductor.Conductor
	project *project.Project
	sizes   sync.Map // hq.Slot to [2]int

	mu   sync.Mutex // guards what follows
	play *play      // the newest; nil: none yet
}

// New adds pairs to a conductor.
func New(c *conductor.Conductor, p *project.Project) *Engine {
	return &Engine{Conductor: c, project: p}
}

// errAtWork refuses a second run.
var errAtWork = errors.New("a pair works already: /stop ends it")

// Pair begins a run, or goes on with one. The words say which.
func (e *Engine) Pair(ctx context.Context, w conductor.PairWish) (string, error) {
	if e.playing() != nil {
		return "", errAtWork
	}
	if err := e.Idle(); err != nil {
		return "", err
	}
	r, err := e.open(ctx, w)
	if err != nil {
		return "", err
	}
	words := "the pair begins: " + r.Manifest.ID
	if w.Again {
		words = fmt.Sprintf("the pair goes on: %s in %s", r.Manifest.ID, r.Manifest.State)
	}
	return words, e.begin(r)
}

// open finds the run that is wished for, or makes it.
func (e *Engine) open(ctx context.Context, w conductor.PairWish) (*pair.Run, error) {
	if w.Again {
		return e.again(w)
	}
	cfg, err := e.project.Config()
	if err != nil {
		return nil, err
	}
	o, err := pair.Options{Task: w.Task, Primary: w.Primary, Secondary: w.Secondary, Mode: loop.Mode(w.Mode), MaxIterations: w.Limit, Words: loop.Words{Done: w.Done}}.Fill(cfg)
	if err != nil {
		return nil, worded(err)
	}
	if err := e.trusted(project.Definition(cfg)); err != nil {
		return nil, err
	}
	if err := pair.Free(ctx, e.project); err != nil {
		return nil, worded(err)
	}
	r, err := pair.Create(ctx, e.project, o)
	if r != nil && err != nil {
		e.Say(true, err.Error()) // the run is there
		err = nil
	}
	return r, err
}

// again opens a run to go on with.
func (e *Engine) again(w conductor.PairWish) (*pair.Run, error) {
	id := w.ID
	if id == "" {
		all, err := pair.List(e.project)
		if err != nil {
			return nil, err
		}
		if len(all) == 0 {
			return nil, errors.New("there is no run to go on with: /pair <task> begins one")
		}
		id = all[0].ID
	}
	r, err := pair.Open(e.project, id)
	if err != nil {
		return nil, err
	}
	if loop.FromRunState(r.Manifest.State) == loop.StateComplete {
		return nil, fmt.Errorf("run %s is complete already: there is nothing to go on with", id)
	}
	if w.Limit > 0 {
		r.Manifest.MaxIterations = w.Limit
	}
	r.Accept = w.Accept
	return r, e.trusted(r.Manifest.Definition)
}

// trusted refuses check commands that nobody let run here.
func (e *Engine) trusted(d core.Definition) error {
	ok, err := e.project.Trusted(d)
	if err == nil && !ok {
		err = errors.New("nobody let the check commands run on this machine: /status shows them, /trust lets them run")
	}
	return err
}

// worded has the hint of a refusal in the sentence: the screen has one line.
func worded(err error) error {
	var r *pair.Refused
	if errors.As(err, &r) && r.Hint != "" {
		return fmt.Errorf("%s: %s", r.Why, r.Hint)
	}
	return err
}

// Recover goes on with a run that a crash, or the end of the machine, left in the
// middle. One that failed, or that waits for the person, is left.
func (e *Engine) Recover() error {
	all, err := pair.List(e.project)
	if err != nil || len(all) == 0 {
		return err
	}
	m := all[0]
	if loop.Terminal(loop.FromRunState(m.State)) || m.Asked != "" && m.Accepted != m.Asked || pair.Free(context.Background(), e.project) != nil {
		return nil
	}
	if _, err := e.Pair(context.Background(), conductor.PairWish{Again: true, ID: m.ID}); err != nil {
		return fmt.Errorf("go on with the pair %s: %w", m.ID, err)
	}
	e.Say(false, fmt.Sprintf("the pair goes on where it stopped: %s in %s", m.ID, m.State))
	return nil
}

// playing is the run that goes on; nil: none.
func (e *Engine) playing() *play {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.play != nil && e.play.running() {
		return e.play
	}
	return nil
}

// begin starts the run on a goroutine of its own, which Close and Leave wait for.
func (e *Engine) begin(r *pair.Run) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.play != nil && e.play.running() {
		return errAtWork
	}
	p := newPlay(e, r)
	e.play = p
	go p.run()
	return nil
}

// Stop ends the pair, which can be gone on with, and every session of the loop.
func (e *Engine) Stop(ctx context.Context) error {
	e.end(nil)
	return e.Conductor.Stop(ctx)
}

// end ends the run that goes on and waits for it. Why is its cause: nil is the
// person's wish.
func (e *Engine) end(why error) {
	if p := e.playing(); p != nil {
		p.cancel(why)
		<-p.over
	}
}

// Resume goes on with the pair that was stopped or failed last, if nothing of the
// loop is held.
func (e *Engine) Resume(ctx context.Context) (string, error) {
	e.mu.Lock()
	p := e.play
	e.mu.Unlock()
	if p != nil && !p.running() && !e.movedOn(p) && !e.Held() {
		if v := p.view(); v.Resume != "" && v.State == loop.StateFailed {
			return e.Pair(ctx, conductor.PairWish{Again: true, ID: v.ID})
		}
	}
	return e.Conductor.Resume(ctx)
}

// Close ends the pair as the person's wish, and then all else.
func (e *Engine) Close(hold bool) error {
	if hold {
		e.end(nil)
	} else {
		e.end(pair.ErrLeft)
	}
	return e.Conductor.Close(hold)
}

// Leave ends the turn in flight; the next HQ runs it again.
func (e *Engine) Detach() error {
	e.end(pair.ErrLeft)
	return e.Conductor.Detach()
}

// Tell leaves a message for the next turn of an agent of the pair, or for a slot.
func (e *Engine) Tell(slot core.Slot, text string) (string, error) {
	if slot != pair.Primary && slot != pair.Secondary {
		return e.Conductor.Tell(slot, text)
	}
	e.mu.Lock()
	p := e.play
	e.mu.Unlock()
	if p == nil {
		return "", errors.New("there is no pair to tell: /pair <task> begins one")
	}
	if err := pair.Tell(e.project, p.id, string(slot), text); err != nil {
		return "", err
	}
	return fmt.Sprintf("the %s is told in its next turn", slot), nil
}

// Input goes to the loop's sessions: those of a pair read nothing.
func (e *Engine) Input(slot core.Slot, data []byte) {
	if slot != pair.Primary && slot != pair.Secondary {
		e.Conductor.Input(slot, data)
	}
}

// Resize is the size of a slot's terminal, also before its first session.
func (e *Engine) Resize(slot core.Slot, columns, rows int) {
	if slot != pair.Primary && slot != pair.Secondary {
		e.Conductor.Resize(slot, columns, rows)
		return
	}
	if columns < 1 || rows < 1 {
		return
	}
	e.sizes.Store(slot, [2]int{columns, rows})
	e.mu.Lock()
	p := e.play
	e.mu.Unlock()
	if p != nil {
		p.resize(slot, columns, rows)
	}
}

// size is that of a slot's terminal.
func (e *Engine) size(slot core.Slot) (columns, rows int) {
	if size, ok := e.sizes.Load(slot); ok {
		both := size.([2]int)
		return both[0], both[1]
	}
	return 120, 40
}

// View is that of the conductor with the pair in it.
func (e *Engine) View() conductor.View {
	v := e.Conductor.View()
	e.mu.Lock()
	p := e.play
	e.mu.Unlock()
	if p == nil {
		return v
	}
	v.Panes = append(v.Panes[:len(v.Panes):len(v.Panes)], p.panes()...)
	if p.running() || v.State.Seq == p.seq {
		now := p.view()
		v.Pair = &now
		v.Journal = append(v.Journal[:len(v.Journal):len(v.Journal)], p.journal()...)
	}
	v.Tethered = v.Tethered || p.running()
	return v
}

// movedOn reports that something of the loop happened since the run began.
func (e *Engine) movedOn(p *play) bool { return e.Conductor.View().State.Seq != p.seq }
