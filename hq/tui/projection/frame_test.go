package projection

import (
	"fmt"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ferrus/hq/conductor"
	"ferrus/hq/tui/slash"
	"ferrus/machine"
	"ferrus/machine/pair"
	"ferrus/machine/session"
	"ferrus/machine/task"
	"ferrus/ui"
	"ferrus/ui/intent"
	"ferrus/ui/style"
	"ferrus/ui/view"
)

var keyNames = map[string]tea.Key{
	"f1": {Code: tea.KeyF1}, "f2": {Code: tea.KeyF2}, "f3": {Code: tea.KeyF3}, "f4": {Code: tea.KeyF4},
	"enter": {Code: tea.KeyEnter}, "tab": {Code: tea.KeyTab}, "esc": {Code: tea.KeyEscape},
	"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "pgdown": {Code: tea.KeyPgDown}, "end": {Code: tea.KeyEnd},
	"ctrl+o": {Code: 'o', Mod: tea.ModCtrl}, "ctrl+c": {Code: 'c', Mod: tea.ModCtrl},
	"ctrl+j": {Code: 'j', Mod: tea.ModCtrl}, "ctrl+r": {Code: 'r', Mod: tea.ModCtrl},
	"ctrl+u": {Code: 'u', Mod: tea.ModCtrl},
	"S":      {Code: 's', ShiftedCode: 'S', Text: "S", Mod: tea.ModShift},
}

// opened returns the screen over a View, after some keys.
func opened(view view.View, w, h int, light bool, keys ...string) *ui.Model {
	m := ui.New(ui.Options{Commands: slash.Table, Do: func(intent.Intent) tea.Cmd {
		return nil
	}, Now: func() time.Time { return fixtureNow }, Terminal: style.Terminal{Light: light},
		History: []string{"/check --force", "/task a cache for the fetcher", "/check"}})
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	m.Update(ui.ViewMsg{View: view})
	press(m, keys...)
	return m
}

// screen returns the one over a fixture.
func screen(t *testing.T, name string, w, h int, light bool, keys ...string) *ui.Model {
	t.Helper()
	return opened(projected(fixture(t, name)), w, h, light, keys...)
}

// projected returns what HQ hands to the screen.
func projected(v conductor.View) view.View {
	shown := Project(v, fixtureNow)
	shown.Agents = []string{"claude-code", "codex", "demo"}
	shown.Models = []view.RoleModel{
		{Role: "supervisor", Agent: "claude-code", Model: "opus", Known: []string{"opus", "sonnet", "haiku"}},
		{Role: "executor", Agent: "codex", Known: []string{"gpt-5", "gpt-5-mini"}},
	}
	return shown
}

// press types keys by name, or a text letter by letter.
func press(m *ui.Model, keys ...string) {
	for _, k := range keys {
		if special, ok := keyNames[k]; ok {
			m.Update(tea.KeyPressMsg(special))
			continue
		}
		for _, r := range k {
			m.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
}

// TestTask compares the frames of every state of the task, and of the screen's other states: a
// question of several lines, a hold, a file that cannot be read.
func TestTask(t *testing.T) {
	t.Parallel()
	names := []string{"idle", "preparing", "executing", "setup", "checking", "passed", "addressing", "consultation",
		"awaiting", "reviewing", "alarmed", "complete", "landing", "failed", "question", "hold", "several",
		"queue", "problem"}
	var seen []machine.State
	for _, name := range names {
		seen = append(seen, fixture(t, name).State.World.State)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			frames(t, func(w, h int, light bool) *ui.Model { return screen(t, name, w, h, light) }, nil)
		})
	}
	for _, s := range task.States {
		if !slices.Contains(seen, s) {
			t.Errorf("no frame shows %s", s)
		}
	}
}

// TestSession compares the frames of every state of the session machine, over a task that an
// executor works on.
func TestSession(t *testing.T) {
	t.Parallel()
	for _, s := range session.States {
		for _, ending := range []bool{false, true} {
			name := string(s)
			if ending {
				name += "-ending"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				frames(t, func(w, h int, light bool) *ui.Model {
					v := fixture(t, "executing")
					p := executor(s)
					p.Stopping = ending
					v.Panes[1] = p
					return opened(projected(v), w, h, light)
				}, under(t, "executing"))
			})
		}
	}
}

// TestPair compares the frames of every state of a pair.
func TestPair(t *testing.T) {
	t.Parallel()
	for _, s := range pair.States {
		t.Run(string(s), func(t *testing.T) {
			t.Parallel()
			frames(t, func(w, h int, light bool) *ui.Model { return opened(projected(paired(t, s)), w, h, light) }, nil)
		})
	}
}

// paired returns a pair in a state.
func paired(t *testing.T, s machine.State) conductor.View {
	v := fixture(t, "idle")
	p := &conductor.PairView{ID: "p-20261120-140233-7c1e", Task: "Add a retry to the fetcher", Mode: "review", State: s,
		Iteration: 2, Limit: 20, Signal: "REWORK",
		Running: true, Began: fixtureNow.Add(-14 * time.Minute)}
	p.Ended = fixtureNow
	primary, secondary := pane("primary", "", "claude-code", "opus", "SessionComplete", time.Minute),
		pane("secondary", "", "codex", "gpt-5", "SessionComplete", 2*time.Minute)
	primary, secondary = printed(primary, "I added the retry.\r\nDONE 3fa91c\r\n"),
		printed(secondary, "REWORK 3fa91c: POST must not be tried again\r\n")
	switch s {
	case pair.StateInit:
		p.Iteration, p.Signal, primary.Session, secondary.Session = 0, "", 0, 0
		primary.Terminal, secondary.Terminal = nil, nil
	case pair.StateWorking:
		primary.State, primary.Since, primary.Session = "Running", fixtureNow.Add(-31*time.Second), 2
	case pair.StateReviewing:
		secondary.State, secondary.Since, secondary.Session, p.Signal = "Running",
			fixtureNow.Add(-8*time.Second), 2, "DONE"
		v.Gate = green()
	case pair.StateComplete:
		p.Running, p.Signal, v.Gate = false, "PASS", green()
	case pair.StateFailed:
		p.Running, p.Why, p.Resume = false, "the pair is stopped, and the run is kept",
			"/pair --resume p-20261120-140233-7c1e"
	}
	v.Pair, v.Panes = p, []conductor.PaneView{primary, secondary}
	return v
}

// under returns the state that a dialog lies over.
func under(t *testing.T, name string) func(w, h int, light bool) *ui.Model {
	return func(w, h int, light bool) *ui.Model { return screen(t, name, w, h, light) }
}

// TestTiny compares what a terminal below the smallest size shows.
func TestTiny(t *testing.T) {
	t.Parallel()
	s := goldenFrames{palette: newPalette()}
	for _, size := range [][2]int{{59, 20}, {60, 19}, {20, 5}, {1, 1}} {
		w, h := size[0], size[1]
		d, _ := drawn(t, w, h, func(light bool) tea.View { return screen(t, "executing", w, h, light, "x").View() })
		s.add(t, fmt.Sprintf("%dx%d", w, h), d, drawing{})
	}
	s.compare(t)
}
