package pair

import (
	"strings"
	"testing"
)

var grammar = Grammar{Words: DefaultWords, Nonce: "3fa9c1", Taught: []Signal{SignalDone, SignalPass,
	SignalRework, SignalFail}}

// misread lists phrases that another program took for signals.
var misread = []string{
	"I abandoned that idea", "The bypass is incorrect", "FAIL: 3 failed, 20 passed", "Not approved", "unapproved",
	"I will not pass this", "LGTM but REJECTED", "failover works", "undone", "condone", "XYZZY", "done",
	"All DONE. LGTM", "DONE", "PASS", "APPROVED", "LGTM", "FAIL", "REJECTED", "NEEDS CHANGES",
	"looks good", "well done", "correctly implemented", "works as expected", "tests pass", "all tests pass",
	"needs work", "needs changes", "does not work", "doesn't work", "tests fail", "test failed", "incorrect",
	"bug found", "issue found",
	"PASS: all good", "FAIL - broken", "DONE.", "I am DONE", "20 PASS, 0 FAIL",
}

func TestMisreadPhrasesAreNoSignals(t *testing.T) {
	for _, phrase := range misread {
		for _, text := range []string{
			phrase, phrase + "\n", "work\n" + phrase, phrase + " 3fa9c1", "I said " + phrase + " 3fa9c1\n\n",
			"DONE 3fa9c1\n" + phrase, "PASS 3fa9c1\n" + phrase + "\n", strings.ToLower(phrase),
			strings.ToUpper(phrase) + "!",
		} {
			// A text that is exactly a signal line is a signal, however it was produced.
			if line := lastLine(text); line == "DONE 3fa9c1" || line == "PASS 3fa9c1" {
				continue
			}
			if got := grammar.Parse(text).Signal(); got != NoneYet {
				t.Errorf("%q is %s", text, got)
			}
		}
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]Result{
		"DONE 3fa9c1":                                 {Done: true},
		"I wrote it.\n\nDONE 3fa9c1\n\n  \n":          {Done: true},
		"  PASS 3fa9c1\t\r\n":                         {Pass: true},
		"notes\nREWORK 3fa9c1: name the file":         {Rework: true, Text: "name the file"},
		"REWORK 3fa9c1:x":                             {Rework: true, Text: "x"},
		"FAIL 3fa9c1: it cannot be done: DONE 3fa9c1": {Fail: true, Text: "it cannot be done: DONE 3fa9c1"},
		"REWORK 3fa9c1":                               {Rework: true},
		"REWORK 3fa9c1: ":                             {Rework: true},
		"FAIL 3fa9c1":                                 {},
		"DONE 3fa9c1: with words":                     {},
		"DONE 3fa9c2":                                 {},
		"DONE 3FA9C1":                                 {},
		"done 3fa9c1":                                 {},
		"DONE  3fa9c1":                                {},
		"DONE\u00a03fa9c1":                            {},
		"DONE 3fa9c1.":                                {},
		"`DONE 3fa9c1`":                               {},
		"**DONE 3fa9c1**":                             {},
		"> DONE 3fa9c1":                               {},
		"not DONE 3fa9c1":                             {},
		"DONE 3fa9c1 PASS 3fa9c1":                     {},
		"PASS 3fa9c1\nthat is what I will not say":    {},
		"DONE 3fa9c1\u2028":                           {},
		"\x1b[32mDONE 3fa9c1\x1b[0m":                  {},
		"":                                            {},
	} {
		want.Output = text
		if got := grammar.Parse(text); got != want {
			t.Errorf("%q is %+v, want %+v", text, got, want)
		}
	}
}

func TestOnlyTaughtSignalsCount(t *testing.T) {
	for _, c := range []struct {
		by   string
		mode Mode
		says string
	}{
		{"primary", Review, "DONE FAIL"}, {"primary", Single, "DONE FAIL"}, {"primary", Consensus, "DONE PASS FAIL"},
		{"secondary", Review, "PASS REWORK FAIL"}, {"secondary", Consensus, "PASS DONE REWORK FAIL"},
	} {
		g := grammar
		g.Taught = Taught(Primary, c.mode)
		if c.by == "secondary" {
			g.Taught = Taught(Secondary, c.mode)
		}
		for _, s := range []Signal{SignalDone, SignalPass, SignalRework, SignalFail} {
			line := strings.ReplaceAll(g.FormatSignal(s), "<", "")
			want := strings.Contains(" "+c.says+" ", " "+string(s)+" ")
			if got := g.Parse(line).Signal() == s; got != want {
				t.Errorf("%s in %s: %q is %v", c.by, c.mode, line, got)
			}
		}
	}
}

func TestWords(t *testing.T) {
	g := grammar
	g.Words.Done = "XYZZY"
	if !g.Parse("XYZZY 3fa9c1").Done || g.Parse("DONE 3fa9c1").Done {
		t.Error("the word is not the configured one")
	}
	for _, word := range []string{"", "two words", "pass", "PASS", "a:b", "1st", strings.Repeat("x", 33), "dönе"} {
		w := DefaultWords
		w.Done = word
		if w.Check() == nil {
			t.Errorf("%q is a word", word)
		}
	}
	if err := DefaultWords.Check(); err != nil {
		t.Error(err)
	}
	g.Nonce = ""
	if g.Parse("XYZZY ").Done {
		t.Error("a turn without a nonce has a signal")
	}
}

// FuzzParse checks that only a signal line, written out again from what was parsed, is a signal,
// whatever precedes or surrounds it.
func FuzzParse(f *testing.F) {
	for _, phrase := range misread {
		f.Add(phrase)
		f.Add("x\n" + phrase + " 3fa9c1\r\n")
	}
	for _, s := range []string{"DONE 3fa9c1", "PASS 3fa9c1\n", "REWORK 3fa9c1: x", "FAIL 3fa9c1: y\r\n\r\n", "\r",
		"\n\n", "DONE 3fa9c1\x00"} {
		f.Add(s)
	}
	f.Add("REWORK 3fa9c1")
	f.Fuzz(func(t *testing.T, text string) {
		r := grammar.Parse(text)
		if r.Output != text {
			t.Fatal("the output was changed")
		}
		lines := strings.FieldsFunc(text, func(c rune) bool { return c == '\n' || c == '\r' })
		last := ""
		for _, line := range lines {
			if strings.Trim(line, " \t") != "" {
				last = strings.Trim(line, " \t")
			}
		}
		count := 0
		for signal, found := range map[Signal]bool{SignalDone: r.Done, SignalPass: r.Pass, SignalRework: r.Rework,
			SignalFail: r.Fail} {
			if !found {
				continue
			}
			count++
			head := string(signal) + " 3fa9c1"
			var right bool
			switch {
			case signal == SignalDone, signal == SignalPass:
				right = last == head && r.Text == ""
			case signal == SignalRework && r.Text == "":
				right = strings.TrimRight(strings.TrimSuffix(last, ":"), " \t") == head
			default:
				right = strings.HasPrefix(last, head+":") && r.Text != "" && strings.HasSuffix(last, r.Text)
			}
			if !right {
				t.Fatalf("%q is %s", text, signal)
			}
		}
		if count > 1 {
			t.Fatalf("%q is %d signals", text, count)
		}
		if (last == "DONE 3fa9c1" || last == "PASS 3fa9c1") != (r.Done || r.Pass) {
			t.Fatalf("%q is missed", text)
		}
		m := NewMachine(Snap{At: StateReviewing, Data: Data{Mode: Review, Iteration: 1}})
		e := Ended(r.Signal(), Turn{})
		if _, quiet := e.(NoSignal); quiet != (count == 0) {
			t.Fatalf("%q is %s", text, e.Kind())
		}
		if count == 0 && (m.Step(policy, Secondary, e) != nil || m.Current() == StateComplete ||
			m.Current() == StateFailed) {
			t.Fatalf("%q ends the run", text)
		}
	})
}
