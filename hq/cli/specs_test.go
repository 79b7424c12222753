package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/checks/git/gittest"
	"ferrus/hq/demo"
	"ferrus/store/longtest"
)

// TestHQWorksOffASpecification has the supervisor write a spec, drafts the task of its first
// milestone, and offers the second one when the first has landed.
func TestHQWorksOffASpecification(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	dir := t.TempDir()
	if err := demo.Scaffold(dir); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "--yes"}, {"trust", "--yes"}} {
		c := exec.Command("ferrus", args...)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("ferrus %v: %v\n%s", args, err, out)
		}
	}
	gittest.Commit(t, dir)
	x := open120(t, dir)
	x.WaitFor("No task yet")
	x.Type("/milestones\r")
	x.WaitFor("There is no spec yet: /spec writes one with you")
	x.Type("/spec Calm retries\r")
	x.WaitFor("starts one from m1.0 of calm-retries-specification")
	x.Type("\x1d/milestones\r") // the session got the keys
	x.WaitFor("[ ] #1.1 Circuit breaker     m1.1  waits for m1.0")
	x.Type("\x1b")
	x.WaitFor("Ctrl+O more keys")
	x.Type("/task\r")
	x.WaitFor("▸ from milestone m1.0 of docs/specs/")
	x.Type("\r")
	x.WaitFor("executor asks: Should retries apply to POST too?")
	x.Type("No, only GET and HEAD.\r")
	x.WaitFor("● Complete", "/land lands it")
	x.Type("/land\r")
	x.WaitFor("╭ Land")
	x.Type("y")
	x.WaitFor("Landed: /task starts the next one from m1.1 of calm-retries-specification")
	x.Type("\x03\x03")
	x.WaitExit(0)
	w := state(t, dir)
	if w.TaskMilestone != "m1.0" || !w.TaskTicked || w.SelectedMilestone != "m1.1" {
		t.Errorf("%+v", w.Selection)
	}
	text, err := os.ReadFile(filepath.Join(dir, w.TaskSpec))
	if err != nil || !strings.Contains(string(text), "- [x] #1.0") || !strings.Contains(string(text), "- [ ] #1.1") {
		t.Errorf("%s %v", text, err)
	}
}
