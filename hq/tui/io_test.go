package tui

import (
	"context"
	"io/fs"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ferrus/checks"
	"ferrus/hq/adopt"
	"ferrus/hq/advice"
	"ferrus/hq/comments"
	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/human"
	"ferrus/hq/land"
	"ferrus/hq/pair"
	"ferrus/hq/queue"
	"ferrus/hq/spec"
	"ferrus/hq/tui/projection"
	"ferrus/hq/tui/slash"
	"ferrus/hq/workflow"
	"ferrus/store"
	"ferrus/ui"
	"ferrus/ui/intent"
	"ferrus/ui/view"
	"ferrus/ui/vt"
)

// guard is everything that HQ reaches outside the screen. It fails the test when it is
// reached from Update.
type guard struct {
	*testing.T
	updating bool
	reached  map[string]bool
	view     conductor.View
}

func (g *guard) reach(name string) {
	if g.updating {
		g.Errorf("Update calls %s", name)
	}
	g.reached[name] = true
}

func (g *guard) View() conductor.View                       { g.reach("View"); return g.view }
func (g *guard) Updates() <-chan struct{}                   { g.reach("Updates"); return nil }
func (g *guard) Printed() <-chan struct{}                   { g.reach("Printed"); return nil }
func (g *guard) Input(core.Slot, []byte)                    { g.reach("Input") }
func (g *guard) Resize(core.Slot, int, int)                 { g.reach("Resize") }
func (g *guard) Close(bool) error                           { g.reach("Close"); return nil }
func (g *guard) Detach() error                              { g.reach("Detach"); return nil }
func (g *guard) SaveHistory(string)                         { g.reach("SaveHistory") }
func (g *guard) SaveLayout(view.SavedLayout)                { g.reach("SaveLayout") }
func (g *guard) Want(core.Request) error                    { g.reach("Want"); return nil }
func (g *guard) TakeLease(context.Context, core.Slot) error { g.reach("TakeLease"); return nil }
func (g *guard) Start(core.Slot) error                      { g.reach("Start"); return nil }
func (g *guard) Stop(context.Context) error                 { g.reach("Stop"); return nil }
func (g *guard) CheckForce(context.Context) error           { g.reach("CheckForce"); return nil }
func (g *guard) CheckCancel(context.Context) error          { g.reach("CheckCancel"); return nil }
func (g *guard) Trust(context.Context, []string) error      { g.reach("Trust"); return nil }
func (g *guard) Allow(context.Context, int, bool) error     { g.reach("Allow"); return nil }
func (g *guard) SwitchAgent(string, string) error           { g.reach("SwitchAgent"); return nil }
func (g *guard) SetModel(string, string) error              { g.reach("SetModel"); return nil }

func (g *guard) ReadEntry(uint64) (conductor.EntryDetail, error) {
	g.reach("ReadEntry")
	return conductor.EntryDetail{}, nil
}

func (g *guard) Diff(context.Context, int) (conductor.Diff, error) {
	g.reach("Diff")
	return conductor.Diff{Files: []checks.FilePatch{{Path: "a.go", Added: 1, Patch: "@@ -0,0 +1 @@\n+x\n"}}}, nil
}

func (g *guard) SaveDrafts([]comments.Draft) error { g.reach("SaveDrafts"); return nil }

func (g *guard) SendComments(context.Context, []comments.Draft, string) (comments.How, error) {
	g.reach("SendComments")
	return comments.AsMessage, nil
}

func (g *guard) WholeRequest(uint64) (string, error) {
	g.reach("WholeRequest")
	return "", nil
}

func (g *guard) Do(context.Context, core.Command) (core.Result, error) {
	g.reach("Do")
	return core.Result{}, nil
}

func (g *guard) Resume(context.Context) (string, error) { g.reach("Resume"); return "", nil }

func (g *guard) SendMessage(core.Slot, string) (string, error) {
	g.reach("SendMessage")
	return "", nil
}

func (g *guard) SwitchScreen(core.Slot) (string, error) { g.reach("SwitchScreen"); return "", nil }

func (g *guard) Pair(context.Context, pair.Request) (string, error) { g.reach("Pair"); return "", nil }

func (g *guard) LandPlan(context.Context, land.Options) (land.Plan, error) {
	g.reach("LandPlan")
	return land.Plan{}, nil
}

func (g *guard) Land(context.Context, land.Options) (land.Done, error) {
	g.reach("Land")
	return land.Done{}, nil
}

func (g *guard) Specs() ([]spec.Spec, error) {
	g.reach("Specs")
	return []spec.Spec{spec.Parse("docs/specs/cache.md", "# Cache\n\n- [ ] #1.0 Keep\n  ID: m1.0\n")}, nil
}

func (g *guard) SelectMilestone(context.Context, string, string) error {
	g.reach("SelectMilestone")
	return nil
}

func (g *guard) QueueSpec(context.Context, spec.Spec) ([]queue.Item, error) {
	g.reach("QueueSpec")
	return []queue.Item{{N: 1}}, nil
}

func (g *guard) ApproveProposed(context.Context, int) ([]queue.Item, error) {
	g.reach("ApproveProposed")
	return nil, nil
}

func (g *guard) Merges() ([]string, error) { g.reach("Merges"); return nil, nil }
func (g *guard) DecideMerge(context.Context, string, string) (string, error) {
	g.reach("DecideMerge")
	return "main", nil
}
func (g *guard) Unland(context.Context, string) (queue.Item, error) {
	g.reach("Unland")
	return queue.Item{}, nil
}
func (g *guard) LookAt(context.Context, string, adopt.Options) (adopt.Found, error) {
	g.reach("LookAt")
	return adopt.Found{Dir: "/w", Text: "Continue"}, nil
}
func (g *guard) AdoptFrom(context.Context, string, adopt.Options, string) (queue.Item, error) {
	g.reach("AdoptFrom")
	return queue.Item{}, nil
}
func (g *guard) CancelProposed(context.Context, int) error { g.reach("CancelProposed"); return nil }

func (g *guard) Rewrite(context.Context, int, string) error { g.reach("Rewrite"); return nil }

func (g *guard) Request(int) (string, error) { g.reach("Request"); return "", nil }

func (g *guard) Workflow() (workflow.Workflow, string, error) {
	g.reach("Workflow")
	return workflow.Workflow{}, "# Story", nil
}

func (g *guard) StartWorkflow(context.Context, string, string) (workflow.Workflow, error) {
	g.reach("StartWorkflow")
	return workflow.Workflow{}, nil
}

func (g *guard) Decide(context.Context, string, string) (workflow.Workflow, error) {
	g.reach("Decide")
	return workflow.Workflow{}, nil
}

func (g *guard) Workers(context.Context) (string, error) { g.reach("Workers"); return "", nil }

func (g *guard) DrainWorker(context.Context, string, bool) (string, error) {
	g.reach("DrainWorker")
	return "", nil
}

func (g *guard) Register(context.Context, string) (string, error) {
	g.reach("Register")
	return "", nil
}

func (g *guard) AnswerHost(string, advice.HostAnswer) error {
	g.reach("AnswerHost")
	return nil
}
func (g *guard) TaskTexts(string) (string, error) { g.reach("TaskTexts"); return "# Text", nil }

func (g *guard) Stats() (string, error) { g.reach("Stats"); return "1 task", nil }

func (g *guard) Projects(context.Context) ([]view.Project, error) {
	g.reach("Projects")
	return nil, nil
}

func (g *guard) List(context.Context) (*view.Files, error) {
	g.reach("List")
	return &view.Files{}, nil
}

func (g *guard) Attach(path string) (view.File, error) {
	g.reach("Attach")
	if path != "/tmp/shot.png" {
		return view.File{}, fs.ErrNotExist
	}
	return view.File{Name: "shot.png", Path: path, Image: true}, nil
}

func (g *guard) Check(core.Slot, string) (string, error) { g.reach("Check"); return "", nil }

func (g *guard) Completions() view.Completions {
	g.reach("Completions")
	return view.Completions{Runs: []view.PairRun{{ID: "p-1"}}}
}

func (g *guard) WorkIn() (string, []string, error) {
	g.reach("WorkIn")
	return "", nil, fs.ErrNotExist
}

// everyLine is a line for each thing that a command can do outside the screen.
var everyLine = []string{
	"/task text", "/task --now text", "/plan", "/executor", "/milestones", "/milestones cache m1.0", "/reset-spec",
	"/pair --mode single text", "/pair --list", "/check", "/check --force", "/check --cancel", "/approve",
	"/reject notes", "/land",
	"/retry", "/review", "/workflow", "/workflow feature title", "/workflow approve", "/model executor m",
	"/switch executor a", "/register --remove", "/resume", "/resume executor", "/resume executor --take", "/trust",
	"/allow", "/deny", "/network", "/network allow example.com", "/permit 7", "/permit", "/permit once",
	"/permit 7 never",
	"/tell executor text",
	"/workers drain big", "/show spec cache", "/show t-1", "/shell", "/try make",
	"/merge", "/merge resume", "/unland 1", "/adopt ../w",
	"/queue cache", "/queue approve", "/queue edit 1 text", "/queue cancel 1",
	"/status", "/inbox", "/projects", "/log", "/diff", "/help", "/stop", "/reset", "plain text",
}

// keysToPress are keys that do something somewhere.
var keysToPress = func() (all []string) {
	for _, k := range ui.Keys {
		all = append(all, k.Keys...)
	}
	return all
}()

// TestUpdateReachesNothing types every command and presses every key, and does what
// comes of that outside Update: disk, processes and network are reached only there.
func TestUpdateReachesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it strikes every key in every state")
	}
	t.Setenv("PATH", t.TempDir()) // no clipboard
	g := &guard{T: t, reached: map[string]bool{}}
	terminal := vt.NewLocked(58, 25, 100)
	_, _ = terminal.Write([]byte(strings.Repeat("some output\r\n", 40)))
	world := core.New(time.Now())
	world.State, world.Task = "Executing", &core.Task{ID: "t-20261120-101500-4f2a", Title: "A task"}
	g.view.State.Seq, g.view.State.World = 1, world
	g.view.Panes = []conductor.PaneView{{Slot: core.SlotExecutor, State: "Running", Session: 1, Interactive: true,
		Terminal: terminal}}
	g.view.Journal = []store.Entry{{Seq: 1, At: time.Now(), Event: "create_task"}}
	g.view.Gate.Untrusted = []string{"go test ./..."}
	g.view.Asking = []human.Pending{{Number: 1, Request: human.Request{Command: "approve", Text: "approve"}}}
	g.view.Tasks = []queue.Row{{Item: queue.Item{N: 1, Title: "A plan", Held: "proposed"}}}
	a := newApp(t.Context(), Options{
		Engine: g, Memory: g, Environ: os.Getenv, Now: time.Now,
		Settings: func() Settings { g.reach("Settings"); return Settings{} },
		Commands: &slash.Env{
			Viewer: g, Tasks: g, Sessions: g, Gate: g, Humans: g, Pairs: g, Landing: g, Specs: g, Workflows: g,
			Models: g, Project: g, Comments: g, Queue: g, Adopter: g,
		},
	})
	do := func(i intent.Intent) tea.Cmd {
		cmd := a.do(i)
		switch i.(type) {
		case intent.Suspend, intent.Edit, intent.Shell, intent.OpenProject: // would stop, or start a program
			return nil
		}
		return cmd
	}
	screen := ui.New(ui.Options{Do: do, Now: time.Now, Commands: slash.Table})
	g.send(screen, tea.WindowSizeMsg{Width: 120, Height: 40})
	shown := new(projection.Projector).Project(g.view, time.Now())
	shown.Disabled = nil // every command is available
	shown.Models = []view.RoleModel{{Role: "executor", Agent: "demo"}}
	g.send(screen, ui.ViewMsg{View: shown})
	g.press(screen, "f4", "c", "c", "x", "enter", "shift+s", "y", "esc")
	for _, page := range []string{"/stats", "/workers"} {
		g.typeLine(screen, page)
		g.press(screen, "ctrl+c")
	}
	g.typeLine(screen, "/queue")
	g.press(screen, "esc")
	g.typeLine(screen, "/network allow example.com")
	g.typeLine(screen, "/screen executor")
	for _, line := range everyLine {
		g.typeLine(screen, line)
	}
	g.press(screen, "f3", "enter", "esc", "ctrl+o", "2", "x", "ctrl+]", "ctrl+o", ">", "esc")
	r := rand.New(rand.NewPCG(1, 2))
	g.send(screen, tea.PasteMsg{Content: "/tmp/shot.png"})
	g.typeLine(screen, "see @ui")
	for range 3000 {
		g.press(screen, keysToPress[r.IntN(len(keysToPress))])
		if r.IntN(10) == 0 {
			g.typeLine(screen, everyLine[r.IntN(len(everyLine))])
		}
	}
	for _, name := range methodsOf[Engine]() {
		// A shell takes the terminal, which the test has none of.
		if !g.reached[name] && !slices.Contains([]string{"Updates", "Printed", "Close", "Detach", "WorkIn"}, name) {
			t.Errorf("nothing reaches %s", name)
		}
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[slash.Env]()) {
		if field.Type.Kind() != reflect.Interface {
			continue
		}
		for i := range field.Type.NumMethod() {
			if name := field.Type.Method(i).Name; !g.reached[name] {
				t.Errorf("nothing reaches %s of %s", name, field.Name)
			}
		}
	}
}

func methodsOf[T any]() (names []string) {
	for i := range reflect.TypeFor[T]().NumMethod() {
		names = append(names, reflect.TypeFor[T]().Method(i).Name)
	}
	return names
}

// send gives the screen a message, and what comes of it.
func (g *guard) send(screen *ui.Model, msg tea.Msg) {
	g.updating = true
	_, cmd := screen.Update(msg)
	_ = screen.View()
	g.updating = false
	g.run(screen, cmd)
}

func (g *guard) run(screen *ui.Model, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil, tea.QuitMsg:
	case tea.BatchMsg:
		for _, c := range msg {
			g.run(screen, c)
		}
	default:
		if strings.HasPrefix(reflect.TypeOf(msg).PkgPath(), "ferrus/") {
			g.send(screen, msg)
		}
	}
}

func (g *guard) typeLine(screen *ui.Model, line string) {
	g.press(screen, "ctrl+c") // closes and clears everything
	g.send(screen, tea.PasteMsg{Content: line})
	g.press(screen, "enter", "enter", "y")
}

func (g *guard) press(screen *ui.Model, names ...string) {
	for _, name := range names {
		g.send(screen, keyMsg(name))
	}
}

// keyMsg returns a key by its name.
func keyMsg(name string) tea.KeyPressMsg {
	codes := map[string]rune{
		"tab": tea.KeyTab, "enter": tea.KeyEnter, "esc": tea.KeyEscape, "space": tea.KeySpace,
		"backspace": tea.KeyBackspace,
		"up":        tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "home": tea.KeyHome,
		"end":  tea.KeyEnd,
		"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "f1": tea.KeyF1, "f2": tea.KeyF2, "f3": tea.KeyF3,
		"f4":  tea.KeyF4,
		"f12": tea.KeyF12,
	}
	mods := map[string]tea.KeyMod{"ctrl": tea.ModCtrl, "alt": tea.ModAlt, "shift": tea.ModShift}
	k := tea.Key{}
	for {
		mod, rest, found := strings.Cut(name, "+")
		if !found || mods[mod] == 0 {
			break
		}
		k.Mod |= mods[mod]
		name = rest
	}
	if k.Code = codes[name]; k.Code == 0 {
		k.Code = []rune(name)[0]
		if k.Mod == 0 {
			k.Text = name
		}
	}
	return tea.KeyPressMsg(k)
}
