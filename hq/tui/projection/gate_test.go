package projection

import (
	"strings"
	"testing"
	"time"

	"ferrus/checks"
	"ferrus/hq/conductor/gateview"
	"ferrus/ui/view"
)

func TestFailedCommandsComeFirstOnceAllHaveEnded(t *testing.T) {
	g := gateview.View{Running: true, Rows: rows("ok", "FAIL", "running"), Lines: []string{"=== RUN"}}
	names := func() string {
		var all []string
		for _, r := range check(g, fixtureNow).Rows {
			all = append(all, r.Mark+" "+r.Command)
		}
		return strings.Join(all, ", ")
	}
	if got := names(); got != "ok gofmt -l ., FAIL go vet ./..., run go test ./..." {
		t.Errorf("while they run: %s", got)
	}
	if got := strings.Join(check(g, fixtureNow).Lines, "|"); got != "=== RUN" {
		t.Errorf("while they run, the output is %s", got)
	}
	g.Running, g.Rows = false, rows("ok", "FAIL", "ok")
	if got := names(); got != "FAIL go vet ./..., ok gofmt -l ., ok go test ./..." {
		t.Errorf("at the end: %s", got)
	}
	if got := check(g, fixtureNow).Lines; got[0] != "$ go vet ./..." || got[1] != "--- FAIL: TestRetry (0.00s)" {
		t.Errorf("the output is %q", got)
	}
}

func TestShareOfTheLastTime(t *testing.T) {
	for _, c := range []struct {
		took, last time.Duration
		want       int
	}{{time.Second, 0, 0}, {0, time.Second, 0}, {time.Second, 2 * time.Second, 50}, {time.Millisecond, time.Hour, 1},
		{time.Hour, time.Millisecond, 999}, {400 * time.Millisecond, 200 * time.Millisecond, 100},
		{3 * time.Second, 2 * time.Second, 150}} {
		if got := shareOfLast(gateview.Row{Took: c.took, Last: c.last}); got != c.want {
			t.Errorf("%v of %v is %d %%", c.took, c.last, got)
		}
	}
}

// TestWhatTheRowsSayIsNotRepeated checks that a pass is shown by its rows alone, and that a gate
// without a running command says what it is doing.
func TestWhatTheRowsSayIsNotRepeated(t *testing.T) {
	g := gateview.View{Verdict: checks.Pass, Rows: rows("ok", "ok", "ok"), Why: "PASS: 3 of 3 commands in 2s"}
	if c := check(g, fixtureNow); c.Why != "" || c.State != "PASS 3/3" {
		t.Errorf("a pass: %q, %q", c.State, c.Why)
	}
	g = gateview.View{Running: true, Rows: rows("ok", "running", "")}
	if c := check(g, fixtureNow); c.Why != "" {
		t.Errorf("while a command runs: %q", c.Why)
	}
	g.Rows = rows("ok", "ok", "ok")
	if c := check(g, fixtureNow); !strings.Contains(c.Why, "verifies the tests") {
		t.Errorf("while the tests are verified: %q", c.Why)
	}
}

// Commands of anything but a check have its name, and setup before a check is shown until it has
// passed.
func TestSetupAndLandingAreNamed(t *testing.T) {
	g := gateview.View{Of: "landing", Running: true, Rows: rows("ok", "ok", "ok")}
	if c := check(g, fixtureNow); c.Title != "landing" || c.State != "running 3/3" || c.Why != "" {
		t.Errorf("a landing is %q %q %q", c.Title, c.State, c.Why)
	}
	g = gateview.View{Attempt: 2, Running: true, Rows: rows("", "", ""), Setup: []gateview.Row{
		{Command: "npm ci", Status: gateview.OK}, {Command: "make", Status: gateview.Running}, {}}}
	c := check(g, fixtureNow)
	if c.Title != "check 2" || c.State != "setup 1/3" || len(c.Rows) != 2 || c.Rows[1].Command != "make" ||
		c.Progress != (view.Progress{Runs: true, Percent: 33}) {
		t.Errorf("a gate whose setup runs: %+v", c)
	}
}
