package conductor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"ferrus/checks"
	"ferrus/hq/conductor/gateview"
	"ferrus/hq/conductor/notice"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/pair"
	"ferrus/hq/project"
	"ferrus/hq/session"
	"ferrus/store"
)

// errPairRuns refuses a second run.
var errPairRuns = errors.New("a pair is running already; /stop stops it")

// pairs runs pairs of agents without tools, one run at a time. A working tree has one
// writer: a run starts only while the loop has no session, and no session of the loop
// starts while a run is under way. Its methods may be called from any goroutine but the
// loop's.
type pairs struct {
	project *project.Task
	loop    *session.Loop // the conductor's, which owns the notices
	notices *notice.List
	gate    *gateview.Watch
	idle    func() error // returns why no run may start; nil: it may
	seq     func() uint64
	changed func()
	sizes   sync.Map // core.Slot to [2]int: columns and rows of a pane, also of the next run's

	mu     sync.Mutex // guards newest
	newest *pairRun   // nil: none yet
}

// pairRun is one run, from its start in this process.
type pairRun struct {
	*pair.Run
	seq    uint64 // of the task's state when it started
	cancel context.CancelCauseFunc
	over   chan struct{}

	mu    sync.Mutex    // guards lines
	lines []store.Entry // what happened, as the activity shows it
}

// last returns the newest run; nil: there was none.
func (p *pairs) last() *pairRun {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.newest
}

// running returns the run that is under way; nil: none.
func (p *pairs) running() *pairRun {
	if r := p.last(); r != nil && r.running() {
		return r
	}
	return nil
}

func (r *pairRun) running() bool {
	select {
	case <-r.over:
		return false
	default:
		return true
	}
}

// Pair starts a run of two agents, or resumes one. It returns a sentence that says which.
func (p *pairs) Pair(ctx context.Context, q pair.Request) (string, error) {
	if p.running() != nil {
		return "", errPairRuns
	}
	if err := p.idle(); err != nil {
		return "", err
	}
	r, err := pair.Prepare(ctx, p.project, q, p.trusted)
	switch {
	case errors.Is(err, pair.ErrComplete):
		return "", fmt.Errorf("run %s is complete; there is nothing to resume", r.Manifest.ID)
	case errors.Is(err, pair.ErrNoRun) && q.ID == "":
		return "", errors.New("there is no run to resume; /pair <task> starts one")
	case err != nil:
		return "", pair.WithHint(err)
	}
	if r.Warning != nil {
		p.notify(true, r.Warning.Error())
	}
	words := "pair started: " + r.Manifest.ID
	if q.Again {
		words = fmt.Sprintf("pair resumed: %s (%s)", r.Manifest.ID, r.Manifest.State)
	}
	return words, p.launch(r)
}

// trusted refuses check commands that are not trusted on this machine.
func (p *pairs) trusted(d core.Definition) error {
	return p.project.RequireTrust(d)
}

// launch starts a run on its own goroutine, which stop waits for.
func (p *pairs) launch(run *pair.Run) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.newest != nil && p.newest.running() {
		return errPairRuns
	}
	r := &pairRun{Run: run, seq: p.seq(), over: make(chan struct{})}
	r.recall()
	ctx, cancel := context.WithCancelCause(context.Background())
	r.cancel = cancel
	run.Hooks = pair.Hooks{
		Watch: func(e pair.Event) { p.watch(r, e) }, Changed: p.changed, Size: p.size, CheckIdle: p.idle,
		Gate: func(commands []string) (func(checks.Progress), func(gate.Record, error)) {
			return p.gate.Track("", commands, p.changed)
		},
	}
	p.newest = r
	go func() {
		defer cancel(nil)
		err := run.Go(ctx)
		close(r.over)
		p.changed()
		p.notifyStopped(run.View(), err)
	}()
	return nil
}

// notifyStopped reports how a run ended, unless the next HQ will resume it.
func (p *pairs) notifyStopped(v pair.View, err error) {
	switch {
	case err == nil:
		p.notify(false, "the pair has completed its run")
	case !errors.Is(err, pair.ErrDetached):
		p.notify(!errors.Is(err, pair.ErrCancelled), v.Why+"; "+v.Resume+" resumes it")
	}
}

// notify adds a notice on the loop.
func (p *pairs) notify(isError bool, text string) {
	p.loop.Post(func() { p.notices.Add(isError, "%s", text) })
}

// watch handles what happens in a run. It is called from several goroutines.
func (p *pairs) watch(r *pairRun, e pair.Event) {
	switch {
	case e.Notice != "":
		p.notify(true, e.Notice)
	case e.Entry != nil:
		r.add(*e.Entry)
		p.changed()
	}
}

// stop stops the run that is under way and waits for it. Why is the cause of its context;
// nil: the human stopped it.
func (p *pairs) stop(why error) {
	if r := p.running(); r != nil {
		r.cancel(why)
		<-r.over
	}
}

// resumable returns the run that /resume is for: the newest one, if it failed or was stopped
// and the task has not changed since.
func (p *pairs) resumable() (id string, ok bool) {
	r := p.last()
	if r == nil || r.running() || p.seq() != r.seq {
		return "", false
	}
	v := r.View()
	return v.ID, v.Resumable()
}

// RecoverPair resumes the pair that a crash interrupted.
func (p *pairs) RecoverPair() {
	if err := p.recover(); err != nil {
		p.notify(true, err.Error())
	}
}

// recover resumes the newest run if a crash interrupted it. A run that failed or waits for
// the human stays as it is.
func (p *pairs) recover() error {
	all, err := pair.List(p.project)
	if err != nil || len(all) == 0 {
		return err
	}
	m := all[0]
	if m.Waits() || pair.CheckFree(context.Background(), p.project) != nil {
		return nil
	}
	if _, err := p.Pair(context.Background(), pair.Request{Again: true, ID: m.ID}); err != nil {
		return fmt.Errorf("resume the pair %s: %w", m.ID, err)
	}
	p.notify(false, fmt.Sprintf("resumed the interrupted pair: %s (%s)", m.ID, m.State))
	return nil
}

// sendMessage leaves a message for the next turn of an agent, and returns a sentence about it.
func (p *pairs) sendMessage(slot core.Slot, text string) (string, error) {
	r := p.last()
	if r == nil {
		return "", errors.New("there is no pair; /pair <task> starts one")
	}
	if err := pair.SendMessage(p.project, r.View().ID, string(slot), text); err != nil {
		return "", err
	}
	return fmt.Sprintf("message sent; the %s reads it in its next turn", slot), nil
}

// resize gives the pane of an agent a new size, also before it has one.
func (p *pairs) resize(slot core.Slot, columns, rows int) {
	p.sizes.Store(slot, [2]int{columns, rows})
	if r := p.last(); r != nil {
		r.Resize(slot, columns, rows)
	}
}

func (p *pairs) size(slot core.Slot) (columns, rows int) {
	if size, ok := p.sizes.Load(slot); ok {
		both := size.([2]int)
		return both[0], both[1]
	}
	return 0, 0
}

// show adds the newest run to a view. Its state and lines stay until the task changes.
func (p *pairs) show(v *View) {
	r := p.last()
	if r == nil {
		return
	}
	v.Panes = append(slices.Clip(v.Panes), r.Panes()...)
	if running := r.running(); running || v.State.Seq == r.seq {
		now := r.View()
		v.Pair = &now
		v.Journal = append(slices.Clip(v.Journal), r.journal()...)
		v.StopOnExit = v.StopOnExit || running
	}
}

// pairLines is the number of lines of an earlier process's part of a run that are shown.
const pairLines = 200

// recall reads what happened in the run before it was resumed.
func (r *pairRun) recall() {
	all, err := r.Transcript()
	if err != nil {
		return // the run reads it too, and reports the error
	}
	for _, e := range all {
		r.add(e)
	}
	r.lines = r.lines[max(0, len(r.lines)-pairLines):]
}

func (r *pairRun) add(e pair.Entry) {
	if e.Type != "state" && e.Type != "session" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, activityLine(e))
}

func (r *pairRun) journal() []store.Entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clip(r.lines)
}

// activityLine returns a line of the transcript as the activity shows it.
func activityLine(e pair.Entry) store.Entry {
	l := store.Entry{At: e.At, Event: string(e.Event), By: e.By(), From: string(e.From), To: string(e.To), Why: e.Text}
	switch {
	case e.Type == "session":
		l.Event, l.From, l.To = e.Type, "", ""
	case e.Agent == "" && e.Verdict != "":
		l.Event = string(core.KindChecked)
	}
	return l
}
