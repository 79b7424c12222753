// Package tui runs HQ: the screen of package ui over an [Engine].
//
// Call [Run]. It projects what the engine knows onto the screen whenever that
// changes, at most 120 times a second, and once a second while a clock on the
// screen moves; an idle HQ does nothing. What the person wants goes to the
// engine on other goroutines, so that the screen never waits.
//
// The terminal is given back after quitting, after a panic and after SIGTERM
// or SIGHUP; a terminal that is gone ends HQ as SIGHUP does. Only quitting ends the sessions and sets the hold "quit": after
// anything else they run on, and HQ goes on by itself when it is started again.
package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"

	"ferrus/hq/pair"
	"ferrus/hq/tui/tty"
	"ferrus/ui"
	"ferrus/ui/style"
	"ferrus/ui/view"
)

// Options are what a deck needs besides its engine. The zero value works.
type Options struct {
	History  []string                                        // of the prompt, oldest first
	Remember func(line string)                               // keeps a line of it
	Kept     view.SavedLayout                                // what the person did to the screen before
	Keep     func(view.SavedLayout)                          // keeps it
	Agents   []string                                        // the names that /register takes
	Models   func() []view.RoleModel                         // for /model; read at each use
	Keys     func() map[string][]string                      // other keys for actions; read at each use
	Trust    func(ctx context.Context, shown []string) error // lets check commands run
	Notify   func() string                                   // [hq] notify; nil: auto
	Environ  func(name string) string                        // nil: os.Getenv
	Now      func() time.Time

	// Found is what commands can be completed with; read when one is typed. The
	// specifications come from the engine.
	Found func() view.Completions
	// Texts are those of a task, put away or not, as Markdown.
	Texts func(task string) (string, error)
	// Pair begins a run of two agents beside the loop, or goes on with one; nil:
	// there are none.
	Pair func(ctx context.Context, w pair.Request) (string, error)
	// IdleMark returns what to write to the terminal when nothing is under way and so
	// many bytes of input were read, for tests; see package termtest. Nil: nothing.
	IdleMark func(read int64) string
	// Register carries out /register; nil: there is none.
	Register func(ctx context.Context, flags string) (string, error)
}

// Run shows HQ until the person quits, a signal ends it, or ctx is done, and
// then closes or leaves the engine.
func Run(ctx context.Context, e Engine, o Options) error {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Environ == nil {
		o.Environ = os.Getenv
	}
	if o.Register == nil {
		o.Register = func(context.Context, string) (string, error) {
			return "", errors.New("register in a shell: ferrus register")
		}
	}
	if o.Pair == nil {
		o.Pair = func(context.Context, pair.Request) (string, error) {
			return "", errors.New("run it in a shell: ferrus pair")
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	terminal := tty.Open(os.Stdin, os.Stdout)
	d := &deck{engine: e, options: o, ctx: ctx, terminal: terminal}
	d.idle = idleMarker{mark: o.IdleMark, out: os.Stdout, read: terminal.Read}
	d.typed = newTyping(e, d.guard)
	d.program = tea.NewProgram(ui.New(ui.Options{Do: func(i ui.Intent) tea.Cmd { return d.idle.track(d.do(i)) }, Now: o.Now, History: o.History, Kept: o.Kept, Terminal: style.TerminalOf(o.Environ)}), d.programOptions()...)
	d.own(d.frames)
	d.own(d.signals())
	d.own(tty.WatchSize(ctx, d.program.Send))
	_, err := d.program.Run()
	cancel()
	d.typed.close()
	d.running.Wait()
	closing := d.close()
	d.typed.ended.Wait()
	return errors.Join(d.failure(err), closing)
}

// close ends the sessions only when the person wished to.
func (d *deck) close() error {
	if d.wished.Load() {
		return d.engine.Close(true)
	}
	return d.engine.Detach()
}

// deck is one run of HQ.
type deck struct {
	engine   Engine
	options  Options
	ctx      context.Context
	program  *tea.Program
	terminal *tty.Terminal
	typed    *typing
	running  sync.WaitGroup
	wished   atomic.Bool // the person quit, and the sessions with them
	idle     idleMarker
	forced   forced
	kept     atomic.Pointer[view.SavedLayout]
	keeping  sync.Mutex // held while it is kept
	mu       sync.Mutex
	broken   error // guarded by mu: a panic of a goroutine of ours
}

func (d *deck) programOptions() []tea.ProgramOption {
	options := []tea.ProgramOption{tea.WithFPS(120), tea.WithoutSignalHandler(), tea.WithFilter(d.filter)}
	return append(options, d.terminal.Options(d.options.Environ, func() { go d.program.Quit() })...)
}

// filter sees every message on its way to the screen.
func (d *deck) filter(m tea.Model, msg tea.Msg) tea.Msg {
	return d.idle.filter(d.terminal.NewestSize(m, msg))
}

// own starts a goroutine that ends with the deck.
func (d *deck) own(work func()) {
	d.running.Add(1)
	go func() {
		defer d.running.Done()
		defer d.guard()
		work()
	}()
}

// guard ends the program when a goroutine of ours panics, so that the terminal
// is given back; Bubble Tea does that for its own goroutines only. Defer it.
func (d *deck) guard() {
	if r := recover(); r != nil {
		d.mu.Lock()
		d.broken = fmt.Errorf("run the screen: %v\n%s", r, debug.Stack())
		d.mu.Unlock()
		d.program.Kill()
	}
}

func (d *deck) failure(err error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.broken != nil {
		return d.broken
	}
	if err != nil {
		return fmt.Errorf("run the screen: %w", err)
	}
	return nil
}

// signals quits in good order on SIGTERM, SIGHUP and SIGINT, or when ctx is done.
// They are listened to from the call on; what it returns waits for them.
func (d *deck) signals() func() {
	c := make(chan os.Signal, 1) // one is enough to end
	signal.Notify(c, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	return func() {
		defer signal.Stop(c)
		select {
		case s := <-c:
			if s != syscall.SIGHUP { // nobody answers any more
				d.terminal.Drain(d.ctx)
			}
		case <-d.ctx.Done():
		}
		d.program.Quit()
	}
}

// shortest is the least time between two frames.
const shortest = time.Second / 120

// frames sends what is true to the screen: at once after a pause, and no oftener
// than the screen is drawn after that, or the terminal takes it.
func (d *deck) frames() {
	clock := time.NewTimer(0)
	defer clock.Stop()
	var p projector
	for {
		select {
		case <-d.ctx.Done():
			return
		case <-d.engine.Updates():
		case <-clock.C:
		}
		d.terminal.AwaitRoom(d.ctx)
		began, now := time.Now(), d.options.Now()
		v := d.engine.View()
		view := p.project(v, now)
		view.Agents = d.options.Agents
		if d.options.Models != nil {
			view.Models = d.options.Models()
		}
		if d.options.Keys != nil {
			view.Keys = d.options.Keys()
		}
		d.program.Send(ui.ViewMsg{View: view})
		clock.Stop()
		if ticks(v) {
			clock.Reset(now.Truncate(time.Second).Add(time.Second).Sub(now))
		}
		d.rest(shortest - time.Since(began))
	}
}

func (d *deck) rest(pause time.Duration) {
	if pause <= 0 {
		return
	}
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-d.ctx.Done():
	case <-t.C:
	}
}
