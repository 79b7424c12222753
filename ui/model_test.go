package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ferrus/ui/intent"
	"ferrus/ui/style"
	"ferrus/ui/view"
	"ferrus/ui/vt"
)

// fixture is a Model with a list of its intents.
type fixture struct {
	*testing.T
	m     *Model
	wants []intent.Intent
	now   time.Time
}

func open80(t *testing.T, v view.View) *fixture { return openAt(t, v, 80, 24) }

func openAt(t *testing.T, v view.View, w, h int, typed ...string) *fixture {
	b := &fixture{T: t, now: time.Unix(1_800_000_000, 0)}
	b.m = New(Options{Commands: testCommands, History: typed, Now: func() time.Time {
		return b.now
	}, Do: func(i intent.Intent) tea.Cmd {
		switch i.(type) {
		case intent.Resize, intent.LoadCompletions: // the screen's own affair
		default:
			b.wants = append(b.wants, i)
		}
		return nil
	}})
	b.send(ViewMsg{v}, tea.WindowSizeMsg{Width: w, Height: h})
	return b
}

func (b *fixture) send(msgs ...tea.Msg) {
	for _, msg := range msgs {
		_, _ = b.m.Update(msg)
	}
}

// press types keys by name; a text of several letters that is no key is typed
// letter by letter.
func (b *fixture) press(names ...string) {
	for _, name := range names {
		if k, ok := named[name]; ok {
			b.send(tea.KeyPressMsg(k))
			continue
		}
		for _, r := range name {
			b.send(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
}

var named = map[string]tea.Key{
	"enter": {Code: tea.KeyEnter}, "tab": {Code: tea.KeyTab}, "shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift},
	"esc": {Code: tea.KeyEscape}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "left": {Code: tea.KeyLeft},
	"right": {Code: tea.KeyRight},
	"f1":    {Code: tea.KeyF1}, "f2": {Code: tea.KeyF2}, "f3": {Code: tea.KeyF3}, "f4": {Code: tea.KeyF4},
	"f12": {Code: tea.KeyF12}, "pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown},
	"ctrl+o": ctrl('o'), "ctrl+c": ctrl('c'), "ctrl+u": ctrl('u'), "ctrl+w": ctrl('w'), "ctrl+a": ctrl('a'),
	"ctrl+e": ctrl('e'),
	"ctrl+k": ctrl('k'), "ctrl+y": ctrl('y'), "ctrl+j": ctrl('j'), "ctrl+]": ctrl(']'), "ctrl+t": ctrl('t'),
	"ctrl+d": ctrl('d'), "ctrl+r": ctrl('r'),
	"shift+enter": {Code: tea.KeyEnter, Mod: tea.ModShift}, "alt+enter": {Code: tea.KeyEnter, Mod: tea.ModAlt},
	"backspace": {Code: tea.KeyBackspace}, "ctrl+_": ctrl('_'),
	"alt+b": {Code: 'b', Mod: tea.ModAlt}, "alt+f": {Code: 'f', Mod: tea.ModAlt},
	"alt+d":   {Code: 'd', Mod: tea.ModAlt},
	"alt+2":   {Code: '2', Mod: tea.ModAlt},
	"shift+n": {Code: 'n', ShiftedCode: 'N', Text: "N", Mod: tea.ModShift},
	"space":   {Code: tea.KeySpace, Text: " "}, "shift+g": {Code: 'g', ShiftedCode: 'G', Text: "G", Mod: tea.ModShift},
	"shift+v": {Code: 'v', ShiftedCode: 'V', Text: "V", Mod: tea.ModShift},
	"shift+s": {Code: 's', ShiftedCode: 'S', Text: "S", Mod: tea.ModShift}, "ctrl+h": ctrl('h'),
	"shift+down": {Code: tea.KeyDown, Mod: tea.ModShift},
	"home":       {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd}, "delete": {Code: tea.KeyDelete},
}

func ctrl(r rune) tea.Key { return tea.Key{Code: r, Mod: tea.ModCtrl} }

// frame returns the screen as text, and checks its size.
func (b *fixture) frame() string {
	b.Helper()
	lines, _ := b.m.frame()
	if len(lines) != b.m.screen.h {
		b.Errorf("%d lines, want %d", len(lines), b.m.screen.h)
	}
	for i, l := range lines {
		if n := ansi.StringWidth(l); n != b.m.screen.w {
			b.Errorf("line %d is %d cells, want %d: %q", i, n, b.m.screen.w, ansi.Strip(l))
		}
	}
	return ansi.Strip(strings.Join(lines, "\n"))
}

func (b *fixture) shows(words ...string) {
	b.Helper()
	frame := b.frame()
	for _, w := range words {
		if !strings.Contains(frame, w) {
			b.Errorf("the screen does not show %q:\n%s", w, frame)
		}
	}
}

func (b *fixture) wanted(want ...intent.Intent) {
	b.Helper()
	if fmt.Sprintf("%#v", b.wants) != fmt.Sprintf("%#v", want) {
		b.Errorf("intents\n%#v, want\n%#v", b.wants, want)
	}
	b.wants = nil
}

// work is HQ in the middle of a task.
func work() view.View {
	left, right := vt.NewLocked(58, 25, 100), vt.NewLocked(58, 25, 100)
	_, _ = left.Write([]byte("planner: the task is written\r\n"))
	_, _ = right.Write([]byte("reading fetch.go\r\n\x1b[32m+ retry\x1b[m\r\n"))
	return view.View{
		Status: view.Status{Project: "acme-api", Branch: "main 3f2c1a9",
			State: view.State{Text: "Executing", Tone: style.Busy}, Title: "Add retry to the fetcher",
			Checks: "2/20", Reviews: "1/3", Elapsed: "00:14:32"},
		Panes: []view.Pane{
			{Slot: "planner", Title: view.Title{Number: 1, Name: "supervisor", Agent: "claude-code opus",
				Status: "done", Tone: style.Good}, Left: true, Session: 1, Born: 1, Terminal: left},
			{Slot: "executor", Title: view.Title{Number: 2, Name: "executor", Agent: "codex gpt-5",
				Status: "running 03:12", Tone: style.Busy}, Living: true, Interactive: true, Session: 1, Born: 2,
				Terminal: right},
		},
		Activity: []view.Entry{
			{At: "14:02", Event: "create_task", From: view.State{Text: "Idle", Tone: style.Dim},
				To: view.State{Text: "Executing", Tone: style.Busy}, By: "supervisor:claude-code:3", Tone: style.Good},
			{At: "14:05", Event: "check FAIL", From: view.State{Text: "Checking", Tone: style.Busy},
				To: view.State{Text: "Addressing", Tone: style.Busy}, By: "ferrus", Why: "go test ./...",
				Tone: style.Bad},
		},
		Check: view.Check{Title: "check 3", State: "FAIL 2/3", Tone: style.Bad, Took: "41s",
			Rows: []view.CheckRow{{Mark: "ok", Tone: style.Good, Command: "gofmt -l .", Took: "0.2s"},
				{Mark: "FAIL", Tone: style.Bad, Command: "go test ./...", Detail: "--- FAIL: TestRetry",
					Took: "38.1s"}},
			Lines: []string{"--- FAIL: TestRetry (0.00s)", "FAIL"}},
		Commands: view.Commands{Disabled: map[string]string{"approve": "the task is Executing, not Reviewing",
			"task": "a task is open"},
			Models: []view.RoleModel{{Role: "supervisor", Agent: "claude-code", Known: []string{"opus", "sonnet"}},
				{Role: "executor", Agent: "codex", Model: "gpt-5"}}},
	}
}

func asked(v view.View) view.View {
	v.Ask = &view.Ask{Kind: view.Question, Ticket: 17, Who: "executor", Text: "should retries apply to POST too?"}
	v.Inbox = []view.InboxItem{{ID: "question:17", Kind: "question", Hint: "type the answer, Enter sends",
		Tone: style.Warn, Ask: true}}
	return v
}

// Boxes whose lower border is covered stay closed, with the border a row higher.
func TestCoveredBoxesKeepTheirBorder(t *testing.T) {
	for _, size := range [][2]int{{60, 20}, {80, 24}, {120, 40}, {200, 60}} {
		b := openAt(t, work(), size[0], size[1])
		b.press("/")
		rows := strings.Split(b.frame(), "\n")
		opened, closed := 0, 0
		for _, row := range rows {
			opened += strings.Count(row, "╭")
			closed += strings.Count(row, "╰")
		}
		if opened == 0 || opened != closed {
			t.Errorf("%v: %d boxes, %d with a lower border:\n%s", size, opened, closed, strings.Join(rows, "\n"))
		}
	}
}
