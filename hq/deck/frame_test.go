package deck

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"ferrus/ui"
)

var sizes = [][2]int{{60, 20}, {80, 24}, {120, 40}, {200, 60}}

var keyNames = map[string]tea.Key{
	"f1": {Code: tea.KeyF1}, "f2": {Code: tea.KeyF2}, "f3": {Code: tea.KeyF3}, "f4": {Code: tea.KeyF4}, "enter": {Code: tea.KeyEnter}, "tab": {Code: tea.KeyTab},
	"down": {Code: tea.KeyDown}, "ctrl+o": {Code: 'o', Mod: tea.ModCtrl}, "ctrl+c": {Code: 'c', Mod: tea.ModCtrl}, "ctrl+j": {Code: 'j', Mod: tea.ModCtrl}, "ctrl+r": {Code: 'r', Mod: tea.ModCtrl},
}

// screen is the Model over a fixture, after some keys.
func screen(t *testing.T, name string, w, h int, light bool, keys ...string) *ui.Model {
	m := ui.New(ui.Options{Do: func(ui.Intent) tea.Cmd { return nil }, Now: func() time.Time { return fixtureNow }, Light: light})
	view := Project(fixture(t, name), fixtureNow)
	view.Models = []ui.RoleModel{
		{Role: "supervisor", Agent: "claude-code", Model: "opus", Known: []string{"opus", "sonnet", "haiku"}},
		{Role: "executor", Agent: "codex", Known: []string{"gpt-5", "gpt-5-mini"}},
	}
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	m.Update(ui.ViewMsg{View: view})
	press(m, keys...)
	return m
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

// frame is what is drawn, after a look at its size.
func frame(t *testing.T, m *ui.Model, w, h int) string {
	t.Helper()
	content := m.View().Content
	lines := strings.Split(content, "\n")
	if len(lines) != h {
		t.Errorf("%d lines, want %d", len(lines), h)
	}
	for i, l := range lines {
		if n := ansi.StringWidth(l); n != w {
			t.Errorf("line %d is %d cells wide, want %d: %q", i, n, w, l)
		}
	}
	return content
}

// TestFrames holds every state of the task in every size, as text.
func TestFrames(t *testing.T) {
	for _, name := range []string{"idle", "executing", "checking", "addressing", "consultation", "awaiting", "question", "reviewing", "complete", "failed", "hold", "problem"} {
		for _, s := range sizes {
			t.Run(fmt.Sprintf("%s/%dx%d", name, s[0], s[1]), func(t *testing.T) {
				m := screen(t, name, s[0], s[1], false)
				golden.RequireEqual(t, ansi.Strip(frame(t, m, s[0], s[1])))
			})
		}
	}
}

// TestDialogs holds everything that lies over the panes.
func TestDialogs(t *testing.T) {
	for _, c := range []struct {
		name, state string
		keys        []string
	}{
		{"help", "executing", []string{"f1"}},
		{"status", "addressing", []string{"/status", "enter"}},
		{"used", "complete", []string{"/status", "enter"}},
		{"log", "addressing", []string{"f3"}},
		{"reset", "addressing", []string{"/reset", "enter"}},
		{"quit", "consultation", []string{"/quit", "enter"}},
		{"roles", "executing", []string{"/model", "enter"}},
		{"models", "executing", []string{"/model", "enter", "enter", "down"}},
		{"specs", "specified", []string{"/task", "enter"}},
		{"asked", "question", []string{"ctrl+o", "n"}},
		{"inbox", "several", []string{"/inbox", "enter", "down"}},
		{"snoozed", "several", []string{"/inbox", "enter", "s", "down"}},
		{"next", "several", []string{"ctrl+o", "n"}},
		{"inboxed", "question", []string{"/inbox", "enter"}},
		{"empty", "executing", []string{"/inbox", "enter"}},
		{"commands", "executing", []string{"/"}},
		{"arguments", "executing", []string{"/check ", "tab"}},
		{"lines", "awaiting", []string{"only for GET", "ctrl+j", "and at most 5"}},
		{"searched", "executing", []string{"/check", "ctrl+r", "x"}},
		{"leader", "awaiting", []string{"ctrl+o"}},
		{"pane", "consultation", []string{"ctrl+o", "1"}},
		{"shown", "consultation", []string{"ctrl+o", "3"}},
		{"zoom", "consultation", []string{"ctrl+o", "2", "f2"}},
		{"zoomed", "consultation", []string{"f2"}},
		{"activity", "addressing", []string{"ctrl+o", "5"}},
		{"check", "addressing", []string{"ctrl+o", "6"}},
		{"reading", "executing", []string{"ctrl+o", "["}},
		{"sought", "executing", []string{"ctrl+o", "/", "re"}},
		{"found", "executing", []string{"ctrl+o", "/", "re", "enter"}},
		{"lost", "executing", []string{"ctrl+o", "/", "nowhere"}},
		{"interrupt", "executing", []string{"ctrl+c"}},
		{"refused", "executing", []string{"/approve", "enter"}},
	} {
		for _, s := range sizes {
			t.Run(fmt.Sprintf("%s/%dx%d", c.name, s[0], s[1]), func(t *testing.T) {
				m := screen(t, c.state, s[0], s[1], false, c.keys...)
				golden.RequireEqual(t, ansi.Strip(frame(t, m, s[0], s[1])))
			})
		}
	}
}

// TestMarksHaveColours holds what was found and what is selected.
func TestMarksHaveColours(t *testing.T) {
	for name, keys := range map[string][]string{"found": {"ctrl+o", "/", "re"}, "selected": {"ctrl+o", "[", "v", "up"}} {
		t.Run(name, func(t *testing.T) {
			golden.RequireEqual(t, frame(t, screen(t, "executing", 120, 40, false, keys...), 120, 40))
		})
	}
}

// TestColours holds a few frames as a dark, a light and a colourless terminal
// gets them.
func TestColours(t *testing.T) {
	for _, name := range []string{"executing", "awaiting", "failed"} {
		for theme, light := range map[string]bool{"dark": false, "light": true} {
			t.Run(name+"/"+theme, func(t *testing.T) {
				golden.RequireEqual(t, frame(t, screen(t, name, 120, 40, light), 120, 40))
			})
		}
		t.Run(name+"/none", func(t *testing.T) {
			golden.RequireEqual(t, reduced(t, frame(t, screen(t, name, 120, 40, false), 120, 40), colorprofile.ASCII))
		})
	}
}

// TestColoursOfTheDiff holds what has the most of them, also with sixteen.
func TestColoursOfTheDiff(t *testing.T) {
	for name, light := range map[string]bool{"dark": false, "light": true, "16": false, "none": false} {
		t.Run(name, func(t *testing.T) {
			m := screen(t, "addressing", 120, 40, light, "f4")
			m.Update(ui.ChangeMsg{Change: changed(fixtureChange(), fixtureNow)})
			content := frame(t, m, 120, 40)
			switch name {
			case "16":
				content = reduced(t, content, colorprofile.ANSI)
			case "none":
				content = reduced(t, content, colorprofile.ASCII)
			}
			golden.RequireEqual(t, content)
		})
	}
}

// reduced is a frame as a terminal with fewer colours gets it.
func reduced(t *testing.T, content string, to colorprofile.Profile) string {
	t.Helper()
	var b bytes.Buffer
	w := colorprofile.Writer{Forward: &b, Profile: to}
	if _, err := w.WriteString(content); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestTiny holds what a terminal under the least size shows.
func TestTiny(t *testing.T) {
	for _, s := range [][2]int{{59, 20}, {60, 19}, {20, 5}, {1, 1}} {
		t.Run(fmt.Sprintf("%dx%d", s[0], s[1]), func(t *testing.T) {
			golden.RequireEqual(t, ansi.Strip(frame(t, screen(t, "executing", s[0], s[1], false, "x"), s[0], s[1])))
		})
	}
}
