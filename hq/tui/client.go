package tui

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/tui/projection"
	"ferrus/hq/tui/slash"
	"ferrus/hq/tui/tty"
	"ferrus/ui"
	"ferrus/ui/intent"
	"ferrus/ui/view"
)

// Client is the terminal of another HQ of this project, attached to this one: it has a screen of its own
// here with a task of its own selected, and what the human does there is done by this one. Sessions have the size of
// the first screen that shows their task.
type Client struct {
	In            io.Reader // what is typed; it ends when the other HQ is gone
	Out           io.Writer // fails once the other HQ is gone
	Sizes         <-chan [2]int
	Columns, Rows int
	Environ       []string
	Gone          <-chan struct{} // closed when the other HQ is gone
	Close         func()
	From          string // pts/3, process 4711
	Who           string // user@host, for one on another machine; empty: it is yours, on this machine
	Words         string // says there whose screen it is
}

// ClientLeft is the end of the output to a client that quit. Terminals ignore it.
const ClientLeft = "\x1b]7071;left\x1b\\"

// A Screen is what an attached screen works with: an engine with a selection of its own.
type Screen struct {
	Engine   Engine
	Commands *slash.Env
	Leave    func() // is called once the screen is gone
}

// clients are the attached screens.
type clients struct {
	mu  sync.Mutex
	all map[*client]bool // guarded by mu
}

// client is an attached screen. It gets the newest view, however slow its terminal is.
type client struct {
	*app
	wake  chan struct{} // size 1: there is a newer view
	again chan struct{} // size 1: the terminals of the view have something new
	drawn outputs       // guarded by clients.mu
	leave func()        // nil: it has the first HQ's selection
	words string
	via   string // as the journal names its terminal
	since int64  // the number of the last notice before it came
}

// awaken has every attached screen show the newest view.
func (g *clients) awaken() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for one := range g.all {
		raise(one.wake)
	}
}

// printed has the attached screens draw again whose terminals have something new.
func (g *clients) printed() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for one := range g.all {
		if _, any := one.drawn.haste(one.shown.Load(), nil); any {
			raise(one.again)
		}
	}
}

// add adds a screen, which shows the newest view.
func (g *clients) add(one *client) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.all[one] = true
	raise(one.wake)
}

func (g *clients) remove(one *client) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.all, one)
}

// project returns what the screen shows.
func (g *client) project(p *projection.Projector, v conductor.View, now time.Time) view.View {
	shown := g.app.project(p, v, now)
	shown.LooksOn = true
	shown.Notices = slices.DeleteFunc(slices.Clone(shown.Notices), func(n view.Notice) bool {
		return n.Number <= g.since || n.By == g.via
	})
	if shown.Hint == "" {
		shown.Hint = g.words + "; /quit leaves"
	}
	g.shown.Store(terminals(shown))
	return shown
}

// raise signals that there is something newer; the one who waits looks at the newest.
func raise(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // a signal is waiting already
	}
}

// admit accepts attached screens until HQ ends.
func (a *app) admit() {
	for {
		select {
		case <-a.ctx.Done():
			return
		case g := <-a.Clients:
			a.work(func() { a.serve(g) })
		}
	}
}

// serve runs the screen of a client until one of the two HQs ends.
func (a *app) serve(terminal Client) {
	defer terminal.Close()
	ctx, cancel := context.WithCancel(a.ctx)
	defer cancel()
	defer context.AfterFunc(ctx, terminal.Close)() // a terminal that takes nothing does not hold HQ up
	g := a.newClient(ctx, terminal)
	if g.leave != nil {
		defer g.leave()
	}
	a.clients.add(g)
	defer a.clients.remove(g)
	came := "Another HQ is watching from " + terminal.From
	left := "The HQ that was watching from " + terminal.From + " has left"
	if terminal.Who != "" {
		came, left = terminal.Who+" has joined from another machine", terminal.Who+" has left"
	}
	a.program.Send(ui.DoneMsg{Text: came})
	var workers sync.WaitGroup
	workers.Go(func() { g.follow(ctx, terminal) })
	_, _ = g.program.Run() // how it ends is of no interest here
	if ctx.Err() == nil {
		_, _ = io.WriteString(terminal.Out, ClientLeft) // the human quit there
	}
	cancel()
	workers.Wait()
	a.program.Send(ui.DoneMsg{Text: left})
}

// newClient makes the screen of a client.
func (a *app) newClient(ctx context.Context, t Client) *client {
	o := a.Options
	o.IdleMark = nil
	var leave func()
	if o.Another != nil {
		own := o.Another()
		o.Engine, o.Commands, leave = own.Engine, own.Commands, own.Leave
	}
	o.Environ = func(name string) string { return lookUp(t.Environ, name) }
	human := project.User{ID: cmp.Or(t.Who, core.HumanID), Via: "HQ, " + t.From}
	ctx = project.WithUser(ctx, human)
	child := &app{Options: o, ctx: ctx, typed: a.typed, ordered: a.ordered}
	child.settings.Store(a.settings.Load())
	g := &client{app: child, wake: make(chan struct{}, 1), again: make(chan struct{}, 1), leave: leave, words: t.Words,
		via: human.Via}
	for _, n := range o.Engine.View().Notices {
		g.since = max(g.since, n.Number)
	}
	options := append(tty.RemoteOptions(t.In, t.Out, t.Environ, t.Columns, t.Rows), tea.WithContext(ctx))
	child.program = tea.NewProgram(child.newScreen(), options...)
	return g
}

// follow brings a client its views and sizes.
func (g *client) follow(ctx context.Context, t Client) {
	clock := time.NewTimer(time.Hour)
	defer clock.Stop()
	var p projection.Projector
	var newest view.View
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.Gone:
			g.program.Kill()
			return
		case size := <-t.Sizes:
			g.program.Send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		case <-g.again:
			g.program.Send(ui.ViewMsg{View: newest})
		case <-g.wake:
			now := g.Now()
			v := g.Engine.View()
			newest = g.project(&p, v, now)
			g.program.Send(ui.ViewMsg{View: newest})
			if next := projection.NextTick(v, now); next > 0 {
				clock.Reset(next)
			}
		case <-clock.C:
			raise(g.wake)
		}
	}
}

// lookUp returns a variable of an environment.
func lookUp(environ []string, name string) string {
	for _, entry := range environ {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// elsewhere returns the command for what an attached screen does differently, and whether
// it does.
func (a *app) elsewhere(wanted intent.Intent) (tea.Cmd, bool) {
	if a.terminal != nil {
		return nil, false // it is the first HQ
	}
	switch wanted.(type) {
	case intent.Resize: // with the selection of the first HQ, sessions have its size
		return nil, a.Another == nil
	case intent.Quit:
		return tea.Quit, true
	case intent.Edit, intent.Suspend, intent.Shell, intent.OpenProject:
		return func() tea.Msg {
			return ui.DoneMsg{Text: "This needs its own terminal: do it in the first HQ", Error: true}
		}, true
	}
	return nil, false
}
