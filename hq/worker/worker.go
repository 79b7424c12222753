// Package worker is the other machine's side of [wire]: it has its own workspaces, sandboxes,
// agents and logins, runs the sessions that home starts, and decides nothing.
//
// A [Worker] outlives its links. `ferrus worker --stdio` connects one to it ([Worker.Listen]);
// other transports call [Worker.Handler] for each link. For each home, a project on one of your
// machines, it keeps a repository with a worktree for each task (home.go, workspace.go), and
// the running sessions (session.go). A pane shows a session's screen (pane.go); its agent calls
// home's tools over a channel that survives its links (tools.go).
//
// While home does not answer, sessions continue and their calls wait. After a timeout that home
// has set, the worker ends them and keeps their work: home gets it when it is back, if the
// attempt is still the newest. A request that names an older attempt is refused.
package worker

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"ferrus/hq/project"
	"ferrus/hq/wire"
	"ferrus/ui/text/lazyregexp"
)

// Options say what a worker is. They do not change.
type Options struct {
	Dir    string     // where it keeps everything, absolute
	Ferrus string     // this program
	Build  wire.Build // of it
	Slots  int        // sessions of tasks that it takes at most; 0: home says
	Labels []string
	// Open opens the project in a directory, which is made first if it has none.
	Open func(ctx context.Context, dir string) (*project.Task, error)
	// Agents returns the agents that are, and are not, installed.
	Agents func() []wire.Agent
	// Walls describes what sessions run in.
	Walls string
	Log   *slog.Logger
	// Replaced reports whether the program on disk is another than this one; nil: it is not known.
	Replaced func() bool
}

// Worker runs sessions for homes. Make it with [New].
type Worker struct {
	Options
	boot   string
	socket string // see Listen

	old chan struct{} // size 1: a newer program is here

	mu    sync.Mutex // guards the rest
	homes map[string]*home
	links int
	quiet time.Time // since when there is neither a link nor a session
}

// New returns a worker, which ends what one before it left running.
func New(o Options) (*Worker, error) {
	random := make([]byte, 8)
	rand.Read(random) //nolint:errcheck // it never fails
	w := &Worker{Options: o, boot: hex.EncodeToString(random), homes: map[string]*home{}, quiet: time.Now(),
		old: make(chan struct{}, 1)}
	if err := os.MkdirAll(filepath.Join(o.Dir, "homes"), 0o700); err != nil {
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	if w.Log == nil {
		w.Log = slog.New(slog.DiscardHandler)
	}
	return w, w.endLeftovers()
}

// Handler returns what answers one link. A transport that knows which home it comes from names that home; then
// the link cannot speak for another.
func (w *Worker) Handler(home string) wire.Handler { return &linked{worker: w, only: home} }

// linked is one link, from its greeting on.
type linked struct {
	worker *Worker
	only   string // the id of the home; empty: the home names it

	mu   sync.Mutex
	home *home // guarded by mu; nil: it was not greeted
}

// errNotGreeted is the answer to everything before the greeting.
var errNotGreeted = errors.New("greet this worker first")

func (l *linked) greeted() (*home, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.home == nil {
		return nil, errNotGreeted
	}
	l.home.hear()
	return l.home, nil
}

// Call answers a call.
func (l *linked) Call(ctx context.Context, m wire.Method, body []byte) ([]byte, error) {
	if m == wire.MethodHello {
		return answer(m, body, func(h wire.Hello) (wire.Welcome, error) { return l.greet(ctx, h) })
	}
	h, err := l.greeted()
	if err != nil {
		return nil, err
	}
	switch m {
	case wire.MethodStatus:
		return answer(m, []byte("{}"), func(struct{}) (wire.Status, error) { return l.worker.status(h), nil })
	case wire.MethodHave:
		return answer(m, body, func(q wire.Have) (wire.Have, error) { return h.have(ctx, q) })
	case wire.MethodPlace:
		return answer(m, body, func(q wire.Place) (wire.Workspace, error) { return h.place(ctx, q) })
	case wire.MethodTree:
		return answer(m, body, func(q wire.Task) (wire.Workspace, error) { return h.tree(ctx, q) })
	case wire.MethodStart:
		return answer(m, body, func(q wire.Start) (struct{}, error) { return struct{}{}, h.start(ctx, q) })
	case wire.MethodEnd:
		return answer(m, body, func(q wire.End) (wire.Ending, error) { return h.endSession(ctx, q) })
	case wire.MethodForget:
		return answer(m, body, func(q wire.Forget) (struct{}, error) { return struct{}{}, h.forget(ctx, q) })
	}
	return nil, fmt.Errorf("this worker cannot answer %q", wire.Words(string(m), 40))
}

// Stream serves a stream.
func (l *linked) Stream(ctx context.Context, m wire.Method, body []byte, s wire.Stream) error {
	h, err := l.greeted()
	if err != nil {
		return err
	}
	switch m {
	case wire.MethodPack:
		return serve(m, body, func(q wire.Pack) error { return h.receivePack(ctx, q, s) })
	case wire.MethodFetch:
		return serve(m, body, func(q wire.Fetch) error { return h.sendPack(ctx, q, s) })
	case wire.MethodUserFile:
		return serve(m, body, func(q wire.UserFile) error { return h.receiveFile(ctx, q, s) })
	case wire.MethodSetup:
		return serve(m, body, func(q wire.Setup) error { return h.setup(ctx, q, s) })
	case wire.MethodPane:
		return serve(m, body, func(q wire.Pane) error { return h.showPane(ctx, q, s) })
	case wire.MethodGate:
		return serve(m, body, func(q wire.Gate) error { return h.runGate(ctx, q, s) })
	case wire.MethodTools:
		return serve(m, body, func(q wire.Tools) error { return h.carryTools(ctx, q, s) })
	}
	return fmt.Errorf("this worker has no stream %q", wire.Words(string(m), 40))
}

// greet answers the first call of a link.
func (l *linked) greet(ctx context.Context, h wire.Hello) (wire.Welcome, error) {
	w := l.worker
	welcome := wire.Welcome{Build: w.Build, Boot: w.boot}
	welcome.Worker, _ = os.Hostname()
	// Home says what to do about it.
	if h.Protocol != wire.Protocol || h.System == w.Build.System && h.Hash != w.Build.Hash {
		w.giveWay()
		return welcome, nil
	}
	if l.only != "" && h.Home != l.only {
		return welcome, errors.New("greet a worker: this connection belongs to another home")
	}
	found, err := w.homeOf(ctx, h)
	if err != nil {
		return welcome, err
	}
	found.hear()
	l.mu.Lock()
	l.home = found
	l.mu.Unlock()
	welcome.Status = w.status(found)
	return welcome, nil
}

// giveWay makes Run return if nothing is running and this worker's executable has been replaced since it
// started: the next link then starts the new one.
func (w *Worker) giveWay() {
	if w.Replaced != nil && !w.Replaced() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, h := range w.homes {
		if h.lives() {
			return
		}
	}
	select {
	case w.old <- struct{}{}:
	default:
	}
}

// homeIDs are what a home may call itself: it is the name of a directory.
var homeIDs = lazyregexp.New(`^[a-f0-9]{8,64}$`)

// homeOf returns a home, which is made when it is greeted first.
func (w *Worker) homeOf(ctx context.Context, hello wire.Hello) (*home, error) {
	if !homeIDs.MatchString(hello.Home) {
		return nil, errors.New("greet a worker: the home has no valid id")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	h, err := w.open(ctx, hello.Home)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	h.patience = min(max(time.Duration(hello.Patience)*time.Second, time.Second), 7*24*time.Hour)
	h.mu.Unlock()
	w.Log.Info("greeted", "home", hello.Home, "project", wire.Words(hello.Project, 100), "patience", h.patience)
	return h, nil
}

// open opens a home, unless it is open. The caller holds mu.
func (w *Worker) open(ctx context.Context, id string) (*home, error) {
	if h := w.homes[id]; h != nil {
		return h, nil
	}
	h, err := openHome(ctx, w, id)
	if err == nil {
		w.homes[id] = h
	}
	return h, err
}

// openAll opens the homes of the previous worker, which ends the gates that it left running.
func (w *Worker) openAll(ctx context.Context) {
	known, _ := os.ReadDir(filepath.Join(w.Dir, "homes")) // one that cannot be read is opened when it is greeted
	for _, one := range known {
		if !homeIDs.MatchString(one.Name()) {
			continue
		}
		w.mu.Lock()
		_, err := w.open(ctx, one.Name())
		w.mu.Unlock()
		if err != nil {
			w.Log.Warn("a home cannot be opened", "home", one.Name(), "error", err)
		}
	}
}

// status says how the worker is.
func (w *Worker) status(h *home) wire.Status {
	return wire.Status{
		Agents: w.Agents(), Labels: w.Labels, Slots: w.slotsFor(h), Load: load(), Cores: runtime.NumCPU(),
		MemoryMB: freeMemoryMB(), DiskMB: freeDiskMB(w.Dir), Walls: w.Walls,
		Sessions: h.list(), Gates: h.gateNames(), Tasks: h.kept(),
	}
}

// slotsFor returns how many tasks the worker takes of a home: the slots that other homes leave; 0 also if home says.
func (w *Worker) slotsFor(h *home) int {
	if w.Slots == 0 {
		return 0
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	left := w.Slots
	for _, other := range w.homes {
		if other != h {
			left -= other.tasks()
		}
	}
	return max(left, 0)
}

// Run ends the sessions of homes that stay away for too long. It returns when the context
// ends, or when there has been neither a link nor a session for idle. It ends all sessions
// before it returns.
func (w *Worker) Run(ctx context.Context, idle time.Duration) {
	w.openAll(ctx)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			w.endAll("the worker was stopped")
			return
		case <-w.old:
			time.Sleep(time.Second) // the link that asked reads its answer
			return
		case <-tick.C:
		}
		if w.inspect() > idle && idle > 0 {
			return
		}
	}
}

// inspect ends the sessions of homes that are silent, and returns for how long nothing was done.
func (w *Worker) inspect() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	lives := w.links > 0
	for _, h := range w.homes {
		if h.lives() {
			lives = true
			h.endIfSilent()
		}
	}
	if lives {
		w.quiet = time.Now()
	}
	return time.Since(w.quiet)
}

func (w *Worker) endAll(why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var ending sync.WaitGroup
	for _, h := range w.homes {
		ending.Go(func() { h.endAll(why) })
	}
	ending.Wait()
}
