package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/view"
	"ferrus/ui/vt"
)

func TestTypedCommandsBecomeIntents(t *testing.T) {
	idle := work()
	idle.Disabled = nil
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
		"/register --remove":        Register{"--remove"},
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
		b.wanted(SaveHistory{line}, want)
	}
}

func TestWrongCommandsSayWhatToDo(t *testing.T) {
	for line, want := range map[string]string{
		"/nonsense":        "there is no command /nonsense",
		"/task --now":      "needs the text",
		"/task --later x":  "knows --manual, --again, --now and --with-changes",
		"/task":            "off: a task is open",
		"/approve":         "off: the task is Executing, not Reviewing",
		"/reject":          "needs notes",
		"/check --twice":   "knows --force and --cancel",
		"/register":        "needs --supervisor, --executor or --remove",
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
	v.Disabled["task"] = ""
	b := open80(t, v)
	b.press("add a retry", "enter")
	b.wanted()
	b.shows("> /task add a retry", "Enter again")
	b.press("enter")
	b.wanted(SaveHistory{"/task add a retry"}, Task{Text: "add a retry"})
}

func TestPlainTextAnswersTheQuestionShownAtTheFirstKey(t *testing.T) {
	v := asked(work())
	b := open80(t, v)
	b.shows("executor asks: should retries apply to POST too?")
	b.press("no")
	later := asked(work())
	later.Ask = &view.Ask{Kind: view.Question, Ticket: 99, Who: "reviewer", Text: "is this still wanted?"}
	b.send(ViewMsg{later})
	b.press("pe", "enter")
	b.wanted(SaveHistory{"nope"}, Answer{*v.Ask, "nope"})
	b.press("yes", "enter")
	b.wanted(SaveHistory{"yes"}, Answer{*later.Ask, "yes"})
}

func TestTextBegunBeforeAQuestionDoesNotAnswerIt(t *testing.T) {
	b := open80(t, work())
	b.press("hello")
	b.send(ViewMsg{asked(work())})
	b.press("enter")
	b.wanted()
	b.shows("nothing was asked when this was begun")
	b.press("ctrl+u", "no", "enter")
	b.wanted(SaveHistory{"no"}, Answer{*asked(work()).Ask, "no"})
}

func TestRefusedTextComesBack(t *testing.T) {
	b := open80(t, asked(work()))
	b.press("no", "enter")
	b.send(DoneMsg{Text: "STALE: another question is open", Error: true, Line: "no"})
	b.shows("? no", "STALE")
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
	b.press("x", "ctrl+c") // which clears the prompt
	b.send(tea.PasteMsg{Content: "y"})
	b.press("ctrl+c")
	b.wanted()
	b.press("ctrl+c")
	b.wanted(Quit{})
}

func TestQuitAsksWhileASessionLives(t *testing.T) {
	b := open80(t, work())
	b.press("/quit", "enter")
	b.wanted(SaveHistory{"/quit"})
	b.shows("Quitting ends 1 session")
	b.press("n")
	b.wanted()
	b.press("/quit", "enter", "y")
	b.wanted(Quit{})
	b.press("/quit", "enter", "l")
	b.wanted(Quit{Leave: true})
	v := work()
	v.StopOnExit = true
	b = open80(t, v)
	b.press("/quit", "enter", "l")
	b.wanted(SaveHistory{"/quit"})
	v.Panes[1].Living = false
	b = open80(t, v)
	b.press("/quit", "enter")
	b.wanted(SaveHistory{"/quit"}, Quit{})
}

func TestResetAsks(t *testing.T) {
	b := open80(t, work())
	b.press("/reset", "enter", "n")
	b.wanted(SaveHistory{"/reset"})
	b.press("/reset", "enter", "y")
	b.wanted(Reset{})
}

func TestATaskMayComeFromASpecification(t *testing.T) {
	v := work()
	v.Disabled["task"] = ""
	v.Spec = view.Spec{Last: "docs/specs/cache.md"}
	b := open80(t, v)
	b.press("/task", "enter")
	b.wanted(SaveHistory{"/task"})
	b.press("enter")
	b.wanted(Task{Text: "The next task of the specification docs/specs/cache.md", Manual: true})
	v.Spec.Selected, v.Spec.Milestone = "docs/specs/cache.md", "M2"
	b.send(ViewMsg{v})
	b.press("/task", "enter")
	b.shows("from milestone M2 of docs/specs/cache.md", "from another milestone", "from docs/specs/cache.md  ", "without")
	b.press("enter")
	b.wanted(Task{})
	b.press("/task", "enter", "up", "enter")
	b.wanted(Task{Manual: true})
	b.press("/task as I say", "enter")
	b.wanted(SaveHistory{"/task as I say"}, Task{Text: "as I say"})
}

func TestWorkflowCommand(t *testing.T) {
	b := open80(t, work())
	b.press("/workflow", "enter")
	b.wanted(SaveHistory{"/workflow"}, Workflow{})
	b.press("/workflow feature Add retry", "enter")
	b.wanted(SaveHistory{"/workflow feature Add retry"}, Workflow{"feature Add retry"})
	b.press("/workflow cancel no time", "enter")
	b.shows("Cancel the workflow?", "No commit is lost.")
	b.press("n", "/workflow cancel no time", "enter", "y")
	b.wanted(SaveHistory{"/workflow cancel no time"}, Workflow{"cancel no time"})
}

func TestMilestoneIsPicked(t *testing.T) {
	b := open80(t, work())
	b.press("/milestones", "enter")
	b.wanted(SaveHistory{"/milestones"}, Milestones{})
	stages := []view.Milestone{
		{ID: "m1.0", Title: "#1.0 Read", Done: true}, {ID: "m1.1", Title: "#1.1 Add", On: "m1.0"},
		{ID: "m1.2", Title: "#1.2 Show", On: "m1.1", Waits: "m1.1"}, {Title: "#1.3 Nameless"},
	}
	billing := view.SpecFile{Path: "docs/specs/billing.md", Name: "billing", Progress: "1/3", Milestones: stages}
	b.send(SpecsMsg{[]view.SpecFile{billing, {Path: "docs/specs/bad.md", Name: "bad", Problem: "line 3: x; line 4: y"}, {Path: "e.md", Name: "empty"}}})
	b.shows("billing  1/3  docs/specs/billing.md", "bad      cannot be used")
	b.press("enter")
	b.shows("[x] #1.0 Read      m1.0", "▸ [ ] #1.1 Add       m1.1  ready, after m1.0", "m1.2  waits for m1.1", "no ID")
	b.press("enter", "enter")
	b.wanted(SelectMilestone{Spec: billing.Path, Milestone: "m1.1"})
	b.send(SpecsMsg{[]view.SpecFile{billing}})
	b.press("down", "enter")
	b.shows("m1.2 #1.2 Show waits for m1.1")
	b.press("down", "enter")
	b.wanted(SelectMilestone{Spec: billing.Path, Milestone: "m1.2", Draft: true})
	b.send(SpecsMsg{[]view.SpecFile{billing}})
	b.press("up", "up", "enter", "enter") // a line to read leads nowhere
	b.shows("#1.3 Nameless")
	b.press("down", "enter")
	b.shows("m1.0 #1.0 Read is done")
	b.press("esc")
	b.send(SpecsMsg{[]view.SpecFile{{Path: "docs/specs/bad.md", Name: "bad", Problem: "line 3: x; line 4: y"}}})
	b.shows("docs/specs/bad.md cannot be used", "line 3: x", "line 4: y")
	b.press("esc", "/reset-spec", "enter")
	b.wanted(SaveHistory{"/reset-spec"}, SelectMilestone{})
	v := work()
	v.Disabled["task"] = ""
	b.send(ViewMsg{v})
	b.press("/task --again twice", "enter")
	b.wanted(SaveHistory{"/task --again twice"}, Task{Text: "twice", Again: true})
}

func TestModelIsPicked(t *testing.T) {
	b := open80(t, work())
	b.press("/model", "enter", "enter", "down", "enter")
	b.wanted(SaveHistory{"/model"}, SetModel{"supervisor", "sonnet"})
	b.press("/model", "enter", "down", "enter", "down", "down", "enter")
	b.shows("> /model executor")
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

// TestTheTablesHold: every command and key has words, and names are unique.
func TestTheTablesHold(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Commands {
		if c.Help == "" || c.Make == nil || seen[c.Name] {
			t.Errorf("/%s has no words, does nothing, or is there twice", c.Name)
		}
		seen[c.Name] = true
	}
	strikes, names := map[string]bool{}, map[string]bool{}
	for _, k := range Keys {
		if k.Help == "" || k.Label == "" {
			t.Errorf("the key %s has no words", k.Name)
		}
		if !k.Fixed && (names[k.Name] || k.press == nil) {
			t.Errorf("the action %s is there twice, or does nothing", k.Name)
		}
		names[k.Name] = true
		for _, s := range k.Bindings {
			at := string(rune('0'+k.Place)) + s
			if strikes[at] {
				t.Errorf("%s means two things", s)
			}
			strikes[at] = true
		}
	}
}

// TestDefaultsCanBeWritten: what the table has may be asked for.
func TestDefaultsCanBeWritten(t *testing.T) {
	for _, k := range Keys {
		for _, s := range k.Bindings {
			if read, err := k.Read(s); read != s || err != nil {
				t.Errorf("%s cannot be %q: %q, %v", k.Name, s, read, err)
			}
		}
	}
	for _, name := range []string{"leader", "next", "leave", "help", "log", "quit"} {
		m := New(Options{})
		if m.key(name).Name != name {
			t.Errorf("there is no action %s", name)
		}
	}
}

func TestKeysAreRead(t *testing.T) {
	at := map[KeyContext]Key{AtPrompt: {Place: AtPrompt}, AfterLeader: {Place: AfterLeader}, InPane: {Place: InPane}}
	for _, c := range []struct {
		place         KeyContext
		written, want string // empty: refused
		label         string
	}{
		{AtPrompt, "Ctrl+G", "ctrl+g", "Ctrl+G"}, {AtPrompt, "shift+ctrl+alt+F5", "ctrl+alt+shift+f5", "Ctrl+Alt+Shift+F5"}, {AtPrompt, "PageUp", "pgup", "PgUp"},
		{AtPrompt, "ctrl++", "ctrl++", "Ctrl++"}, {AtPrompt, "x", "", ""}, {AtPrompt, "X", "", ""}, {AtPrompt, "up", "", ""}, {AtPrompt, "shift+left", "", ""},
		{AtPrompt, "ctrl+i", "", ""}, {AtPrompt, "ctrl+m", "", ""}, {AtPrompt, "ctrl+[", "", ""}, {AtPrompt, "hyperspace", "", ""}, {AtPrompt, "f0", "", ""}, {AtPrompt, "", "", ""},
		{AfterLeader, "x", "x", "x"}, {AfterLeader, "X", "shift+x", "X"}, {AfterLeader, "space", "space", "Space"}, {AfterLeader, "+", "+", "+"}, {AfterLeader, "\u00e9", "\u00e9", "\u00e9"},
		{InPane, "ctrl+g", "ctrl+g", "Ctrl+G"}, {InPane, "ctrl+\\", "ctrl+\\", "Ctrl+\\"}, {InPane, "f9", "f9", "F9"}, {InPane, "ctrl+c", "", ""}, {InPane, "esc", "", ""},
		{InPane, "alt+x", "", ""}, {InPane, "q", "", ""}, {InPane, "ctrl+1", "", ""}, {InPane, "f13", "", ""}, {InPane, "ctrl+shift+g", "", ""}, {InPane, "ctrl+h", "", ""},
	} {
		got, err := at[c.place].Read(c.written)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s, %q is read as %q, %v", c.place, c.written, got, err)
		}
		if c.want != "" && label([]string{got}) != c.label {
			t.Errorf("%q is shown as %q", got, label([]string{got}))
		}
	}
}

func TestRemappedKeysLeaveTheirDefaults(t *testing.T) {
	v := asked(work())
	v.Keys = map[string][]string{"leader": {"ctrl+a"}, "leave": {"ctrl+w"}, "zoom": {"f3"}, "log": {"f2"}, "newline": {"ctrl+t"}, "next": {"x"}, "focus": {"f9"}}
	b := openAt(t, v, 120, 40)
	b.shows("Ctrl+A leader   F3 zoom   F2 log")
	b.press("ctrl+o", "2")
	b.shows("? 2")
	b.press("ctrl+u", "ctrl+a")
	b.shows("x next that needs you")
	b.press("2")
	b.shows("keys go to 2 executor; Ctrl+W comes back", "Ctrl+W back to the prompt", "Ctrl+W and answer")
	b.press("ctrl+]", "f12")
	b.wanted(Input{Slot: "executor", Data: []byte{0x1d}}, Input{Slot: "executor", Data: []byte("\x1b[24~")})
	b.press("ctrl+w", "y", "ctrl+t", "z", "ctrl+j", "!")
	if b.m.prompt.text != "y\nz!" {
		t.Errorf("the prompt has %q", b.m.prompt.text)
	}
	b.press("f1")
	b.frame()
	b.press("end", "up", "up", "up", "up", "up", "up", "up", "up", "up", "up", "up", "up")
	b.shows("keys after Ctrl+A", "keys in a pane", "Ctrl+W")
	b.press("f2", "ctrl+a", "n")
	b.wanted()
	b.press("ctrl+a", "x")
	b.shows("should retries apply")
}

func TestKeysChangeWhileHQRuns(t *testing.T) {
	v := work()
	v.Keys = map[string][]string{"leave": {"f9"}}
	b := openAt(t, v, 120, 40)
	b.press("ctrl+o", "2")
	b.shows("F9 comes back")
	b.send(ViewMsg{work()})
	b.shows("Ctrl+] or F12 comes back")
	b.press("ctrl+]", "x")
	b.shows("> x")
}

func TestAttachGivesThePaneTheKeys(t *testing.T) {
	b := open80(t, work())
	b.press("/attach executor", "enter")
	b.wanted(SaveHistory{"/attach executor"})
	b.shows("keys go to 2 executor")
	b.press("ctrl+]", "/attach nobody", "enter")
	b.shows("/attach takes one of:")
}

func TestTellNamesASlot(t *testing.T) {
	b := open80(t, work())
	b.press("/tell executor use the table", "enter")
	b.wanted(SaveHistory{"/tell executor use the table"}, Tell{"executor", "use the table"})
	b.press("/tell executor", "enter")
	b.shows("/tell takes a slot and a text")
}
