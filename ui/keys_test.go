package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/vt"
)

func TestTypedCommandsBecomeIntents(t *testing.T) {
	idle := work()
	idle.Allowed = Allowed{}
	for line, want := range map[string]Intent{
		"/task":                     Task{},
		"/task add a retry":         Task{Text: "add a retry"},
		"/task --manual":            Task{Manual: true},
		"/task --now fix it  now":   Task{Text: "fix it  now", Now: true},
		"/plan":                     Session{"plan", "supervisor", ""},
		"/spec for the cache":       Session{"spec", "supervisor", "for the cache"},
		"/supervisor":               Session{"free", "supervisor", ""},
		"/executor":                 Session{"free", "executor", ""},
		"/check":                    RunCheck{},
		"/check --force":            RunCheck{Force: true},
		"/check --cancel":           RunCheck{Cancel: true},
		"/approve":                  Approve{},
		"/approve well done":        Approve{"well done"},
		"/reject no test for a 503": Reject{"no test for a 503"},
		"/retry":                    Retry{},
		"/review":                   Review{},
		"/resume":                   Resume{},
		"/resume executor":          Resume{"executor"},
		"/stop":                     Stop{},
		"/model supervisor sonnet":  SetModel{"supervisor", "sonnet"},
		"/model supervisor --clear": SetModel{"supervisor", ""},
	} {
		b := open80(t, idle)
		b.press(line, "enter")
		b.wanted(Remember{line}, want)
	}
}

func TestWrongCommandsSayWhatToDo(t *testing.T) {
	for line, want := range map[string]string{
		"/nonsense":        "there is no command /nonsense",
		"/task --now":      "needs the text",
		"/task --later x":  "knows --manual and --now",
		"/task":            "off: a task is open",
		"/approve":         "off: the task is Executing, not Reviewing",
		"/reject":          "needs notes",
		"/check --twice":   "knows --force and --cancel",
		"/model executor":  "takes a role and a model",
		"/model nobody x":  "no role nobody",
		"/stop now please": "takes nothing",
	} {
		b := openAt(t, work(), 120, 40)
		b.press(line, "enter")
		b.wanted()
		b.shows(want, "> "+line)
	}
}

func TestPlainTextGoesToATaskAtTheSecondEnter(t *testing.T) {
	v := work()
	v.Allowed.Task = ""
	b := open80(t, v)
	b.press("add a retry", "enter")
	b.wanted()
	b.shows("> /task add a retry", "Enter again")
	b.press("enter")
	b.wanted(Remember{"/task add a retry"}, Task{Text: "add a retry"})
}

func TestPlainTextAnswersTheQuestionShownAtTheFirstKey(t *testing.T) {
	v := asked(work())
	b := open80(t, v)
	b.shows("executor asks: should retries apply to POST too?")
	b.press("no")
	later := asked(work())
	later.Ask = &Ask{Kind: Question, Ticket: 99, Who: "reviewer", Text: "is this still wanted?"}
	b.send(ViewMsg{later})
	b.press("pe", "enter")
	b.wanted(Remember{"nope"}, Answer{*v.Ask, "nope"})
	b.press("yes", "enter")
	b.wanted(Remember{"yes"}, Answer{*later.Ask, "yes"})
}

func TestTextBegunBeforeAQuestionDoesNotAnswerIt(t *testing.T) {
	b := open80(t, work())
	b.press("hello")
	b.send(ViewMsg{asked(work())})
	b.press("enter")
	b.wanted()
	b.shows("nothing was asked when this was begun")
	b.press("ctrl+u", "no", "enter")
	b.wanted(Remember{"no"}, Answer{*asked(work()).Ask, "no"})
}

func TestRefusedTextComesBack(t *testing.T) {
	b := open80(t, asked(work()))
	b.press("no", "enter")
	b.send(DoneMsg{Text: "STALE: another question is open", Error: true, Line: "no"})
	b.shows("? no", "STALE")
}

func TestSeveralLines(t *testing.T) {
	b := open80(t, asked(work()))
	b.press("one", "shift+enter", "two", "alt+enter", "three", "ctrl+j", "four")
	b.shows("? one", "  two", "  three", "  four")
	b.press("enter")
	b.wanted(Remember{"one\ntwo\nthree\nfour"}, Answer{*asked(work()).Ask, "one\ntwo\nthree\nfour"})
}

func TestCompletion(t *testing.T) {
	for _, c := range []struct{ keys, want string }{
		{"/ta|tab", "/task "},
		{"/re|tab", "/reject "},
		{"/re|tab|tab", "/retry"},
		{"/re|tab|shift+tab", "/reset"},
		{"/res|tab", "/resume "},
		{"/check |tab", "/check --"},
		{"/check --c|tab", "/check --cancel "},
		{"/model su|tab", "/model supervisor "},
		{"/model supervisor s|tab", "/model supervisor sonnet "},
		{"/resume e|tab", "/resume executor "},
		{"/tk|tab", "/task "},
		{"tab", "/"},
	} {
		b := open80(t, work())
		b.press(strings.Split(c.keys, "|")...)
		if b.m.prompt.text != c.want {
			t.Errorf("%s gives %q, want %q", c.keys, b.m.prompt.text, c.want)
		}
	}
}

func TestAnUnfinishedNameIsNotRun(t *testing.T) {
	b := open80(t, work())
	b.press("/stat", "enter")
	b.shows("> /status", "Enter again runs /status")
	b.press("enter")
	b.shows("╭ status")
}

func TestHistory(t *testing.T) {
	b := open80(t, work())
	b.press("/stop", "enter", "/plan", "enter")
	b.press("draft", "up")
	b.shows("> /plan")
	b.press("up", "up")
	b.shows("> /stop")
	b.press("down", "down")
	b.shows("> draft")
}

func TestEditing(t *testing.T) {
	for keys, want := range map[string]string{
		"one two|ctrl+w|three":                      "one three",
		"one two|ctrl+a|zero ":                      "zero one two",
		"one two|alt+b|ctrl+k":                      "one ",
		"one two|alt+b|ctrl+u|ctrl+e|!":             "two!",
		"one two|ctrl+w|ctrl+a|ctrl+y| ":            "two one ",
		"ab|ctrl+t":                                 "ba",
		"é漢e\u0301|left|backspace":                  "ée\u0301",
		"x|left|delete|y":                           "y",
		"one two|ctrl+a|alt+d|1":                    "1 two",
		"one|ctrl+j|two|up|home|0|end|!|down|end|.": "0one!\ntwo.",
	} {
		b := open80(t, work())
		b.press(strings.Split(keys, "|")...)
		if b.m.prompt.text != want {
			t.Errorf("%s gives %q, want %q", keys, b.m.prompt.text, want)
		}
	}
}

func TestPasteIsCleaned(t *testing.T) {
	b := open80(t, work())
	b.send(tea.PasteMsg{Content: "a\x1b[2Jb\r\nc\u202ed"})
	if b.m.prompt.text != "ab\ncd" {
		t.Errorf("pasted %q", b.m.prompt.text)
	}
}

func TestKeysInAPaneAreTheAgents(t *testing.T) {
	b := openAt(t, work(), 120, 40)
	b.press("ctrl+o", "2")
	b.shows("keys go to 2 executor")
	b.press("hi", "enter", "ctrl+c", "ctrl+o", "f1", "up", "tab", "esc")
	b.send(tea.KeyPressMsg{Code: 'x', Mod: tea.ModAlt})
	want := ""
	for _, i := range b.wants {
		in, ok := i.(Input)
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
	b.shows("> x")
	b.press("ctrl+o", "2", "f12", "y")
	b.shows("> xy")
	b.wanted()
}

func TestPasteIntoAPane(t *testing.T) {
	v := work()
	_, _ = v.Panes[1].Terminal.Write([]byte("\x1b[?2004h"))
	b := openAt(t, v, 120, 40)
	b.press("alt+2")
	b.send(tea.PasteMsg{Content: "two\nlines"})
	if len(b.wants) != 1 || !strings.HasPrefix(string(b.wants[0].(Input).Data), "\x1b[200~two") {
		t.Errorf("pasted %#v", b.wants)
	}
}

func TestAPaneThatOnlyShowsSaysSo(t *testing.T) {
	v := work()
	v.Panes[1].Interactive = false
	b := openAt(t, v, 120, 40)
	b.press("ctrl+o", "2", "x")
	b.wanted()
	b.shows("2 executor only shows", "this pane only shows")
	b.press("ctrl+o", "1")
	b.shows("▸1 supervisor")
}

func TestCtrlCTwiceQuits(t *testing.T) {
	b := open80(t, work())
	b.press("ctrl+c")
	b.shows("Ctrl+C again quits and ends 1 session")
	b.wanted()
	b.press("ctrl+c")
	b.wanted(Quit{})
	b.now = b.now.Add(3e9)
	b.press("ctrl+c")
	b.wanted()
}

func TestQuitAsksWhileASessionLives(t *testing.T) {
	b := open80(t, work())
	b.press("/quit", "enter")
	b.wanted(Remember{"/quit"})
	b.shows("Quitting ends 1 session")
	b.press("n")
	b.wanted()
	b.press("/quit", "enter", "y")
	b.wanted(Quit{})
	v := work()
	v.Panes[1].Living = false
	b = open80(t, v)
	b.press("/quit", "enter")
	b.wanted(Remember{"/quit"}, Quit{})
}

func TestResetAsks(t *testing.T) {
	b := open80(t, work())
	b.press("/reset", "enter", "n")
	b.wanted(Remember{"/reset"})
	b.press("/reset", "enter", "y")
	b.wanted(Reset{})
}

func TestModelIsPicked(t *testing.T) {
	b := open80(t, work())
	b.press("/model", "enter", "enter", "down", "enter")
	b.wanted(Remember{"/model"}, SetModel{"supervisor", "sonnet"})
	b.press("/model", "enter", "down", "enter", "down", "enter")
	b.shows("> /model executor")
}

// TestEverySlotKnowsItsSize also before it has a session, and again on a change.
func TestEverySlotKnowsItsSize(t *testing.T) {
	got := map[string]Resize{}
	m := New(Options{Do: func(i Intent) tea.Cmd {
		if r, ok := i.(Resize); ok {
			got[r.Slot] = r
		}
		return nil
	}})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	m.Update(ViewMsg{work()})
	want := Resize{"executor", 58, 25}
	if len(got) != 4 || got["executor"] != want || got["planner"].Columns != 58 {
		t.Errorf("sizes %v", got)
	}
	clear(got)
	m.Update(ViewMsg{work()})
	if len(got) != 0 {
		t.Errorf("told again: %v", got)
	}
	m.Update(tea.KeyPressMsg{Code: tea.KeyF2})
	if want := (Resize{"executor", 118, 34}); len(got) != 1 || got["executor"] != want {
		t.Errorf("zoomed: %v", got)
	}
}

func TestClickFocusesAndMouseReachesTheAgent(t *testing.T) {
	v := work()
	b := openAt(t, v, 120, 40)
	b.send(tea.MouseClickMsg{X: 70, Y: 5, Button: tea.MouseLeft})
	b.shows("keys go to 2 executor")
	b.wanted()
	_, _ = v.Panes[1].Terminal.Write([]byte("\x1b[?1000;1006h"))
	b.send(tea.MouseClickMsg{X: 61, Y: 2, Button: tea.MouseLeft})
	b.wanted(Input{"executor", []byte("\x1b[<0;1;1M")})
	b.send(tea.MouseClickMsg{X: 3, Y: 38, Button: tea.MouseLeft}, tea.MouseClickMsg{X: 5, Y: 5, Button: tea.MouseLeft})
	b.shows("1 supervisor only shows")
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
	b := openAt(t, v, 120, 40)
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
	if c := b.m.View().Cursor; c == nil || c.X != 7 || c.Y != 38 {
		t.Errorf("at the prompt: %+v", c)
	}
	b.press("alt+2")
	if c := b.m.View().Cursor; c == nil || c.X != 61 || c.Y != 4 {
		t.Errorf("in the pane: %+v", c)
	}
	_, _ = b.m.view.Panes[1].Terminal.Write([]byte("\x1b[?25l"))
	if c := b.m.View().Cursor; c != nil {
		t.Errorf("hidden: %+v", c)
	}
}

func TestFocusIsTold(t *testing.T) {
	v := work()
	_, _ = v.Panes[1].Terminal.Write([]byte("\x1b[?1004h"))
	b := openAt(t, v, 120, 40)
	b.press("alt+2")
	b.wanted(Input{"executor", []byte("\x1b[I")})
	b.send(tea.BlurMsg{})
	b.wanted(Input{"executor", []byte("\x1b[O")})
}

// TestANewSessionIsShown unless the person looks at another.
func TestANewSessionIsShown(t *testing.T) {
	v := work()
	b := openAt(t, v, 120, 40)
	with := v
	with.Panes = append(append([]Pane{}, v.Panes...), Pane{Slot: "reviewer", Title: Title{Number: 4, Name: "reviewer", Status: "running 00:01"}, Left: true, Living: true, Session: 1, Born: 9, Terminal: vt.NewLocked(58, 25, 0)})
	b.send(ViewMsg{with})
	b.shows("╭ 4 reviewer", "1 supervisor done")
	b.press("ctrl+o", "1")
	b.shows("╭▸1 supervisor")
	b.press("ctrl+]")
	b.shows("╭▸1 supervisor")
	with.Panes[2].Session = 2
	b.send(ViewMsg{with})
	b.shows("╭ 4 reviewer")
}

func TestKeysOfEveryKind(t *testing.T) {
	for _, c := range []struct {
		key  tea.Key
		want vt.Key
	}{
		{tea.Key{Code: 'a', Text: "a"}, vt.Key{Code: 'a', Text: "a"}},
		{tea.Key{Code: 'a', Text: "A", Mod: tea.ModShift, ShiftedCode: 'A'}, vt.Key{Code: 'a', Text: "A", Mod: vt.Shift, Shifted: 'A'}},
		{tea.Key{Code: tea.KeyUp, Mod: tea.ModCtrl | tea.ModAlt}, vt.Key{Code: vt.KeyUp, Mod: vt.Ctrl | vt.Alt}},
		{tea.Key{Code: tea.KeyF5, Mod: tea.ModSuper}, vt.Key{Code: vt.KeyF5, Mod: vt.Super}},
		{tea.Key{Code: tea.KeyF24, Mod: tea.ModMeta}, vt.Key{Code: vt.KeyF24, Mod: vt.Meta}},
		{tea.Key{Code: tea.KeyKp7, Text: "7"}, vt.Key{Code: vt.KeyKP7, Text: "7"}},
		{tea.Key{Code: tea.KeyEnter, Mod: tea.ModShift}, vt.Key{Code: vt.KeyEnter, Mod: vt.Shift}},
		{tea.Key{Code: tea.KeyExtended, Text: "e\u0301"}, vt.Key{Code: 'e', Text: "e\u0301"}},
		{tea.Key{Code: tea.KeyMediaPlay}, vt.Key{}},
		{tea.Key{Code: tea.KeyPgUp, IsRepeat: true}, vt.Key{Code: vt.KeyPageUp, Event: vt.KeyRepeat}},
	} {
		if got := paneKey(c.key); got != c.want {
			t.Errorf("%v is %+v, want %+v", c.key, got, c.want)
		}
	}
}

// TestTheTablesHold: every command and key has words, names are unique, and the
// page in the README has each.
func TestTheTablesHold(t *testing.T) {
	seen := map[string]bool{}
	page := CommandsMarkdown()
	for _, c := range Commands {
		if c.Words == "" || c.Make == nil || seen[c.Name] {
			t.Errorf("/%s has no words, does nothing, or is there twice", c.Name)
		}
		seen[c.Name] = true
		if !strings.Contains(page, "`/"+c.Name) {
			t.Errorf("/%s is not in the page", c.Name)
		}
	}
	strikes := map[string]bool{}
	for _, k := range Keys {
		for _, s := range k.Strike {
			at := string(rune('0'+k.Place)) + s
			if strikes[at] {
				t.Errorf("%s means two things", s)
			}
			strikes[at] = true
			if _, edits := editing[s]; edits && k.Place == AtPrompt {
				t.Errorf("%s edits and is %s", s, k.Name)
			}
		}
	}
	if !strings.Contains(KeysMarkdown(), "Ctrl+] or F12") {
		t.Error("the page of keys lacks the way out of a pane")
	}
}
