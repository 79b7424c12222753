package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/intent"
	"ferrus/ui/keys"
	"ferrus/ui/view"
)

func TestPlainTextGoesToATaskAtTheSecondEnter(t *testing.T) {
	v := work()
	v.Disabled, v.Panes = nil, v.Panes[:1]
	b := open80(t, v)
	b.press("add a retry", "enter")
	b.wanted()
	b.shows("> /task add a retry", "Enter again")
	b.press("enter")
	b.wanted(intent.SaveHistory{Line: "/task add a retry"}, ran{"task", "add a retry"})
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
	b.wanted(intent.SaveHistory{Line: "nope"}, intent.Answer{Ask: *v.Ask, Text: "nope"})
	b.press("yes", "enter")
	b.wanted(intent.SaveHistory{Line: "yes"}, intent.Answer{Ask: *later.Ask, Text: "yes"})
}

func TestTextBegunBeforeAQuestionDoesNotAnswerIt(t *testing.T) {
	b := open80(t, work())
	b.press("hello")
	b.send(ViewMsg{asked(work())})
	b.press("enter")
	b.wanted()
	b.shows("Press Enter again to send this to the executor")
	b.press("ctrl+u", "no", "enter")
	b.wanted(intent.SaveHistory{Line: "no"}, intent.Answer{Ask: *asked(work()).Ask, Text: "no"})
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
	b.shows("Ctrl+C again quits and stops 1 session")
	b.wanted()
	b.press("ctrl+c")
	b.wanted(intent.Quit{})
	b.now = b.now.Add(3e9)
	b.press("ctrl+c")
	b.wanted()
	b.press("x", "ctrl+c") // which clears the prompt
	b.send(tea.PasteMsg{Content: "y"})
	b.press("ctrl+c")
	b.wanted()
	b.press("ctrl+c")
	b.wanted(intent.Quit{})
}

// TestKeysHold checks that every binding has words and an action, and that no key means two things
// in one place, except on pages with matches.
func TestKeysHold(t *testing.T) {
	for _, k := range Keys {
		if k.Help == "" || k.Label == "" || k.In == 0 {
			t.Errorf("the key %s has no words, or counts nowhere", k.Action)
		}
	}
	for in := keys.Context(1); in <= keys.InMatches; in <<= 1 {
		all := map[string]keys.Action{}
		for _, k := range Keys {
			if k.In&in == 0 {
				continue
			}
			for _, key := range k.Keys {
				if other := all[key]; other != "" {
					t.Errorf("in %b %s means %s and %s", in, key, other, k.Action)
				}
				all[key] = k.Action
			}
		}
	}
}

// TestDefaultsCanBeWritten checks that the defaults of the table are valid in the configuration.
func TestDefaultsCanBeWritten(t *testing.T) {
	for _, k := range Keys {
		for _, s := range k.Keys {
			if k.Fixed {
				continue
			}
			if read, err := k.Read(s); read != s || err != nil {
				t.Errorf("%s cannot be %q: %q, %v", k.Action, s, read, err)
			}
		}
	}
}

func TestRemappedKeysLeaveTheirDefaults(t *testing.T) {
	v := asked(work())
	v.Keys = map[string][]string{"leader": {"ctrl+a"}, "leave": {"ctrl+w"}, "zoom": {"f3"}, "log": {"f2"},
		"newline": {"ctrl+t"}, "next": {"x"}, "focus": {"f9"}}
	b := openAt(t, v, 120, 40)
	b.shows("Ctrl+A more keys   F4 diff   Ctrl+P go to   F3 zoom   F2 log")
	b.press("ctrl+o", "2")
	b.shows("? 2")
	b.press("ctrl+u", "ctrl+a")
	b.shows("x next that needs you")
	b.press("2")
	b.shows("Keys go to 2 executor; Ctrl+W returns to the prompt", "Ctrl+W back to the prompt", "Ctrl+W, then answer")
	b.press("ctrl+]", "f12")
	b.wanted(intent.Input{Slot: "executor", Data: []byte{0x1d}},
		intent.Input{Slot: "executor", Data: []byte("\x1b[24~")})
	b.press("ctrl+w", "y", "ctrl+t", "z", "ctrl+j", "!")
	if b.m.prompt.Value() != "y\nz!" {
		t.Errorf("the prompt has %q", b.m.prompt.Value())
	}
	b.press("f1")
	b.frame()
	b.press("/keys after", "enter")
	b.shows("keys after Ctrl+A")
	b.press("esc", "/keys in a pane", "enter")
	b.shows("keys in a pane", "Ctrl+W")
	b.press("esc", "f2", "esc", "ctrl+a", "n")
	b.wanted()
	b.press("ctrl+a", "x")
	b.shows("should retries apply")
}

func TestKeysChangeWhileHQRuns(t *testing.T) {
	v := work()
	v.Keys = map[string][]string{"leave": {"f9"}}
	b := openAt(t, v, 120, 40)
	b.press("ctrl+o", "2")
	b.shows("F9 returns to the prompt")
	b.send(ViewMsg{work()})
	b.shows("Ctrl+] or F12 returns to the prompt")
	b.press("ctrl+]", "x")
	b.shows("> executor  x")
}
