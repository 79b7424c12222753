package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/intent"
	"ferrus/ui/style"
	"ferrus/ui/view"
	"ferrus/ui/vt"
)

func TestKeysInAPaneAreTheAgents(t *testing.T) {
	b := openAt(t, work(), 120, 40)
	b.press("ctrl+o", "2")
	b.shows("Keys go to 2 executor")
	b.press("hi", "enter", "ctrl+c", "ctrl+o", "f1", "up", "tab", "esc")
	b.send(tea.KeyPressMsg{Code: 'x', Mod: tea.ModAlt})
	want := ""
	for _, i := range b.wants {
		in, ok := i.(intent.Input)
		if !ok || in.Slot != "executor" {
			t.Fatalf("%#v is no input of the executor", i)
		}
		want += string(in.Data)
	}
	if want != "hi\r\x03\x0f\x1bOP\x1b[A\t\x1b\x1bx" {
		t.Errorf("the agent got %q", want)
	}
	b.wants = nil
	b.press("ctrl+]", "x")
	b.shows("> executor  x")
	b.press("ctrl+o", "2", "f12", "y")
	b.shows("> executor  xy")
	b.wanted()
}

// An agent that bypasses approvals is named so, in red.
func TestBypassIsRed(t *testing.T) {
	v := work()
	b := openAt(t, v, 120, 40)
	if strings.Contains(b.frame(), "bypass") {
		t.Error("no agent bypasses approvals")
	}
	v.Panes[1].Title.Bypass = true
	b = openAt(t, v, 120, 40)
	lines, _ := b.m.frame()
	if red := string(b.m.theme.Tones[style.Bad]); red == "" ||
		!strings.Contains(strings.Join(lines, "\n"), red+"  bypass") {
		t.Errorf("not shown in red:\n%q", lines[:3])
	}
}

func TestPasteIntoAPane(t *testing.T) {
	v := work()
	_, _ = v.Panes[1].Terminal.Write([]byte("\x1b[?2004h"))
	b := openAt(t, v, 120, 40)
	b.press("alt+2")
	b.send(tea.PasteMsg{Content: "two\nlines"})
	if len(b.wants) != 1 || !strings.HasPrefix(string(b.wants[0].(intent.Input).Data), "\x1b[200~two") {
		t.Errorf("pasted %#v", b.wants)
	}
}

func TestAPaneThatOnlyShowsSaysSo(t *testing.T) {
	v := work()
	v.Panes[1].Interactive = false
	b := openAt(t, v, 120, 40)
	b.press("ctrl+o", "2", "x")
	b.wanted()
	b.shows("2 executor is read-only", "This pane is read-only")
	b.press("ctrl+o", "1")
	b.shows("▸1 supervisor")
}

// TestEverySlotKnowsItsSize checks that a slot gets its size before it has a session, and again on
// a change.
func TestEverySlotKnowsItsSize(t *testing.T) {
	got := map[string]intent.Resize{}
	m := New(Options{Do: func(i intent.Intent) tea.Cmd {
		if r, ok := i.(intent.Resize); ok {
			got[r.Slot] = r
		}
		return nil
	}})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	m.Update(ViewMsg{work()})
	want := intent.Resize{Slot: "executor", Columns: 118, Rows: 24}
	if len(got) != 4 || got["executor"] != want || got["planner"].Columns != 58 {
		t.Errorf("sizes %v", got)
	}
	clear(got)
	m.Update(ViewMsg{work()})
	if len(got) != 0 {
		t.Errorf("told again: %v", got)
	}
	m.Update(tea.KeyPressMsg{Code: tea.KeyF2})
	if want := (intent.Resize{Slot: "executor", Columns: 118, Rows: 34}); len(got) != 1 || got["executor"] != want {
		t.Errorf("zoomed: %v", got)
	}
}

func TestClickFocusesAndMouseReachesTheAgent(t *testing.T) {
	v := work()
	b := openAt(t, v, 120, 40)
	b.send(tea.MouseClickMsg{X: 70, Y: 5, Button: tea.MouseLeft})
	b.shows("Keys go to 2 executor")
	b.wanted()
	_, _ = v.Panes[1].Terminal.Write([]byte("\x1b[?1000;1006h"))
	b.send(tea.MouseClickMsg{X: 1, Y: 3, Button: tea.MouseLeft})
	b.wanted(intent.Input{Slot: "executor", Data: []byte("\x1b[<0;1;1M")})
	b.send(tea.MouseClickMsg{X: 3, Y: 38, Button: tea.MouseLeft}, tea.MouseClickMsg{X: 5, Y: 1, Button: tea.MouseLeft})
	b.shows("1 supervisor has ended")
}

func TestScrollingKeepsItsPlace(t *testing.T) {
	v := work()
	for range 60 {
		_, _ = v.Panes[1].Terminal.Write([]byte("\r\nold"))
	}
	_, _ = v.Panes[1].Terminal.Write([]byte("\r\nMARK"))
	for range 30 {
		_, _ = v.Panes[1].Terminal.Write([]byte("\r\nnew"))
	}
	b := openAt(t, v, 120, 41)
	b.press("pgup")
	b.shows("MARK", "24 back")
	before := strings.Index(b.frame(), "MARK")
	_, _ = v.Panes[1].Terminal.Write([]byte("\r\nnewer\r\nnewer"))
	b.send(ViewMsg{v})
	b.shows("26 back")
	if after := strings.Index(b.frame(), "MARK"); after != before {
		t.Errorf("MARK moved from %d to %d", before, after)
	}
	b.press("pgdown", "pgdown")
	b.shows("newer")
}

func TestTheCursorIsTheRealOne(t *testing.T) {
	b := openAt(t, work(), 120, 40)
	b.press("ab漢")
	if c := b.m.View().Cursor; c == nil || c.X != 17 || c.Y != 38 {
		t.Errorf("at the prompt: %+v", c)
	}
	b.press("alt+2")
	if c := b.m.View().Cursor; c == nil || c.X != 1 || c.Y != 5 {
		t.Errorf("in the pane: %+v", c)
	}
	_, _ = b.m.view.Panes[1].Terminal.Write([]byte("\x1b[?25l"))
	if c := b.m.View().Cursor; c != nil {
		t.Errorf("hidden: %+v", c)
	}
}

func TestFocusIsReported(t *testing.T) {
	v := work()
	_, _ = v.Panes[1].Terminal.Write([]byte("\x1b[?1004h"))
	b := openAt(t, v, 120, 40)
	b.press("alt+2")
	b.wanted(intent.Input{Slot: "executor", Data: []byte("\x1b[I")})
	b.send(tea.BlurMsg{})
	b.wanted(intent.Input{Slot: "executor", Data: []byte("\x1b[O")})
}

// The only running pane has the full width; one that has ended is a line that opens by its number
// or a click, and folds the same way.
func TestAPaneThatEndedFoldsToALine(t *testing.T) {
	v := work()
	v.Panes[0].Footer = "exit 7"
	b := openAt(t, v, 120, 40)
	row := func(y int) string { return strings.Split(b.frame(), "\n")[y] }
	folded := func() {
		t.Helper()
		if line, top := row(1), row(2); !strings.HasPrefix(line, " 1 supervisor done") ||
			!strings.HasPrefix(top, "╭ 2 executor") || strings.Count(top, "╭") != 1 {
			t.Errorf("it is not folded:\n%s\n%s", line, top)
		}
	}
	folded()
	b.press("ctrl+o", "1")
	b.shows("╭▸1 supervisor", "╭ 2 executor", "╰ exit 7 ──")
	b.press("ctrl+]")
	b.shows("╭▸1 supervisor", "╭ 2 executor")
	b.press("ctrl+o", "1", "ctrl+o", "1")
	folded()
	b.send(tea.MouseClickMsg{X: 4, Y: 1, Button: tea.MouseLeft})
	b.shows("╭▸1 supervisor", "╭ 2 executor")
	b.press("ctrl+o", "2", "ctrl+]")
	if top := row(2); !strings.HasPrefix(top, "╭▸2 executor") || strings.Count(top, "╭") != 1 {
		t.Errorf("another was chosen, and it is not folded: %s", top)
	}
}

// A pane that is hidden behind another one of its side is named in the line, with its mark.
func TestAHiddenPaneIsOneClickAway(t *testing.T) {
	v := work()
	v.Panes = append(v.Panes, view.Pane{Slot: "consultant", Left: true, Living: true, Born: 9,
		Title: view.Title{Number: 3, Name: "consultant", Status: "running"}})
	b := openAt(t, v, 120, 40)
	b.shows("╭ 3 consultant", " 1 supervisor done")
	b.send(tea.MouseClickMsg{X: 4, Y: 1, Button: tea.MouseLeft})
	b.shows("╭▸1 supervisor", " 3 consultant running")
	b.send(tea.MouseClickMsg{X: 4, Y: 1, Button: tea.MouseLeft})
	b.shows("╭▸3 consultant")
}

// From 180 columns on, the task is next to the only pane, or its diff while that is to be read; the
// diff is loaded once for each version.
func TestTheTaskIsNextToThePane(t *testing.T) {
	v := work()
	v.Documents = []view.Document{{Name: "task", Text: "# Add retry\n\nIt must respect the context.\n"}}
	v.Side.Version = 3
	b := openAt(t, v, 179, 50)
	if strings.Contains(b.frame(), "respect the context") {
		t.Error("there is no room at 179 columns")
	}
	b.send(tea.WindowSizeMsg{Width: 180, Height: 50})
	b.shows("╭ 2 executor", "╭ 9 task", "It must respect the context.")
	b.wanted()
	v.Side = view.Side{Diff: true, Version: 4}
	b.send(ViewMsg{v}, ViewMsg{v})
	b.wanted(intent.LoadDiff{})
	b.send(DiffMsg{Diff: view.Diff{Files: []view.FilePatch{{Path: "fetch.go", Added: 1,
		Patch: "@@ -1 +1 @@\n-once()\n+retry()\n"}}}})
	b.shows("╭ 9 diff", "fetch.go", "retry()")
	if b.m.Dialog() != 0 {
		t.Error("a dialog opened")
	}
	b.press("ctrl+o", "b")
	b.shows("╭ 9 task")
	b.press("ctrl+o", "b")
	if frame := b.frame(); strings.Contains(frame, "9 diff") || strings.Contains(frame, "9 task") {
		t.Error("it does not give its room back")
	}
	b.press("ctrl+o", "b", "ctrl+o", "9", "enter")
	b.shows("╭ diff")
	b.wanted(intent.LoadDiff{})
}

// TestANewSessionIsShown checks that a new session is shown unless the human reads another one.
func TestANewSessionIsShown(t *testing.T) {
	v := work()
	b := openAt(t, v, 120, 40)
	with := v
	with.Panes = append(append([]view.Pane{}, v.Panes...), view.Pane{Slot: "reviewer",
		Title: view.Title{Number: 4, Name: "reviewer", Status: "running 00:01"}, Left: true, Living: true, Session: 1,
		Born: 9, Terminal: vt.NewLocked(58, 25, 0)})
	b.send(ViewMsg{with})
	b.shows("╭ 4 reviewer", " 1 supervisor done")
	b.press("ctrl+o", "1")
	b.shows("╭▸1 supervisor")
	b.press("ctrl+]")
	b.shows("╭▸1 supervisor")
	with.Panes[2].Session = 2
	b.send(ViewMsg{with})
	b.shows("╭ 4 reviewer")
}

// A session that you asked for gets the keys when it takes them. If you type something else
// meanwhile, the line says how to get there.
func TestTheSessionThatWasAskedForGetsTheKeys(t *testing.T) {
	for _, c := range []struct {
		name   string
		typed  string
		change func(*view.Pane)
		later  time.Duration
		focus  int
	}{
		{"it takes keys", "", func(*view.Pane) {}, 0, 1},
		{"it is slow", "", func(*view.Pane) {}, awaitTime - time.Second, 1},
		{"it comes too late to be meant", "", func(*view.Pane) {}, awaitTime + time.Second, 0},
		{"it is read-only", "", func(p *view.Pane) { p.Interactive = false }, 0, 0},
		{"it does not live", "", func(p *view.Pane) { p.Living = false }, 0, 0},
		{"the human types", "/st", func(*view.Pane) {}, 0, 0},
	} {
		b := openAt(t, work(), 120, 40)
		b.send(DoneMsg{Text: "A supervisor starts", Slot: "planner"})
		b.shows("A supervisor starts")
		b.press(c.typed)
		v := work()
		v.Panes[0].Living, v.Panes[0].Interactive = true, true
		c.change(&v.Panes[0])
		b.now = b.now.Add(c.later)
		b.send(ViewMsg{v})
		if b.m.screen.focus != c.focus {
			t.Errorf("%s: the keys are at %d", c.name, b.m.screen.focus)
		}
		if c.typed != "" {
			b.shows("The supervisor is ready: Ctrl+O 1 types into its pane")
		}
	}
}

// Only one session is waited for, once: the next session that starts by itself takes no keys.
func TestASessionThatWasNotAskedForGetsNoKeys(t *testing.T) {
	b := openAt(t, work(), 120, 40)
	v := work()
	v.Panes[0].Living, v.Panes[0].Interactive = true, true
	b.send(ViewMsg{v})
	if b.m.screen.focus != 0 {
		t.Fatal("a session that was not asked for has the keys")
	}
	b.send(DoneMsg{Text: "A supervisor starts", Slot: "planner"})
	b.press("ctrl+]")
	b.send(ViewMsg{v})
	if b.m.screen.focus != 0 {
		t.Error("the keys go to the session again after they were taken back")
	}
}

// The keys return if the session ends before anything was typed into it, and otherwise stay with
// it: the rest of a line must not end up at the prompt.
func TestTheKeysComeBackWhenTheyWereNotUsed(t *testing.T) {
	for typed, focus := range map[string]int{"": 0, "yes": 1} {
		b := openAt(t, work(), 120, 40)
		v := work()
		v.Panes[0].Living, v.Panes[0].Interactive = true, true
		b.send(DoneMsg{Slot: "planner"}, ViewMsg{v})
		b.press(typed)
		v = work()
		v.Panes[0].Interactive = true
		b.send(ViewMsg{v})
		if b.m.screen.focus != focus {
			t.Errorf("after typing %q the keys are at %d", typed, b.m.screen.focus)
		}
	}
}

// TestACoveredBoxLeavesNoBorder checks that a question that covers all of a box except its title
// covers the title as well.
func TestACoveredBoxLeavesNoBorder(t *testing.T) {
	for lines := range 8 {
		v := asked(work())
		v.Ask.Text = "Which one?" + strings.Repeat("\n- one more line", lines)
		rows := strings.Split(openAt(t, v, 80, 24).frame(), "\n")
		for y, row := range rows[:len(rows)-1] {
			if strings.Contains(row, "╭ activity") && !strings.ContainsAny(rows[y+1], "│╰") {
				t.Errorf("a border of nothing over a question of %d lines:\n%s", lines+1, strings.Join(rows, "\n"))
			}
		}
	}
}

// TestThePaneHasOneStatus checks that the tab of the drawn pane leaves the status to the border.
func TestThePaneHasOneStatus(t *testing.T) {
	frame := open80(t, work()).frame()
	if n := strings.Count(frame, "running"); n != 1 {
		t.Errorf("it is there %d times:\n%s", n, frame)
	}
}
