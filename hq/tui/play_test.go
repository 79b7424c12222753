package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ferrus/hq/conductor"
	"ferrus/hq/conductor/gateview"
	"ferrus/hq/conductor/journal"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/spec"
	"ferrus/hq/tui/slash"
	"ferrus/store"
	"ferrus/ui/termtest"
	"ferrus/ui/view"
	"ferrus/ui/vt"
)

// TestMain lets the test binary be HQ in a terminal: HQ_SCENE names its fakes.
func TestMain(m *testing.M) {
	if scene := os.Getenv("HQ_SCENE"); scene != "" {
		os.Exit(play(scene))
	}
	time.Local = time.UTC // for pages that name times of day
	os.Exit(termtest.M{Tests: m}.Run())
}

// play runs HQ over fakes, which write their calls to HQ_LOG.
func play(scene string) int {
	if scene == "empty" {
		_, err := tea.NewProgram(empty{}, tea.WithFPS(120)).Run()
		return map[bool]int{true: 1}[err != nil]
	}
	file, err := os.OpenFile(os.Getenv("HQ_LOG"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	var mark func(int64) string
	if os.Getenv("HQ_IDLE") != "" {
		mark = termtest.IdleMark
	}
	err = Run(context.Background(), fakeOptions(scene, &log{file: file}, mark))
	if err != nil {
		fmt.Fprintln(os.Stderr, "ferrus:", err)
		return 1
	}
	return 0
}

// fakeOptions are HQ over fakes.
func fakeOptions(scene string, l *log, mark func(int64) string) Options {
	engine := newFakeEngine(scene, l)
	return Options{
		Engine: engine,
		Commands: &slash.Env{
			Viewer: engine, Tasks: fakeTasks{l}, Sessions: fakeSessions{l, engine}, Gate: fakeGate{l, engine},
			Humans: fakeGate{l, engine},
			Specs:  noSpecs{},
			Models: fakeModels{l},
		},
		History: []string{"/plan", "/status"},
		Memory:  fakeMemory{l},
		Settings: func(*core.Pin) Settings {
			return Settings{Models: []view.RoleModel{{Role: "executor", Agent: "demo"}}}
		},
		IdleMark: mark,
	}
}

// log lists the calls of the fakes.
type log struct{ file *os.File }

func (l *log) note(format string, args ...any) { fmt.Fprintf(l.file, format+"\n", args...) }

// fakeEngine has no agents: its executor is a terminal that shows typed text.
type fakeEngine struct {
	*log
	scene    string
	changed  chan struct{}
	printed  chan struct{}
	terminal *vt.Locked
	mu       sync.Mutex
	state    core.World // guarded by mu
	panics   bool       // guarded by mu: at the next View
	forced   bool       // guarded by mu: a check runs
}

func newFakeEngine(scene string, l *log) *fakeEngine {
	e := &fakeEngine{log: l, scene: scene, changed: make(chan struct{}, 1), printed: make(chan struct{}, 1),
		terminal: vt.NewLocked(80, 24, 1000)}
	e.state = core.New(time.Now())
	if scene == "flood" {
		go e.flood()
	}
	if scene != "idle" {
		e.state.State = "Executing"
		e.state.Task = &core.Task{ID: "t-20261120-101500-4f2a", Title: "Play HQ"}
	}
	return e
}

// flood has the executor write as fast as it can.
func (e *fakeEngine) flood() {
	for i := 0; ; i++ {
		fmt.Fprintf(e.terminal, "\x1b[3%dm%d a line of a flood that never ends, %d\x1b[m\r\n", i%8, i, i*i)
		notify(e.printed)
	}
}

func (e *fakeEngine) change() { notify(e.changed) }

func notify(signal chan<- struct{}) {
	select {
	case signal <- struct{}{}:
	default: // one is waiting, and it says the same
	}
}

// setForced says whether a check runs.
func (e *fakeEngine) setForced(running bool) {
	e.mu.Lock()
	e.forced = running
	e.mu.Unlock()
	e.change()
}

func (e *fakeEngine) View() conductor.View {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.panics {
		panic("the engine falls down")
	}
	v := conductor.View{
		Project: "/tmp/play", State: store.State[core.World]{Seq: 1, World: e.state},
		Limits: core.Limits{CheckRetries: 20, ReviewCycles: 3}, Options: core.OpenTransitions(e.state),
		Gate: gateview.View{Running: e.forced, Started: time.Now()},
	}
	if e.scene != "idle" {
		v.Panes = []conductor.PaneView{{
			Slot: core.SlotExecutor, Agent: "demo", State: "Running", Session: 1, Since: time.Now(), Interactive: true,
			Terminal: e.terminal,
		}}
	}
	return v
}

func (e *fakeEngine) Updates() <-chan struct{} { return e.changed }
func (e *fakeEngine) Printed() <-chan struct{} { return e.printed }

func (e *fakeEngine) Input(slot core.Slot, data []byte) {
	if e.scene == "panic-typing" {
		panic("the keyboard falls down")
	}
	e.note("input %s %q", slot, data)
	_, _ = e.terminal.Write(data)
	notify(e.printed)
}

func (e *fakeEngine) Resize(slot core.Slot, columns, rows int) {
	e.note("resize %s %dx%d", slot, columns, rows)
	if slot == core.SlotExecutor {
		e.terminal.Resize(columns, rows)
	}
}

func (e *fakeEngine) ReadEntry(seq uint64) (journal.Detail, error) {
	return journal.Detail{
		Line:  store.Entry{Seq: seq, Event: "create_task", By: "human", Why: "Play HQ"},
		Texts: []journal.EntryText{{Name: "TASK.md", Text: "# Play HQ\n\nAll of it."}},
	}, nil
}

func (e *fakeEngine) Diff(context.Context, int) (project.CommentedDiff, error) {
	return project.CommentedDiff{}, errors.New("there is no repository")
}

func (e *fakeEngine) Close(hold bool) error { e.note("close %v", hold); return nil }

func (e *fakeEngine) Detach() error { e.note("detach"); return nil }

type fakeMemory struct{ *log }

func (m fakeMemory) SaveHistory(line string)       { m.note("history %s", line) }
func (m fakeMemory) SaveLayout(l view.SavedLayout) { m.note("layout %d", l.Split.Left) }

type fakeTasks struct{ *log }

func (f fakeTasks) WholeRequest(uint64) (string, error) { return "", nil }

func (f fakeTasks) Do(_ context.Context, c core.Command) (core.Result, error) {
	f.note("do %s %s by %s", c.Kind, c.Text, c.By.Role)
	return core.Result{State: "Executing", Status: "created"}, nil
}

type fakeSessions struct {
	*log
	engine *fakeEngine
}

func (f fakeSessions) Want(w core.Request) error {
	f.note("want %s %s %s manual=%v", w.Kind, w.Role, w.Text, w.Manual)
	f.engine.mu.Lock()
	defer f.engine.mu.Unlock()
	f.engine.panics = f.engine.scene == "panic"
	f.engine.change()
	return nil
}

func (f fakeSessions) SwitchScreen(slot core.Slot) (string, error) {
	f.note("screen %s", slot)
	return "The executor continues", nil
}

func (f fakeSessions) Start(slot core.Slot) error { f.note("start %s", slot); return nil }

func (f fakeSessions) TakeLease(_ context.Context, slot core.Slot) error {
	f.note("take %s", slot)
	return nil
}

func (f fakeSessions) Resume(context.Context) (string, error) {
	f.note("resume")
	return "The executor starts again", nil
}

func (f fakeSessions) SendMessage(slot core.Slot, text string) (string, error) {
	f.note("tell %s %s", slot, text)
	return "Message sent to the " + string(slot), nil
}

func (f fakeSessions) Stop(context.Context) error { f.note("stop"); return nil }

type fakeGate struct {
	*log
	engine *fakeEngine
}

func (f fakeGate) CheckForce(ctx context.Context) error {
	f.note("force")
	if f.engine.scene == "slow" {
		f.engine.setForced(true)
		defer f.engine.setForced(false)
		<-ctx.Done()
	}
	return ctx.Err()
}

func (f fakeGate) Allow(context.Context, int, bool) error { f.note("allow"); return nil }
func (f fakeGate) CheckCancel(context.Context) error      { f.note("cancel"); return nil }
func (f fakeGate) Trust(context.Context, []string) error  { f.note("trust"); return nil }

type fakeModels struct{ *log }

func (f fakeModels) SetModel(role, model string) error {
	f.note("model %s %s", role, model)
	return fmt.Errorf("edit ferrus.toml: there is no model %s", model)
}

func (f fakeModels) SwitchAgent(role, agent string) error {
	f.note("switch %s %s", role, agent)
	return nil
}

type noSpecs struct{}

func (noSpecs) Specs() ([]spec.Spec, error)                           { return nil, nil }
func (noSpecs) SelectMilestone(context.Context, string, string) error { return errors.ErrUnsupported }

func (*fakeEngine) WorkIn() (string, []string, error) { return os.TempDir(), nil, nil }
