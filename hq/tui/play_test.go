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
	"ferrus/hq/core"
	"ferrus/hq/land"
	"ferrus/hq/spec"
	"ferrus/hq/workflow"
	"ferrus/store"
	"ferrus/ui/termtest"
	"ferrus/ui/view"
	"ferrus/ui/vt"
)

// TestMain lets the test binary play HQ in a terminal: DECK_PLAY says how.
func TestMain(m *testing.M) {
	if scene := os.Getenv("DECK_PLAY"); scene != "" {
		os.Exit(play(scene))
	}
	time.Local = time.UTC // for pages that name times of day
	os.Exit(termtest.M{Tests: m}.Run())
}

// play runs HQ over a stage, and writes what was asked of it to DECK_LOG.
func play(scene string) int {
	if scene == "empty" {
		_, err := tea.NewProgram(empty{}, tea.WithFPS(120)).Run()
		return map[bool]int{true: 1}[err != nil]
	}
	log, err := os.OpenFile(os.Getenv("DECK_LOG"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	s := newStage(scene, log)
	var mark func(int64) string
	if os.Getenv("DECK_IDLE") != "" {
		mark = termtest.IdleMark
	}
	err = Run(context.Background(), s, Options{
		History:  []string{"/plan", "/status"},
		IdleMark: mark,
		Remember: func(line string) { s.note("remember %s", line) },
		Models:   func() []view.RoleModel { return []view.RoleModel{{Role: "executor", Agent: "demo"}} },
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "ferrus:", err)
		return 1
	}
	return 0
}

// stage is an engine without agents: its executor is a terminal that shows what
// is typed into it.
type stage struct {
	scene    string
	log      *os.File
	changed  chan struct{}
	terminal *vt.Locked
	mu       sync.Mutex
	state    core.World // guarded by mu
	falls    bool       // guarded by mu: the next look panics
	forced   bool       // guarded by mu: a check runs
	specs    []spec.Spec
	plan     land.Plan
	refused  []conductor.RefusedCall
}

func newStage(scene string, log *os.File) *stage {
	s := &stage{scene: scene, log: log, changed: make(chan struct{}, 1), terminal: vt.NewLocked(80, 24, 1000)}
	s.state = core.New(time.Now())
	if scene == "flood" {
		go s.flood()
	}
	if scene != "idle" {
		s.state.State = "Executing"
		s.state.Task = &core.Task{ID: "t-20261120-101500-4f2a", Title: "Play HQ"}
	}
	return s
}

// flood has the executor write as fast as it can.
func (s *stage) flood() {
	for i := 0; ; i++ {
		fmt.Fprintf(s.terminal, "\x1b[3%dm%d a line of a flood that never ends, %d\x1b[m\r\n", i%8, i, i*i)
		s.change()
	}
}

func (s *stage) note(format string, args ...any) { fmt.Fprintf(s.log, format+"\n", args...) }

func (s *stage) change() {
	select {
	case s.changed <- struct{}{}:
	default: // one is waiting, and it says the same
	}
}

func (s *stage) gate(running bool) {
	s.mu.Lock()
	s.forced = running
	s.mu.Unlock()
	s.change()
}

func (s *stage) View() conductor.View {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.falls {
		panic("the stage falls down")
	}
	v := conductor.View{Project: "/tmp/play", State: store.State[core.World]{Seq: 1, World: s.state}, Limits: core.Limits{CheckRetries: 20, ReviewCycles: 3}, Options: core.OpenTransitions(s.state), Refused: s.refused}
	v.Gate = conductor.GateView{Running: s.forced, Started: time.Now()}
	if s.scene != "idle" {
		v.Panes = []conductor.PaneView{{Slot: core.SlotExecutor, Agent: "demo", State: "Running", Session: 1, Since: time.Now(), Interactive: true, Terminal: s.terminal}}
	}
	return v
}

func (s *stage) Updates() <-chan struct{} { return s.changed }

func (s *stage) Do(_ context.Context, c core.Command) (core.Result, error) {
	line := fmt.Sprintf("do %s %s by %s", c.Kind, c.Text, c.By.ID)
	if c.Ticket != 0 {
		line += fmt.Sprintf(" ticket %d", c.Ticket)
	}
	s.note("%s", line)
	return core.Result{}, nil
}

func (s *stage) Specs() ([]spec.Spec, error) { return s.specs, nil }

func (s *stage) Choose(_ context.Context, name, milestone string) error {
	s.note("choose %s %s", name, milestone)
	return nil
}

func (s *stage) Workflow() (workflow.Workflow, string, error) {
	return workflow.Workflow{}, "# story", nil
}

func (s *stage) StartWorkflow(_ context.Context, kind, title string) (workflow.Workflow, error) {
	s.note("workflow %s %s", kind, title)
	return workflow.Workflow{}, nil
}

func (s *stage) Decide(_ context.Context, kind, text string) (workflow.Workflow, error) {
	s.note("decide %s %s", kind, text)
	return workflow.Workflow{}, nil
}

func (s *stage) LandPlan(_ context.Context, o land.Options) (land.Plan, error) {
	s.note("look at landing keep=%v", o.Keep)
	return s.plan, nil
}

func (s *stage) Land(_ context.Context, o land.Options) (land.Done, error) {
	s.note("land %q keep=%v", o.Message, o.Keep)
	return land.Done{Commit: "0123456789abcdef", Onto: "main"}, nil
}

func (s *stage) Want(w core.Request) error {
	s.note("want %s %s %s manual=%v", w.Kind, w.Role, w.Text, w.Manual)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.falls = s.scene == "panic"
	s.change()
	return nil
}

func (s *stage) Start(slot core.Slot) error { s.note("start %s", slot); return nil }

func (s *stage) Resume(context.Context) (string, error) {
	s.note("resume")
	return "the executor starts again", nil
}

func (s *stage) Stop(context.Context) error { s.note("stop"); return nil }

func (s *stage) CheckForce(ctx context.Context) error {
	s.note("force")
	if s.scene == "slow" {
		s.gate(true)
		defer s.gate(false)
		<-ctx.Done()
	}
	return ctx.Err()
}

func (s *stage) CheckCancel(context.Context) error { s.note("cancel"); return nil }

func (s *stage) SetModel(role, model string) error {
	s.note("model %s %s", role, model)
	return fmt.Errorf("edit ferrus.toml: there is no model %s", model)
}

func (s *stage) Input(slot core.Slot, data []byte) {
	if s.scene == "panic-typing" {
		panic("the keyboard falls down")
	}
	s.note("input %s %q", slot, data)
	_, _ = s.terminal.Write(data)
	s.change()
}

func (s *stage) Resize(slot core.Slot, columns, rows int) {
	s.note("resize %s %dx%d", slot, columns, rows)
	if slot == core.SlotExecutor {
		s.terminal.Resize(columns, rows)
	}
}

func (s *stage) Close(hold bool) error { s.note("close %v", hold); return nil }
func (s *stage) SendMessage(slot core.Slot, text string) (string, error) {
	s.note("tell %s %s", slot, text)
	return "the " + string(slot) + " is told", nil
}
func (s *stage) ReadEntry(seq uint64) (conductor.EntryDetail, error) {
	return conductor.EntryDetail{Line: store.Entry{Seq: seq, Event: "create_task", By: "person", Why: "Play HQ"}, Texts: []conductor.EntryText{{Name: "TASK.md", Text: "# Play HQ\n\nAll of it."}}}, nil
}

func (s *stage) Diff(context.Context) (conductor.Diff, error) {
	return conductor.Diff{}, errors.New("there is no repository on a stage")
}

func (s *stage) Detach() error { s.note("leave"); return nil }
