package tui

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/tui/tty"
	"ferrus/ui"
	"ferrus/ui/intent"
	"ferrus/ui/view"
)

// Client is the terminal of another HQ of this project, attached to this one: it has a screen of its own
// here, and what the human does there is done by this one. The sizes of sessions follow this one.
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

// clients are the attached screens.
type clients struct {
	mu     sync.Mutex
	all    map[*client]bool // guarded by mu
	newest view.View        // guarded by mu
}

// client is an attached screen. It gets the newest view, however slow its terminal is.
type client struct {
	*app
	mu     sync.Mutex
	newest view.View     // guarded by mu
	wake   chan struct{} // size 1: there is a newer one
	words  string
	via    string // as the journal names its terminal
	since  int64  // the number of the last notice before it came; set before the first view is shown
}

// show hands the newest view to every attached screen.
func (g *clients) show(v view.View) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.newest = v
	for one := range g.all {
		one.show(v)
	}
}

// add adds a screen, which gets the newest view.
func (g *clients) add(one *client) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.all[one] = true
	for _, n := range g.newest.Notices {
		one.since = max(one.since, n.Number)
	}
	one.show(g.newest)
}

// showAgain has every attached screen draw its view again: its panes have something new.
func (g *clients) showAgain() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for one := range g.all {
		one.awaken()
	}
}

func (g *clients) remove(one *client) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.all, one)
}

func (g *client) show(v view.View) {
	v.LooksOn = true
	v.Notices = slices.DeleteFunc(slices.Clone(v.Notices), func(n view.Notice) bool {
		return n.Number <= g.since || n.By == g.via
	})
	if v.Hint == "" {
		v.Hint = g.words + "; /quit leaves"
	}
	g.mu.Lock()
	g.newest = v
	g.mu.Unlock()
	g.awaken()
}

// awaken has the newest view sent to the screen.
func (g *client) awaken() {
	select {
	case g.wake <- struct{}{}:
	default: // it takes the newest
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
	o.Environ = func(name string) string { return lookUp(t.Environ, name) }
	human := project.User{ID: cmp.Or(t.Who, core.HumanID), Via: "HQ, " + t.From}
	ctx = project.WithUser(ctx, human)
	child := &app{Options: o, ctx: ctx, typed: a.typed, ordered: a.ordered}
	child.settings.Store(a.settings.Load())
	g := &client{app: child, wake: make(chan struct{}, 1), words: t.Words, via: human.Via}
	options := append(tty.RemoteOptions(t.In, t.Out, t.Environ, t.Columns, t.Rows), tea.WithContext(ctx))
	child.program = tea.NewProgram(child.newScreen(), options...)
	return g
}

// follow brings a client its views and sizes.
func (g *client) follow(ctx context.Context, t Client) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.Gone:
			g.program.Kill()
			return
		case size := <-t.Sizes:
			g.program.Send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		case <-g.wake:
			g.mu.Lock()
			v := g.newest
			g.mu.Unlock()
			g.program.Send(ui.ViewMsg{View: v})
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
	case intent.Resize: // sessions have the size of the first HQ
		return nil, true
	case intent.Quit:
		return tea.Quit, true
	case intent.Edit, intent.Suspend, intent.Shell, intent.OpenProject:
		return func() tea.Msg {
			return ui.DoneMsg{Text: "This needs its own terminal: do it in the first HQ", Error: true}
		}, true
	}
	return nil, false
}
