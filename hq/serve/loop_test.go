package serve_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/hq/core"
	"ferrus/machine"
)

// once is a gate that passes when the file good is there.
const once = `[checks]
commands = ["test -f good || { echo no good here; exit 1; }"]
`

const question = "## Problem\nIt fails.\n## What I tried\nA lot.\n## Options (if any)\nTwo.\n## Question\nWhich?\n"

// TestLoop plays the whole loop with a client and a server per session.
func TestLoop(t *testing.T) {
	t.Parallel()
	p := newFixture(t, once)
	planner := p.agent(machine.Supervisor, core.ModeTask)
	created := planner.want("created", "create_task", args{"description": "# Make it good\n\nPlease."})
	if created.TaskID == "" || created.State != "Executing" || !strings.Contains(created.Text, created.TaskID) {
		t.Errorf("created %s, want an ID and Executing", created.JSON)
	}

	worker := p.agent(machine.Executor, core.ModeWork)
	claimed := worker.want("claimed", "wait_for_task", nil)
	if claimed.Task != "# Make it good\n\nPlease." || claimed.ClaimedBy != "executor:test:1" ||
		claimed.LeaseUntil == nil || claimed.Heartbeat != 30 || claimed.Next == "" {
		t.Errorf("claimed %s, want the task, the lease and no next step", claimed.JSON)
	}
	failed := worker.want("failed", "check", nil)
	if failed.State != "Addressing" || failed.GateReport == nil || failed.GateReport.Retries.Used != 1 ||
		!strings.Contains(failed.Report, "no good here") {
		t.Errorf("failed %s, want Addressing with 1 retry used and a report", failed.JSON)
	}
	if _, err := os.Stat(filepath.Join(p.Dir, failed.Log)); err != nil {
		t.Errorf("the log of the gate: %v", err)
	}

	worker.want("asked", "consult", args{"question": question})
	consultant := p.agent(machine.Supervisor, core.ModeConsult)
	consultant.want("recorded", "respond_consult", args{"response": "The first."})
	if got := worker.want("answered", "wait_for_consult", nil); got.Response != "The first." ||
		got.ResumedState != "Addressing" {
		t.Errorf("answered %s, want the first response, back in Addressing", got.JSON)
	}
	if got := worker.want("claimed", "wait_for_task", nil); len(got.Consults) != 1 ||
		got.Consults[0].Answer != "The first." {
		t.Errorf("claimed %s, want the consultation's answer", got.JSON)
	}

	write(t, p.Dir, "good", "")
	submitted := worker.want("submitted", "submit", args{"content": "It is good."})
	if submitted.State != "Reviewing" {
		t.Errorf("submitted %s, want Reviewing", submitted.JSON)
	}
	if err := worker.Close(); err != nil {
		t.Error(err)
	}

	reviewer := p.agent(machine.Supervisor, core.ModeReview)
	if got := reviewer.want("claimed", "wait_for_review", nil); got.Submission != "It is good." || got.Task == "" ||
		got.ClaimedBy != "supervisor:test:1" {
		t.Errorf("claimed %s, want the submission for supervisor:test:1", got.JSON)
	}
	if got := reviewer.want("pending", "review_pending", nil); !strings.Contains(got.JSON, `"PASS"`) ||
		!strings.Contains(got.JSON, `"good"`) {
		t.Errorf("pending %s, want PASS and the diff", got.JSON)
	}
	if got := reviewer.want("rejected", "reject", args{"notes": "Better, please."}); got.State != "Addressing" ||
		got.Result.Cycles == nil || got.Result.Cycles.Used != 1 {
		t.Errorf("rejected %s, want Addressing with 1 cycle used", got.JSON)
	}

	worker = p.agent(machine.Executor, core.ModeResume)
	if got := worker.want("claimed", "wait_for_task", nil); got.Review != "Better, please." || got.Claimed.Cycles != 1 {
		t.Errorf("claimed %s, want the review's notes and 1 cycle", got.JSON)
	}
	worker.want("asked", "ask_human", args{"question": "How much better?"})
	p.human("answer", "A little.")
	if got := worker.want("answered", "wait_for_answer", nil); got.Answer != "A little." ||
		got.ResumedState != "Addressing" {
		t.Errorf("answered %s, want A little., back in Addressing", got.JSON)
	}
	write(t, p.Dir, "good", "a little better")
	worker.want("passed", "check", nil)
	worker.want("submitted", "submit", args{"content": "Better."})
	reviewer = p.agent(machine.Supervisor, core.ModeReview)
	reviewer.want("claimed", "wait_for_review", nil)
	if got := reviewer.want("approved", "approve", nil); got.State != "Complete" {
		t.Errorf("approved %s, want Complete", got.JSON)
	}
	want := "create_task claim check base_red checked consult respond_consult wait_for_consult check checked " +
		"submit claim " +
		"reject claim ask_human answer deliver check checked submit claim approve"
	if got := p.events(); got != want {
		t.Errorf("journal %s\n   want %s", got, want)
	}
}
