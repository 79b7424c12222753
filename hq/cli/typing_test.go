package cli

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/store/longtest"
	"ferrus/ui/termtest"
)

// pasted is ten thousand bytes in lines, as terminals paste them: the key Enter ends each line.
func pasted() string {
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "line %d of what is pasted\r", i+1)
	}
	return b.String() + "the end of it"
}

// TestTyping types at the prompt, faster than the screen is drawn.
func TestTyping(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	dir, env := echoProject(t, "")
	h := &user{openWith(t, dir, 120, 40, env), nil}
	h.WaitFor("No task yet")
	h.do(
		step{keys: "\x1b[200~" + pasted() + "\x1b[201~", sees: []string{"> [paste 1: 401 lines]\n"}},
		step{keys: "\r", sees: []string{"Press Enter again to have a supervisor draft a task from this"},
			then: "x{quit}", left: []string{"[paste 1"}},
		step{keys: "one two\x01zero \x05 three", sees: []string{"> zero one two three\n"}},
		step{keys: "\x1bb\x1bb\x0b", sees: []string{"> zero one\n"}, then: "\x19",
			ends: []string{"> zero one two three\n"}},
		step{keys: "\x17four", sees: []string{"> zero one two four\n"}},
		step{keys: "\x01\x1bd\x1bfX", sees: []string{">  oneX two four\n"}},
		step{keys: "\x15", sees: []string{">  two four\n"}, then: "\x05\x15\x19", ends: []string{">  two four\n"}},
		step{keys: "\x05\x15first\nsecond\x1b[Aer", sees: []string{"> firster\n", "\n   second\n"}, then: "x{quit}",
			left: []string{"firster"}},
		// Text that is typed while a dialog opens goes to the dialog, and none of it is lost.
		step{keys: "/status\rq/help\r/milest\r", sees: []string{"╭ help", "choose the milestone"}, then: "q/inbox\r",
			ends: []string{"╭ inbox"}, left: []string{"╭ help"}},
		step{keys: "q/nonsense\r", sees: []string{"Unknown command /nonsense (Tab lists commands"}},
		step{keys: "\x15/show\r", sees: []string{"There are no texts yet"}, then: "x{quit}",
			ends: []string{"again quits"}},
		step{keys: "{search}", sees: []string{"search ▏"}, then: "HELP", ends: []string{"search HELP▏", "> /help"}},
		step{keys: "{search}", sees: []string{"no older line matches"}, then: esc, left: []string{"search HELP"}},
		step{keys: "{search}inb\r", sees: []string{"> /inbox\n"}, then: "\r", ends: []string{"╭ inbox"}},
	)
	h.Type("q")
	h.WaitGone("╭ inbox")
	h.leave()

	// The next HQ has the history of this project, and of no other.
	h = &user{openWith(t, dir, 120, 40, env), nil}
	h.WaitFor("No task yet")
	h.do(step{keys: "\x1b[A", sees: []string{"> /inbox\n"}},
		step{keys: "\x1b[A\x1b[A", sees: []string{"> /status\n"}, gone: []string{"> /inbox"}})
	h.leave()
	other, env := echoProject(t, "")
	h = &user{openWith(t, other, 120, 40, env), nil}
	h.WaitFor("No task yet")
	h.do(step{keys: "\x1b[A/trust", sees: []string{"> /trust\n"}})
	h.leave()
}

// TestMouseInHQ moves the borders with the mouse, which the next HQ remembers, and gives the keys
// to the pane that is clicked.
func TestMouseInHQ(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	h := echoHQ(t, "", nil)
	click := func(x, y int) { h.Type(fmt.Sprintf("\x1b[<0;%d;%dM\x1b[<0;%[1]d;%[2]dm", x, y)) }
	x, y := h.Cell("╭ check")
	before := h.borders()
	h.Type(fmt.Sprintf("\x1b[<0;%d;%dM\x1b[<32;%d;%dM\x1b[<0;%[3]d;%[4]dm", x, y+3, x+10, y+3))
	h.Wait("a border to the right", func() bool { return h.borders() > before })
	moved := h.borders()
	click(h.Cell("│ready"))
	h.WaitFor("Keys go to 2 executor")
	click(h.Cell("╭ activity"))
	h.WaitFor("5 activity: Up and Down choose")
	click(h.Cell(" > 5 activity"))
	h.WaitGone("5 activity: Up")
	h.Type("/stop\r")
	h.WaitFor("Stop?")
	h.Type("y")
	h.WaitFor("HOLD stop")
	h.leave()
	again := &user{openWith(t, h.Command.Dir, 120, 40, h.Command.Env), nil}
	again.WaitFor("HOLD stop")
	again.Wait("the border where it was put", func() bool {
		return again.borders() == moved-len("▸")+len(" ") || again.borders() == moved
	})
	again.leave()
}

// TestKeysThroughTmux presses keys by their tmux names.
func TestKeysThroughTmux(t *testing.T) {
	longtest.OnlyCI(t)
	t.Parallel()
	dir, env := echoProject(t, "")
	ferrus, err := exec.LookPath("ferrus")
	if err != nil {
		t.Fatal(err)
	}
	x := termtest.StartTmux(t, filepath.Dir(dir), 110, 32)
	for _, e := range env {
		if strings.HasPrefix(e, "XDG_") {
			x.Type("export " + e + "\n")
		}
	}
	x.Type("(cd app && " + ferrus + "); echo it ended with $?\n")
	x.WaitFor("No task yet")
	x.Type("/task --now Do it")
	x.Press("Enter")
	x.WaitFor("│ready")
	for _, s := range []struct {
		keys        []string
		come, leave string
	}{
		{[]string{"F1"}, "╭ help", ""}, {[]string{"Escape"}, "", "╭ help"},
		{[]string{"F3"}, "╭ log", ""}, {[]string{"q"}, "", "╭ log"},
		{[]string{"F4"}, "No changes since", ""}, {[]string{"Escape"}, "", "No changes since"},
		{[]string{"F2"}, "", "╭ activity"}, {[]string{"C-o", "z"}, "╭ activity", ""},
		{[]string{"M-5"}, "5 activity: Up", ""}, {[]string{"C-]"}, "", "5 activity: Up"},
		{[]string{"C-o", "2"}, "Keys go to 2 executor", ""}, {[]string{"F1", "Up", "M-x"}, "^[OP^[[A^[x", ""},
		{[]string{"F12"}, "", "Keys go to 2"},
		{[]string{"PPage"}, " back ", ""}, {[]string{"NPage"}, "", " back "},
		{[]string{"/", "s", "t", "a", "t", "Tab"}, "> /status", ""}, {[]string{"Enter"}, "╭ status", ""},
		{[]string{"Escape"}, "", "╭ status"},
		{[]string{"C-r"}, "search ▏", ""}, {[]string{"s", "t", "a"}, "search sta▏", ""},
		{[]string{"C-g"}, "", "search sta"},
		{[]string{"o", "n", "e", "C-j", "t", "w", "o"}, "   two", ""}, {[]string{"C-c"}, "again quits", ""},
	} {
		x.Press(s.keys...)
		if s.come != "" {
			x.WaitFor(s.come)
		}
		if s.leave != "" {
			x.WaitGone(s.leave)
		}
	}
	x.Paste(strings.ReplaceAll(pasted(), "\r", "\n"))
	x.WaitFor("[paste 1: 401 lines]")
	x.Press("C-c")
	x.WaitGone("[paste 1")
	x.Press("x", "C-c", "C-c")
	x.WaitFor("it ended with 0")
	if left := termtest.ProcessIn(dir); left != "" {
		t.Errorf("left behind: %s", left)
	}
}
