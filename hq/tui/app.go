package tui

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"

	"ferrus/hq/tui/slash"
	"ferrus/hq/tui/tty"
	"ferrus/ui"
	"ferrus/ui/style"
	"ferrus/ui/vt"
)

// app is one run of HQ, or the screen of an attached one. It has more than 12 fields because
// it connects the parts of a run: terminal, program, workers and clients.
type app struct {
	Options
	ctx      context.Context
	program  *tea.Program
	drawing  drawing
	terminal *tty.Terminal
	settings atomic.Pointer[Settings] // as they were read last
	typed    *typing
	ordered  *orderedWork // what has to be done in order: sizes, and what is saved
	idle     idleMarker
	workers  sync.WaitGroup
	stop     atomic.Bool // the human quit, and the sessions with that
	clients  clients
	shown    atomic.Pointer[[]*vt.Locked] // the terminals of the newest view
	focused  atomic.Pointer[vt.Locked]    // of the pane with the keys
	drafts   unsavedDrafts
	crash
}

// crash is a panic of a worker.
type crash struct {
	mu       sync.Mutex
	panicked error // guarded by mu
}

func newApp(ctx context.Context, o Options) *app {
	a := &app{Options: o, ctx: ctx, terminal: tty.Open(os.Stdin, os.Stdout), ordered: &orderedWork{}}
	a.clients.all = map[*client]bool{}
	a.settings.Store(&Settings{})
	a.idle = idleMarker{mark: o.IdleMark, send: func(msg tea.Msg) { a.program.Send(msg) }, read: a.terminal.Read}
	a.terminal.Wrote = a.idle.wrote
	a.typed = newTyping(o.Engine)
	screen := a.newScreen()
	a.drawing = newDrawing(screen, func(msg tea.Msg) ui.Haste {
		a.focused.Store(screen.FocusedTerminal())
		return screen.Haste(msg)
	})
	a.program = tea.NewProgram(a.drawing.screen, a.programOptions()...)
	a.drawing.attach(a.program)
	return a
}

// newScreen returns what the terminal shows, of HQ or of an attached one.
func (a *app) newScreen() *ui.Model {
	return ui.New(ui.Options{
		Do: a.do, Now: a.Now, Commands: slash.Table, Topics: slash.Topics, History: a.History, Layout: a.Layout,
		Terminal: style.TerminalOf(a.Environ), After: after,
	})
}

// after sends the screen a message after some time.
func after(d time.Duration, msg tea.Msg) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return msg })
}

func (a *app) programOptions() []tea.ProgramOption {
	options := []tea.ProgramOption{tea.WithFPS(120), tea.WithoutSignalHandler(), tea.WithFilter(a.filter)}
	return append(options, a.terminal.Options(a.Environ, func() { go a.program.Quit() })...)
}

// filter sees every message on its way to the screen.
func (a *app) filter(m tea.Model, msg tea.Msg) tea.Msg {
	switch msg.(type) {
	case drawMsg:
		return nil
	case tea.QuitMsg:
		a.drawing.screen.whole = true // the last view is a true one
	}
	return a.idle.filter(a.terminal.NewestSize(m, msg))
}

// start starts the workers. They end with the context.
func (a *app) start() {
	a.work(a.sendFrames)
	a.work(a.drawOutput)
	a.work(a.admit)
	a.work(func() { a.drawing.run(a.ctx, a.program.Send) })
	a.work(a.awaitSignals())
	a.work(tty.WatchSize(a.ctx, a.program.Send))
}

// end ends what start began, and the engine. The sessions are stopped only if the human
// wants that.
func (a *app) end(err error) []error {
	a.typed.close()
	a.workers.Wait()
	a.ordered.flush()
	var closing error
	if a.stop.Load() {
		closing = a.Engine.Close(true)
	} else {
		closing = a.Engine.Detach()
	}
	a.typed.ended.Wait()
	return []error{a.failure(err), closing}
}

// work runs a worker on a goroutine of its own. A panic there ends the program, so that
// the terminal is given back.
func (a *app) work(worker func()) {
	a.workers.Add(1)
	go func() {
		defer a.workers.Done()
		defer a.recoverPanic()
		worker()
	}()
}

// guard returns a command whose panic ends the program as a worker's does. Bubble Tea
// would print it while the program ends, which may be too late.
func (a *app) guard(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		defer a.recoverPanic()
		msg := cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for i := range batch {
				batch[i] = a.guard(batch[i])
			}
		}
		return msg
	}
}

// recoverPanic ends the program when the function that defers it panics.
func (a *app) recoverPanic() {
	if r := recover(); r != nil {
		a.mu.Lock()
		a.panicked = fmt.Errorf("run the screen: %v\n%s", r, debug.Stack())
		a.mu.Unlock()
		a.program.Kill()
	}
}

func (a *app) failure(err error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.panicked != nil {
		return a.panicked
	}
	if err != nil {
		return fmt.Errorf("run the screen: %w", err)
	}
	return nil
}

// awaitSignals catches signals from the call on. The worker that it returns quits in
// good order on SIGTERM, SIGHUP and SIGINT, or when the context is done.
func (a *app) awaitSignals() func() {
	c := make(chan os.Signal, 1) // one is enough to end
	signal.Notify(c, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	return func() {
		defer signal.Stop(c)
		select {
		case s := <-c:
			if s != syscall.SIGHUP { // no answer comes any more
				a.terminal.Drain(a.ctx)
			}
		case <-a.ctx.Done():
		}
		a.program.Quit()
	}
}
