package cli

import (
	"testing"
	"time"

	"ferrus/hq/project"
	"ferrus/hq/workflow"
	"ferrus/machine/flow"
	"ferrus/store/longtest"
	"ferrus/ui/termtest"
)

// openIn returns the open workflow of a project; it waits until it is as expected.
func openIn(t *testing.T, x *termtest.Terminal, dir string, is func(workflow.Workflow) bool) workflow.Workflow {
	t.Helper()
	p, err := project.Open(dir, agentNames()...)
	if err != nil {
		t.Fatal(err)
	}
	end := time.After(termtest.Patience)
	for {
		w, err := workflow.Open(p).Find()
		if err == nil && is(w) {
			return w
		}
		select {
		case <-x.Changed:
		case <-time.After(100 * time.Millisecond): // HQ writes nothing while it is idle
		case <-end:
			t.Fatalf("the workflow is in %s (%v):\n%s", w.Phase, err, x.ScreenText())
		}
	}
}

// TestHQApprovesAPlan sends the first plan back and approves the second, by typing; after a kill in
// between, the next HQ shows the same question.
func TestHQApprovesAPlan(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	dir := t.TempDir()
	x := open120(t, dir, "demo", "--workflow", "feature", "--dir", ".", "--speed", "0")
	x.WaitFor("the plan waits for your approval")
	x.Type("/workflow revise Say how it is tested.\r")
	asked := openIn(t, x, dir, func(w workflow.Workflow) bool {
		return w.Phase == "plan-review" && w.Counters.Revisions == 1
	})
	x.Type("/workflow\r")
	x.WaitFor("missing: plan-review-complete")
	if err := x.Command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-x.Ended

	x = open120(t, dir)
	x.WaitFor("the plan waits for your approval")
	if now := openIn(t, x, dir, func(workflow.Workflow) bool { return true }); now.Seq != asked.Seq {
		t.Errorf("the crash moved the workflow from %d to %d", asked.Seq, now.Seq)
	}
	x.Type("/workflow approve\r")
	went := openIn(t, x, dir, func(w workflow.Workflow) bool { return w.Phase == "delegate" && w.Current != "" })
	if p := went.PlanReview; p == nil || !p.Approved || p.By != "person" ||
		went.Flow().Phase(went.Phase).Run != flow.RunTasks {
		t.Errorf("approved by %+v", p)
	}
	x.WaitFor("executor asks: Should retries apply to POST too?")
	x.Type("\x03\x03")
	x.WaitExit(0)
}
