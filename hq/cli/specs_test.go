package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/hq/demo"
)

// TestHQWorksOffASpecification has the supervisor write one, drafts the task of its
// first milestone and goes on to the second when that is approved.
func TestHQWorksOffASpecification(t *testing.T) {
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
	x := open120(t, dir)
	x.see("no task yet")
	x.typed("/milestones\r")
	x.see("there is no specification yet: /spec writes one with you")
	x.typed("/spec Calm retries\r")
	x.see("begins one from m1.0 of calm-retries-specification")
	x.typed("/milestones\r")
	x.see("[ ] #1.1 Circuit breaker     m1.1  waits for m1.0")
	x.typed("\x1b")
	x.see("Ctrl+O leader")
	x.typed("/task\r")
	x.see("▸ from milestone m1.0 of docs/specs/")
	x.typed("\r")
	x.see("executor asks: Should retries apply to POST too?")
	x.typed("No, only GET and HEAD.\r")
	x.see("● Complete")
	x.see("begins the next one from m1.1 of calm-retries-specification")
	x.typed("\x03\x03")
	x.over(0)
	w := state(t, dir)
	if w.TaskMilestone != "m1.0" || !w.TaskTicked || w.SelectedMilestone != "m1.1" {
		t.Errorf("%+v", w.Selection)
	}
	text, err := os.ReadFile(filepath.Join(dir, w.TaskSpec))
	if err != nil || !strings.Contains(string(text), "- [x] #1.0") || !strings.Contains(string(text), "- [ ] #1.1") {
		t.Errorf("%s %v", text, err)
	}
}
