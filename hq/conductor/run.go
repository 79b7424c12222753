// Package conductor carries out what should be going on.
//
// A [Conductor] holds the project's conductor lock: there is one at a time, in HQ
// or in `ferrus run`. It loads the task's state whenever the store says that it
// moved, asks [core.Plan] what should be going on, and starts or ends the
// difference: agent sessions through the session machine, the check gate, the
// lease of whoever it sees alive. It decides nothing about a task; every change of
// state is a command like any other's, through [project.Project.Do].
//
// One goroutine, the loop, owns all of it; everything else hands it work. A view
// of what goes on is published after each turn and may be read at any time.
// Each session runs in a host, see package host: [Conductor.Close] ends them,
// [Conductor.Detach] and the death of the conductor do not, and [Start] goes on with
// those that it finds.
package conductor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/workflow"
	"ferrus/machine"
	"ferrus/store"
)

// LockName is the lock below .ferrus/run that a conductor holds.
const LockName = "conductor.lock"

// Options are the parts of a conductor that its program decides.
type Options struct {
	Ferrus        string // the program that agents start as their server; empty: this one
	Columns, Rows int    // of a pane until the screen says; 0: 120 by 40
	Scrollback    int    // lines kept per pane; 0: 10,000
	Tethered      bool   // sessions end when this process dies
	Headless      bool   // nobody types: no session gets its program's own screen
	silence       time.Duration
	deafness      time.Duration
}

// Conductor is a running conductor. Its methods may be called from anywhere.
type Conductor struct {
	project *project.Project
	options Options
	lock    *store.Lock
	ctx     context.Context
	cancel  context.CancelFunc
	work    chan func() // for the loop; unbuffered, so that Close knows when nothing is left
	changed chan struct{}
	closed  chan struct{}
	sizes   sync.Map       // hq.Slot to [2]int: columns and rows that panes were given
	resized chan struct{}  // size 1: sizes has something new
	left    chan struct{}  // closed when the sessions are left to their hosts
	quiet   chan struct{}  // closed when a conductor that shuts has nothing left
	ended   sync.WaitGroup // goroutines that the loop started
	view    atomic.Pointer[View]
	gate    gateWatch
	kept    kept
	live    sync.Map // hq.Slot to agent.Session: where keys go without a turn of the loop
	loopState
}

// loopState is what the loop owns; nothing else touches it.
type loopState struct {
	state            store.State[core.World]
	texts            Texts
	config           config.Config
	problem          string // the state cannot be read
	unwritten        string // the last error of a disk that takes nothing
	journal          []store.Line
	glanced          bool // journal has its newest lines only; see readOlder
	notices          []Notice
	slots            map[core.Slot]*slot
	wants            []core.Request
	gateRun          *gateRun
	setup            *setup     // nil: no setup commands run
	repeated         repetition // of the gate's failure
	branch, spec     string
	going            map[core.Slot]bool // the plan wants a session there
	renewal          *time.Timer        // of the lease
	broken           string             // what is wrong with ferrus.toml
	saved            string             // the registry as it was last written
	shutting, silent bool               // closing; and nothing is left
	departed         bool               // closing, and the sessions are left to their hosts
	account          account
	daemons          []string // of the vendors, as they were when a session ended last
	flow             openWorkflow
	refused          refusals
}

// Start takes the conductor's lock, takes over the sessions that go on, ends what
// else a dead conductor left behind, and goes on with the task where it stands. The
// error is a [*store.LockedError] when another conductor runs here, and a [*project.Paired]
// when a pair does.
func Start(ctx context.Context, p *project.Project, o Options) (*Conductor, error) {
	o, err := o.filled()
	if err != nil {
		return nil, err
	}
	lock, err := p.Store.TryLock(LockName)
	if err != nil {
		return nil, err
	}
	if err := p.Paired(); err != nil { // who begins to work looks after it has its own lock, so that one of two sees the other
		lock.Close()
		return nil, err
	}
	c := &Conductor{
		project: p, options: o, lock: lock,
		work: make(chan func()), changed: make(chan struct{}, 1), closed: make(chan struct{}), quiet: make(chan struct{}), left: make(chan struct{}), resized: make(chan struct{}, 1),
		loopState: loopState{slots: map[core.Slot]*slot{}, going: map[core.Slot]bool{}},
	}
	c.ctx, c.cancel = context.WithCancel(context.WithoutCancel(ctx))
	notices, err := c.begin()
	if err != nil {
		c.cancel()
		c.ended.Wait()
		lock.Close()
		return nil, err
	}
	go c.loop(notices)
	return c, nil
}

func (o Options) filled() (Options, error) {
	if o.Columns == 0 || o.Rows == 0 {
		o.Columns, o.Rows = 120, 40
	}
	if o.Scrollback == 0 {
		o.Scrollback = 10_000
	}
	if o.silence == 0 {
		o.silence = silence
	}
	if o.deafness == 0 {
		o.deafness = deafness
	}
	if o.Ferrus == "" {
		self, err := os.Executable()
		if err != nil {
			return o, fmt.Errorf("find the ferrus program: %w", err)
		}
		o.Ferrus = self
	}
	return o, nil
}

// begin does what comes before the first turn of the loop.
func (c *Conductor) begin() (<-chan struct{}, error) {
	cfg, err := c.project.Config()
	if err != nil {
		return nil, err
	}
	c.config = cfg
	if err := c.project.Store.MkdirExclusive(workflow.Dir); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	notices, err := c.project.Store.Watch(c.ctx, workflow.Dir, project.MessagesDir)
	if err != nil {
		return nil, err
	}
	told, err := c.project.Store.Watch(c.ctx, "run")
	if err != nil {
		return nil, err
	}
	c.ended.Go(func() { c.hearRefusals(told) })
	if err := c.recover(); err != nil {
		return nil, err
	}
	c.daemons = daemons()
	c.reload()
	c.flow.book = workflow.Open(c.project)
	if err := c.readWork(); err != nil { // who looks first is to know of it
		return nil, err
	}
	c.publish()
	return notices, nil
}

// loop is the one goroutine that carries things out.
func (c *Conductor) loop(notices <-chan struct{}) {
	defer close(c.closed)
	c.settle()
	c.publish()
	for {
		select {
		case <-c.ctx.Done():
			return
		case <-notices:
			c.reload()
		case <-c.resized:
			c.resize()
		case f := <-c.work:
			f()
		}
		c.settle()
		c.publish()
	}
}

// later hands f to the loop from a goroutine of the conductor's own.
func (c *Conductor) later(f func()) {
	select {
	case c.work <- f:
	case <-c.ctx.Done():
	}
}

// after hands f to the loop when d has passed. The timer is gone when the
// conductor is.
func (c *Conductor) after(d time.Duration, f func()) *time.Timer {
	return time.AfterFunc(d, func() { c.later(f) })
}

// ask runs f in the loop and waits for its end; false when the conductor is closed.
func (c *Conductor) ask(f func()) bool {
	done := make(chan struct{})
	select {
	case c.work <- func() { defer close(done); f() }:
		<-done
		return true
	case <-c.closed:
		return false
	}
}

// Changed tells that there is something new to draw. Notices are merged: one may
// stand for many.
func (c *Conductor) Changed() <-chan struct{} { return c.changed }

// View is what can be seen now.
func (c *Conductor) View() View {
	v := *c.view.Load()
	v.Gate = c.gate.look()
	return v
}

func (c *Conductor) poke() {
	select {
	case c.changed <- struct{}{}:
	default: // a notice is waiting already, and it says the same
	}
}

func (c *Conductor) notice(isError bool, format string, args ...any) {
	c.notices = append(c.notices, Notice{At: time.Now(), Text: fmt.Sprintf(format, args...), Error: isError})
	if extra := len(c.notices) - 100; extra > 0 {
		c.notices = append([]Notice(nil), c.notices[extra:]...)
	}
}

// ferrus gives a command as ferrus itself, about the session of command.By if it
// names one. A refusal means that the state has moved on, which the next turn of
// the loop sees; anything else is shown.
func (c *Conductor) ferrus(command core.Command) bool {
	command.By = core.Actor{Role: machine.Ferrus, ID: "ferrus", Session: command.By.Session}
	_, err := c.project.Do(c.ctx, store.Call{}, command)
	if err != nil && !isRefusal(err) {
		c.deny(err)
	}
	c.reload()
	return err == nil
}
