package cli

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/store"
	"ferrus/store/longtest"
)

// withoutTerminal returns a command that has no evidence of being the human's.
func withoutTerminal(dir string, args ...string) *exec.Cmd {
	c := exec.Command("ferrus", args...)
	c.Dir, c.Env = dir, append(os.Environ(), "FERRUS_PROJECT=", "FERRUS_NONCE=", noTerminal+"=1")
	return c
}

// origins returns where the human's events of a kind came from.
func origins(t *testing.T, dir, event string) (all []string) {
	t.Helper()
	s, err := store.Open[core.World](dir)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := s.Journal(0)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		if l.Event == event && l.By == project.HumanActor().ID {
			all = append(all, l.Via)
		}
	}
	return all
}

// TestHQConfirms runs commands without a terminal, which wait until HQ shows them: one is denied
// and changes nothing, one is allowed, and the journal says how.
func TestHQConfirms(t *testing.T) {
	longtest.OnlyCI(t)
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	dir := t.TempDir()
	createAskedTask(t, dir)
	x := open120(t, dir)
	x.WaitFor("executor asks:")
	answer := func(reply, text string) string {
		c := withoutTerminal(dir, "answer", text)
		var out strings.Builder
		c.Stdout, c.Stderr = &out, &out
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		x.WaitFor("Act as you? ferrus answer " + text)
		x.Type("\x15" + reply + "\r")
		if reply == "/deny" { // What follows an answer that is allowed soon takes the place of the words for that.
			x.WaitFor("Denied: ferrus answer")
		}
		_ = c.Wait() // its output says how it ended
		return out.String()
	}
	const waits = "ferrus answer waits until you confirm it in HQ, with /allow or /deny: it has no terminal of its own"
	if got := answer("/deny", "Yes."); !strings.Contains(got, "you denied it in HQ") || !strings.Contains(got, waits) {
		t.Errorf("denied: %s", got)
	}
	if got := origins(t, dir, "answer"); len(got) > 0 {
		t.Fatalf("answered by %v", got)
	}
	if got := answer("/allow", "No."); !strings.Contains(got, "answered") {
		t.Errorf("allowed: %s", got)
	}
	x.Wait("the executor submits", func() bool { return state(t, dir).Submission != nil })
	if got := origins(t, dir, "answer"); len(got) != 1 ||
		!strings.HasPrefix(got[0], "confirmed in HQ: no terminal, process ") {
		t.Errorf("the journal has %q", got)
	}
	x.Type("\x03\x03")
	x.WaitExit(0)
}

// Where there is nothing to land, it is said at once, and neither evidence nor HQ is asked for.
func TestNothingToLandAsksNothing(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	dir := refusing(t)
	out, err := withoutTerminal(dir, "land").CombinedOutput()
	if err == nil || !strings.HasPrefix(string(out), "ferrus: land: there is no open task\n") {
		t.Errorf("land: %v, %s", err, out)
	}
}

// TestTerminalIsAccepted checks that HQ accepts a command from its own terminal, and shows it.
func TestTerminalIsAccepted(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	dir := t.TempDir()
	createAskedTask(t, dir)
	x := open120(t, dir)
	x.WaitFor("executor asks:")
	y := openSized(t, dir, 80, 24, "answer", "No.")
	y.WaitFor("answered")
	y.WaitEnd()
	x.Wait("the executor submits", func() bool { return state(t, dir).Submission != nil })
	if got := origins(t, dir, "answer"); len(got) != 1 || !strings.HasPrefix(got[0], "pts/") {
		t.Errorf("the journal has %q", got)
	}
	x.Type("\x03\x03")
	x.WaitExit(0)
}
