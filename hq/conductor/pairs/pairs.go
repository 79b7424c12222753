// Package pairs runs pairs of agents without tools in the working tree of a task, one run at a time.
//
// Make [Pairs] with its exported fields, before anything else is called. A run continues on goroutines of its own until
// it is over or [Pairs.Stop] stops it; [Pairs.Newest] is what is visible of it. Its rules and its files are package
// pair's.
package pairs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

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

// Pairs runs pairs of agents without tools, one run at a time. A working tree has one
// writer: a run starts only while the loop has no session, and no session of the loop
// starts while a run is under way. Its methods may be called from any goroutine but the
// loop's.
type Pairs struct {
	Project *project.Task
	Loop    *session.Loop // owns the notices
	Notices *notice.List
	Gate    *gateview.Watch  // shows the checks of a run
	Idle    func() error     // returns why no run may start; nil: it may
	Since   func() time.Time // when the state of the task last changed
	Changed func()           // called when there is something new to show

	sizes sync.Map // core.Slot to [2]int: columns and rows of a pane, also of the next run's

	mu      sync.Mutex // guards newest and earlier
	newest  *pairRun   // nil: none yet
	earlier *pair.View // of the run that an earlier process left waiting for the human; nil: none
}

// pairRun is one run, from its start in this process.
type pairRun struct {
	*pair.Run
	since  time.Time // when the state of the task had changed, as it started
	cancel context.CancelCauseFunc
	over   chan struct{}

	mu    sync.Mutex    // guards lines
	lines []store.Entry // what happened, as the activity shows it
}

// last returns the newest run; nil: there was none.
func (p *Pairs) last() *pairRun {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.newest
}

// running returns the run that is under way; nil: none.
func (p *Pairs) running() *pairRun {
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

// Start starts a run of two agents, or resumes one. It returns a sentence that says which.
func (p *Pairs) Start(ctx context.Context, q pair.Request) (string, error) {
	if p.running() != nil {
		return "", errPairRuns
	}
	if err := p.Idle(); err != nil {
		return "", err
	}
	r, err := pair.Prepare(ctx, p.Project, q, p.trusted)
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
		words = fmt.Sprintf("pair resumed: %s (%s)", r.Manifest.ID, cmp.Or(r.Manifest.ResumeState, r.Manifest.State))
	}
	return words, p.launch(r)
}

// trusted refuses check commands that are not trusted on this machine.
func (p *Pairs) trusted(d core.Definition) error {
	return p.Project.RequireTrust(d)
}

// launch starts a run on its own goroutine, which stop waits for.
func (p *Pairs) launch(run *pair.Run) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.newest != nil && p.newest.running() {
		return errPairRuns
	}
	r := &pairRun{Run: run, since: p.Since(), over: make(chan struct{})}
	r.recall()
	ctx, cancel := context.WithCancelCause(context.Background())
	r.cancel = cancel
	run.Hooks = pair.Hooks{
		Watch: func(e pair.Event) { p.watch(r, e) }, Changed: p.Changed, Size: p.size, CheckIdle: p.Idle,
		Gate: func(commands []string) (func(checks.Progress), func(gate.Record, error)) {
			return p.Gate.Track("", commands, p.Changed)
		},
	}
	p.newest = r
	go func() {
		defer cancel(nil)
		err := run.Go(ctx)
		close(r.over)
		p.Changed()
		p.notifyStopped(run.View(), err)
	}()
	return nil
}

// notifyStopped reports how a run ended, unless the next HQ will resume it.
func (p *Pairs) notifyStopped(v pair.View, err error) {
	switch {
	case err == nil:
		p.notify(false, "the pair has completed its run")
	case !errors.Is(err, pair.ErrDetached):
		p.notify(!errors.Is(err, pair.ErrCancelled), v.Why+"; "+v.Resume+" resumes it")
	}
}

// notify adds a notice on the loop.
func (p *Pairs) notify(isError bool, text string) {
	p.Loop.Post(func() { p.Notices.Add(isError, "%s", text) })
}

// watch handles what happens in a run. It is called from several goroutines.
func (p *Pairs) watch(r *pairRun, e pair.Event) {
	switch {
	case e.Notice != "":
		p.notify(true, e.Notice)
	case e.Entry != nil:
		r.add(*e.Entry)
		p.Changed()
	}
}

// Stop stops the run that is under way and waits for it. Why is the cause of its context;
// nil: the human stopped it.
func (p *Pairs) Stop(why error) {
	if r := p.running(); r != nil {
		r.cancel(why)
		<-r.over
	}
}

// Resumable returns the run that /resume is for: the newest one, if it failed or was stopped
// and the task has not changed since. Of the runs of an earlier conductor, it is one that was stopped.
func (p *Pairs) Resumable() (id string, ok bool) {
	r := p.last()
	if r == nil {
		all, err := pair.List(p.Project)
		if err != nil || len(all) == 0 { // ferrus pair --list says what is wrong
			return "", false
		}
		m := all[0]
		return m.ID, m.WasStopped() && m.UpdatedAt.After(p.Since())
	}
	if r.running() || !p.Since().Equal(r.since) {
		return "", false
	}
	v := r.View()
	return v.ID, v.Resumable()
}

// Recover resumes the newest run if a crash interrupted it, and adds a notice. A run that failed or waits for
// the human stays unchanged, and is shown until the state of the task changes.
func (p *Pairs) Recover() {
	if v, ok := pair.Waiting(p.Project, p.Since()); ok {
		p.mu.Lock()
		p.earlier = &v
		p.mu.Unlock()
		p.Changed()
	}
	if err := p.resumeInterrupted(); err != nil {
		p.notify(true, err.Error())
	}
}

func (p *Pairs) resumeInterrupted() error {
	all, err := pair.List(p.Project)
	if err != nil || len(all) == 0 {
		return err
	}
	m := all[0]
	if m.Waits() || pair.CheckFree(context.Background(), p.Project) != nil {
		return nil
	}
	if _, err := p.Start(context.Background(), pair.Request{Again: true, ID: m.ID}); err != nil {
		return fmt.Errorf("resume the pair %s: %w", m.ID, err)
	}
	p.notify(false, fmt.Sprintf("resumed the interrupted pair: %s (%s)", m.ID, m.State))
	return nil
}

// SendMessage leaves a message for the next turn of an agent, and returns a sentence about it.
func (p *Pairs) SendMessage(slot core.Slot, text string) (string, error) {
	r := p.last()
	if r == nil {
		return "", errors.New("there is no pair; /pair <task> starts one")
	}
	if err := pair.SendMessage(p.Project, r.View().ID, string(slot), text); err != nil {
		return "", err
	}
	return fmt.Sprintf("message sent; the %s reads it in its next turn", slot), nil
}

// Resize gives the pane of an agent a new size, also before it has one.
func (p *Pairs) Resize(slot core.Slot, columns, rows int) {
	p.sizes.Store(slot, [2]int{columns, rows})
	if r := p.last(); r != nil {
		r.Resize(slot, columns, rows)
	}
}

func (p *Pairs) size(slot core.Slot) (columns, rows int) {
	if size, ok := p.sizes.Load(slot); ok {
		both := size.([2]int)
		return both[0], both[1]
	}
	return 0, 0
}

// Newest is what is visible of the newest run.
type Newest struct {
	Panes   []session.View // of its agents
	Pair    *pair.View     // nil: the task has changed since
	Lines   []store.Entry  // what happened, as lines of a journal; none where Pair is nil
	Running bool
}

// Newest returns the newest run; a zero value where there was none. Its state and lines are shown until the state of
// the task changes: since says when that was.
func (p *Pairs) Newest(since time.Time) (n Newest) {
	r := p.last()
	if r == nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.earlier != nil && p.earlier.Ended.After(since) {
			n.Pair = p.earlier
		}
		return n
	}
	n.Panes = r.Panes()
	if n.Running = r.running(); n.Running || since.Equal(r.since) {
		now := r.View()
		n.Pair, n.Lines = &now, r.journal()
	}
	return n
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
