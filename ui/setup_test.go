package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// guideAt returns a guide of a size, which writes and asks as configured.
func guideAt(t *testing.T, w, h int, ask []string) (s *Setup, written *[]SetupChoice, trusted *int) {
	written, trusted = new([]SetupChoice), new(int)
	s = NewSetup(Proposal{
		Where:  "/home/me/app",
		Agents: []SetupAgent{{Name: "one"}, {Name: "two"}, {"three", true, "get three"}},
		Choice: SetupChoice{"one", "two", []string{"a", "b", "c", "d"}},
		File:   func(c SetupChoice) string { return strings.Repeat("# line\n", 30) + c.Supervisor + "\n" },
		Write:  func(c SetupChoice) ([]string, error) { *written = append(*written, c); return ask, nil },
		Trust:  func() error { *trusted++; return nil },
	})
	s.Update(tea.WindowSizeMsg{Width: w, Height: h})
	return s, written, trusted
}

// strike presses keys and carries out the results.
func strike(t *testing.T, s *Setup, names ...string) string {
	t.Helper()
	for _, name := range names {
		k, ok := named[name]
		if !ok {
			k = tea.Key{Code: rune(name[0]), Text: name}
		}
		s.frame()
		if _, cmd := s.Update(tea.KeyPressMsg(k)); cmd != nil {
			msg := cmd()
			s.Update(msg)
		}
	}
	lines := s.frame()
	if len(lines) != s.h {
		t.Errorf("%d lines, want %d", len(lines), s.h)
	}
	for i, l := range lines {
		if n := ansi.StringWidth(l); n != s.w {
			t.Errorf("line %d is %d cells, want %d: %q", i, n, s.w, ansi.Strip(l))
		}
	}
	return ansi.Strip(strings.Join(lines, "\n"))
}

// TestSetupFitsAnyTerminal draws both pages in every size.
func TestSetupFitsAnyTerminal(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{10, 3}, {60, 20}, {61, 21}, {80, 24}, {120, 40}, {200, 60}} {
		s, _, _ := guideAt(t, size[0], size[1], []string{"a", "b"})
		first := strike(t, s)
		second := strike(t, s, "enter")
		if size[0] >= MinColumns && (!strings.Contains(first, "Esc change nothing") ||
			!strings.Contains(first, "and 2 more") || !strings.Contains(second, "y trust them")) {
			t.Errorf("%v:\n%s\n%s", size, first, second)
		}
	}
}

// TestSetupShowsAllBeforeTrust checks that no command can be trusted of which a part was not on the
// screen.
func TestSetupShowsAllBeforeTrust(t *testing.T) {
	t.Parallel()
	s, _, trusted := guideAt(t, 60, 20, []string{strings.Repeat("harmless ", 100) + "; worse"})
	page := strike(t, s, "enter", "y")
	if strings.Contains(page, "worse") || strings.Contains(page, "y trust them") || *trusted != 0 {
		t.Fatalf("trusted %d times:\n%s", *trusted, page)
	}
	page = strike(t, s, " ", " ", " ", " ")
	if !strings.Contains(page, "worse") || !strings.Contains(page, "y trust them") {
		t.Fatalf("the end is not shown:\n%s", page)
	}
	if strike(t, s, "y"); *trusted != 1 || s.End != SetupReady {
		t.Errorf("trusted %d times, end %d", *trusted, s.End)
	}
}

// TestSetupWritesWhatItShows changes the roles and a check on the page; a role
// is offered the installed agents.
func TestSetupWritesWhatItShows(t *testing.T) {
	t.Parallel()
	s, written, trusted := guideAt(t, 80, 24, []string{"x y"})
	strike(t, s, "s", "e", "e", "e", "c", "backspace", "x", " ", "y", "down", "ctrl+u", "enter")
	strike(t, s, "c", "z", "esc", "enter")
	if w := *written; len(w) != 1 || w[0].Supervisor != "two" || w[0].Executor != "one" ||
		strings.Join(w[0].Checks, ",") != "x y,c,d" {
		t.Fatalf("it wrote %+v", w)
	}
	if strike(t, s, "enter", "n"); *trusted != 0 || s.End != SetupReady {
		t.Errorf("trusted %d times, end %d", *trusted, s.End)
	}
}

// TestSetupLeaves checks that only Enter writes anything.
func TestSetupLeaves(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"esc", "ctrl+c", "q"} {
		s, written, _ := guideAt(t, 80, 24, nil)
		if strike(t, s, "s", "c", "a", "esc", key); len(*written) != 0 || s.End != SetupLeft {
			t.Errorf("%s: wrote %v, end %d", key, *written, s.End)
		}
	}
}

// The detected checks are edited, not replaced: one is changed, one is added, and an empty one is
// removed.
func TestSetupEditsTheDetectedChecks(t *testing.T) {
	t.Parallel()
	s, written, _ := guideAt(t, 80, 24, nil)
	page := strike(t, s, "c", "!", "down", "backspace", "down", "down", "down", "n", "e", "w")
	if !strings.Contains(page, "> new") || !strings.Contains(page, "  d") {
		t.Errorf("while it is edited:\n%s", page)
	}
	if strike(t, s, "enter", "enter"); len(*written) != 1 || strings.Join((*written)[0].Checks, ",") != "a!,c,d,new" {
		t.Errorf("it wrote %v", *written)
	}
}

// Without any agent the guide offers the demo.
func TestSetupOffersTheDemo(t *testing.T) {
	t.Parallel()
	s, written, _ := guideAt(t, 80, 24, nil)
	if page := strike(t, s, "d"); strings.Contains(page, "demo") || s.End == SetupDemo {
		t.Errorf("with an agent:\n%s", page)
	}
	for i := range s.Agents {
		s.Agents[i].Missing = true
	}
	if page := strike(t, s); !strings.Contains(page, "No agent is installed. d shows the demo") {
		t.Errorf("without one:\n%s", page)
	}
	if strike(t, s, "d"); s.End != SetupDemo || len(*written) != 0 {
		t.Errorf("end %d, wrote %v", s.End, *written)
	}
}

// A line that was being typed while the question opened does not answer it, whatever its letters.
// After a pause a key counts again.
func TestTypingAheadAnswersNothing(t *testing.T) {
	t.Parallel()
	for _, ahead := range []bool{true, false} {
		s, _, trusted := guideAt(t, 80, 24, []string{"a"})
		now := time.Unix(1, 0)
		s.Now = func() time.Time { return now }
		s.frame()
		_, write := s.Update(tea.KeyPressMsg(named["enter"]))
		typed := strings.Split("/task only now", "")
		if ahead { // the first keys come before the question is there
			for _, key := range typed[:5] {
				s.Update(tea.KeyPressMsg(tea.Key{Code: rune(key[0]), Text: key}))
			}
			typed = typed[5:]
		}
		s.Update(write())
		for _, key := range typed {
			now = now.Add(100 * time.Millisecond)
			strike(t, s, key)
		}
		if s.End != SetupLeft || *trusted != 0 {
			t.Errorf("ahead %v: end %d, trusted %d times", ahead, s.End, *trusted)
		}
		now = now.Add(time.Second)
		if strike(t, s, "y"); *trusted != 1 {
			t.Errorf("ahead %v: a key after a pause does not count", ahead)
		}
	}
}
