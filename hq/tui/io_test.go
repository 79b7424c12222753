package tui

import (
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/human"
	"ferrus/hq/queue"
	"ferrus/hq/tui/projection"
	"ferrus/hq/tui/slash"
	"ferrus/store"
	"ferrus/ui"
	"ferrus/ui/intent"
	"ferrus/ui/view"
	"ferrus/ui/vt"
)

// everyLine has a line for everything that a command can do outside the screen.
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

// keysToPress are keys that have an effect somewhere.
var keysToPress = func() (all []string) {
	for _, k := range ui.Keys {
		all = append(all, k.Keys...)
	}
	return all
}()

// TestUpdateReachesNothing types every command, presses every key, and carries out the results
// outside Update: only there are disk, processes and network used.
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
		Settings: func(*core.Pin) Settings { g.reach("Settings"); return Settings{} },
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
		// A shell would need a terminal, and the test has none.
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
