package projection

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ferrus/checks"
	"ferrus/hq/conductor"
	"ferrus/hq/conductor/gateview"
	"ferrus/hq/conductor/notice"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/machine"
	"ferrus/machine/task"
	"ferrus/store"
	"ferrus/ui/vt"
)

// fixtureNow is the time at which every fixture is viewed.
var fixtureNow = time.Date(2026, 11, 20, 14, 16, 30, 0, time.UTC)

// queueRows are tasks in each state of the list.
func queueRows() []queue.Row {
	row := func(n int, title string, at machine.State, minutes int, why string) queue.Row {
		r := queue.Row{Task: at, Why: why, Needs: strings.HasPrefix(why, "needs you")}
		r.N, r.Title, r.State = n, title, "Queued"
		if at != "" {
			r.State, r.Dir = "Running", fmt.Sprintf("t-%d", n)
			r.Since = fixtureNow.Add(-time.Duration(minutes) * time.Minute)
		}
		return r
	}
	all := []queue.Row{
		row(12, "Cache the responses of the catalogue", task.Reviewing, 4, string(task.Reviewing)),
		row(14, "Retry failed fetches with backoff", task.Addressing, 12, string(task.Addressing)),
		row(15, "Read the configuration from the environment", task.AwaitingHuman, 31, "needs you: a question is open"),
		row(16, "Drop the old endpoint", task.Failed, 190, "needs you: failed, retry or reset it"),
		row(17, "Measure the fetcher", "", 0, "waits for #14"),
		row(18, "Write down what the limits are", "", 0, "3 of 3 tasks are running"),
		row(9, "Log requests", task.Complete, 2000, ""),
	}
	all[1].Dir, all[1].Checks, all[1].Reviews = "t-14-retry-fetch", 2, 1
	all[6].State = "Landed"
	return all
}

// fixture returns a View around testdata/states/<name>.json.
func fixture(t testing.TB, name string) conductor.View {
	t.Helper()
	v := conductor.View{
		Project: "/home/dev/acme-api", Branch: "main 3f2c1a9", Limits: core.Limits{CheckRetries: 20, ReviewCycles: 3},
		Journal: journalLines(t),
	}
	switch name {
	case "specified":
		v.State = state(t, "idle")
	case "question":
		v.State = state(t, "awaiting")
	case "several":
		v.State = state(t, "hold")
	case "queue":
		v.State = state(t, "addressing")
	case "refused":
		v.State = state(t, "addressing")
	case "preparing":
		v.State = state(t, "executing")
	case "landing":
		v.State = state(t, "complete")
	case "passed", "setup":
		v.State = state(t, "checking")
	case "alarmed":
		v.State = state(t, "reviewing")
	case "problem": // nothing could be read
	default:
		v.State = state(t, name)
	}
	v.Options = core.OpenTransitions(v.State.World)
	if with := scenes[name]; with != nil {
		with(t, &v)
	}
	return v
}

func state(t testing.TB, name string) store.State[core.World] {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "states", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var head struct {
		Seq       uint64    `json:"seq"`
		UpdatedAt time.Time `json:"updated_at"`
	}
	var w core.World
	for _, to := range []any{&head, &w} {
		if err := json.Unmarshal(data, to); err != nil {
			t.Fatal(err)
		}
	}
	return store.State[core.World]{Schema: 2, Seq: head.Seq, UpdatedAt: head.UpdatedAt, World: w}
}

func journalLines(t testing.TB) (lines []store.Entry) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for s := bufio.NewScanner(bytes.NewReader(data)); s.Scan(); {
		var l store.Entry
		if err := json.Unmarshal(s.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
	return lines
}

// scenes are what surrounds each state: sessions, gate, texts.
var scenes = map[string]func(testing.TB, *conductor.View){
	"idle": func(_ testing.TB, v *conductor.View) { v.Journal = v.Journal[:1] },
	"specified": func(_ testing.TB, v *conductor.View) {
		v.Journal, v.Spec = v.Journal[:1], "docs/specs/2026-11-20-a-cache-for-the-fetcher.md"
		v.State.World.SelectedSpec, v.State.World.SelectedMilestone = v.Spec, "M2"
	},
	"executing": func(_ testing.TB, v *conductor.View) {
		v.Journal = v.Journal[:3]
		v.Panes = []conductor.PaneView{planner("SessionComplete"), executor("Running")}
	},
	"checking": func(_ testing.TB, v *conductor.View) {
		v.Panes = []conductor.PaneView{planner("SessionComplete"), executor("Running")}
		v.Gate = gateview.View{Ticket: 9, Attempt: 3, Running: true, Started: fixtureNow.Add(-41 * time.Second),
			Rows:  rows("ok", "ok", "running"),
			Lines: []string{"=== RUN   TestFetch", "--- PASS: TestFetch (0.00s)", "=== RUN   TestRetry"}}
	},
	"preparing": func(_ testing.TB, v *conductor.View) {
		v.Journal = v.Journal[:3]
		v.Gate = gateview.View{Of: "setup", Running: true, Started: fixtureNow.Add(-21 * time.Second),
			Rows: []gateview.Row{
				{Command: "npm ci", Status: gateview.OK, Took: 20 * time.Second},
				{Command: "make generate", Status: gateview.Running, Started: fixtureNow.Add(-time.Second)},
				{Command: "make tools"}},
			Lines: []string{"added 214 packages in 19s", "go generate ./..."}}
	},
	"setup": func(_ testing.TB, v *conductor.View) {
		v.Panes = []conductor.PaneView{planner("SessionComplete"), executor("Running")}
		v.Gate = gateview.View{Ticket: 9, Attempt: 3, Running: true, Started: fixtureNow.Add(-6 * time.Second),
			Setup: []gateview.Row{{Command: "npm ci", Status: gateview.Running,
				Started: fixtureNow.Add(-5 * time.Second)}, {}}, Rows: rows("", "", "")}
	},
	"landing": func(_ testing.TB, v *conductor.View) {
		v.Panes = []conductor.PaneView{planner("SessionComplete")}
		v.Gate = gateview.View{Of: "landing", Running: true, Started: fixtureNow.Add(-41 * time.Second),
			Rows: rows("ok", "ok", "running")}
	},
	"passed": func(_ testing.TB, v *conductor.View) {
		v.Panes = []conductor.PaneView{planner("SessionComplete"), executor("Running")}
		v.Gate = green()
		v.State.World.Gate.Verdict, v.State.World.CheckRetries = checks.Pass, 0
		v.Options = core.OpenTransitions(v.State.World)
	},
	"addressing": func(_ testing.TB, v *conductor.View) {
		v.Panes = []conductor.PaneView{planner("SessionComplete"), executor("CoolingDown")}
		v.Gate = red()
	},
	"refused": func(_ testing.TB, v *conductor.View) {
		v.Panes = []conductor.PaneView{planner("SessionComplete"), executor("Running")}
		v.Gate = red()
		v.Refused = []conductor.RefusedCall{refusal(1, "submit", "executor:codex:1", 7*time.Minute+9*time.Second),
			refusal(2, "approve", "person", 20*time.Second)}
	},
	"consultation": func(_ testing.TB, v *conductor.View) {
		v.Panes = []conductor.PaneView{planner("SessionComplete"), executor("Running"), consultant("Running")}
		v.Gate = red()
		v.Texts.Consult = "Should a retry wait for Retry-After, or double the pause each time?"
	},
	"awaiting": func(_ testing.TB, v *conductor.View) {
		v.Panes = []conductor.PaneView{planner("SessionComplete"), executor("Running"), consultant("SessionComplete"),
			reviewer("SessionComplete")}
		v.Gate = red()
		v.Texts.Question = "should retries apply to POST too?"
	},
	"question": func(_ testing.TB, v *conductor.View) {
		v.Panes = []conductor.PaneView{planner("SessionComplete"), executor("Running")}
		v.Texts.Question = "Two things before I continue:\n1. should retries apply to POST too, given that the " +
			"server has no idempotency keys yet and two orders may come of it?\n2. how many at most?\nI would " +
			"say: no, and 5."
	},
	"reviewing": func(_ testing.TB, v *conductor.View) {
		v.Panes = []conductor.PaneView{planner("SessionComplete"), executor("SessionComplete"), reviewer("Running")}
		v.Gate = green()
		v.Texts.Task = "# Add retry to the fetcher\n"
		v.Texts.Submission = "# Summary\n\nA failed request is tried **three times** with a pause that " +
			"doubles.\n\n## Changes\n\n- `fetch.go`: `Get` calls `once` in a loop\n- `fetch_test.go`: a server that " +
			"fails twice\n\n## Verification\n\n```sh\ngo test ./...\n```\n"
		spend(v, 2)
	},
	"alarmed": func(_ testing.TB, v *conductor.View) {
		v.Panes = []conductor.PaneView{planner("SessionComplete"), executor("SessionComplete"),
			reviewer("SessionComplete")}
		v.Gate = green()
		s := v.State.World.Submission
		s.Alarms = []core.Alarm{
			{Rule: "skip-added", Path: "fetch_test.go", Words: "tests are skipped", NeedsHuman: true,
				Lines: []string{`+21: t.Skip("flaky")`}},
			{Rule: "assertions-changed", Path: "fetch_test.go", Words: "assertions are changed",
				Lines: []string{"-9: t.Errorf()"}},
		}
		s.Review = &core.Review{Decision: core.StatusEndorsed, Tree: s.Tree, By: "supervisor:claude-code:1",
			At: fixtureNow.Add(-time.Minute)}
	},
	"complete": func(_ testing.TB, v *conductor.View) {
		v.Panes = []conductor.PaneView{planner("SessionComplete"), executor("SessionComplete"),
			reviewer("SessionComplete")}
		v.Gate = green()
		spend(v, 3)
	},
	"failed": func(_ testing.TB, v *conductor.View) {
		p := executor("Stopped")
		p.Exit, p.Errors, p.TotalErrors = "exit status 1", 5, 7
		v.Panes = []conductor.PaneView{planner("SessionComplete"), p}
		v.Gate = red()
	},
	"hold": func(_ testing.TB, v *conductor.View) {
		p := executor("Stopped")
		p.Exit = "ended by /stop"
		v.Panes = []conductor.PaneView{planner("SessionComplete"), p}
		v.Notices = []notice.Notice{{Number: 1, At: fixtureNow, Text: "Stopping all sessions. /resume continues"}}
	},
	"queue": func(_ testing.TB, v *conductor.View) {
		v.Panes = []conductor.PaneView{planner("SessionComplete"), executor("Running")}
		v.Selected = "t-14-retry-fetch"
		v.Tasks = queueRows()
	},
	"several": func(_ testing.TB, v *conductor.View) {
		v.State.World.Hold.Reason = core.HoldSessionLimit
		p := executor("Stopped")
		p.Exit, p.Errors, p.TotalErrors = "exit status 1", 5, 7
		v.Panes = []conductor.PaneView{planner("SessionComplete"), p}
		v.Gate.Untrusted = []string{"go vet ./...", "go test ./..."}
		v.ConfigError = "ferrus.toml:3: limits.max_chek_retries is not a key of ferrus.toml; did you mean " +
			"limits.max_check_retries?"
	},
	"problem": func(_ testing.TB, v *conductor.View) {
		v.Options, v.Journal = nil, nil
		v.StateError = "load state: .ferrus/STATE.json line 3 is not JSON: put the last good file back, or ferrus reset"
	},
}

// refusal returns the refusal of a call some time ago.
func refusal(number uint64, tool, by string, ago time.Duration) conductor.RefusedCall {
	return conductor.RefusedCall{Number: number, RefusedCall: project.NewRefused(fixtureNow.Add(-ago), by, tool,
		machine.Refusal{
			Code: machine.GuardFailed, Machine: "task", State: "Addressing", Event: machine.Kind(tool),
			By: machine.Executor,
			Failed: []machine.Failed{{Guard: "gate-passed", Reason: "the gate has not passed on the present tree",
				Expected: "Checking (passed), bound to tree 77aa", Fix: "call check, then submit"}},
			Options: []machine.Option{{Event: "check", By: []machine.Role{machine.Executor, machine.Human}},
				{Event: "consult", By: []machine.Role{machine.Executor}}},
		})}
}

// spend is what the first n sessions of the task used: the consultant reports
// tokens and cost, the executor tokens, the reviewer nothing.
func spend(v *conductor.View, n int) {
	price := 0.4211
	all := []project.Ended{
		{Session: "a", Slot: core.SlotConsultant, Role: machine.Supervisor, Number: 1,
			Usage: &core.Usage{Input: 10_000, Cached: 4_000, Output: 2_345, Cost: &price}},
		{Session: "b", Slot: core.SlotExecutor, Role: machine.Executor, Number: 1,
			Usage: &core.Usage{Input: 60_000, Output: 300}},
		{Session: "c", Slot: core.SlotReviewer, Role: machine.Supervisor, Number: 1},
	}
	v.Sessions, v.Used, v.Disk = all[:n], project.SumUsage(all[:n]), int64(n)*120<<20
}

func rows(status ...gateview.Status) []gateview.Row {
	all := []gateview.Row{
		{Command: "gofmt -l .", Took: 200 * time.Millisecond},
		{Command: "go vet ./...", Took: 2700 * time.Millisecond},
		{Command: "go test ./...", Took: 38100 * time.Millisecond},
	}
	last := []time.Duration{200 * time.Millisecond, 1500 * time.Millisecond, 41 * time.Second}
	for i, s := range status {
		all[i].Status, all[i].Last = s, last[i]
		switch s {
		case "FAIL":
			all[i].Detail = "--- FAIL: TestRetry"
			all[i].Tail = []string{"--- FAIL: TestRetry (0.00s)", "    fetch_test.go:31: 1 try, want 3", "FAIL",
				"FAIL	acme/fetch	0.012s"}
		case "running":
			all[i].Took, all[i].Started = 0, fixtureNow.Add(-31*time.Second)
		}
	}
	return all
}

func red() gateview.View {
	return gateview.View{Ticket: 9, Attempt: 3, Verdict: checks.Fail, Why: "FAIL: go test ./...",
		Took: 41 * time.Second, Rows: rows("ok", "ok", "FAIL"),
		Lines: []string{"--- FAIL: TestRetry (0.00s)", "    fetch_test.go:31: 1 try, want 3", "FAIL",
			"FAIL	acme/fetch	0.012s"}}
}

func green() gateview.View {
	return gateview.View{Ticket: 14, Attempt: 4, Verdict: checks.Pass, Took: 39 * time.Second,
		Rows: rows("ok", "ok", "ok"), Lines: []string{"ok  	acme/fetch	0.010s"}}
}

func planner(s machine.State) conductor.PaneView {
	p := pane(core.SlotPlanner, core.ModeTask, "claude-code", "opus", s, 14*time.Minute)
	p.Interactive = true
	return printed(p, "\x1b[1mPlanner\x1b[m\r\n\r\nI wrote the task: \x1b[36mAdd retry to the fetcher\x1b[m\r\n\r\n> ")
}

func executor(s machine.State) conductor.PaneView {
	p := pane(core.SlotExecutor, core.ModeWork, "codex", "gpt-5", s, 192*time.Second)
	p.Until = fixtureNow.Add(12 * time.Second)
	p.LastEvent = map[machine.State]machine.Kind{"Running": "SessionStarted", "CoolingDown": "SessionExited",
		"SessionComplete": "SessionExited"}[s]
	p.Bypass = true
	return printed(p, "reading fetch.go\r\n\x1b[32m+ func retry(n int) error {\x1b[m\r\n\x1b[31m- func once() error "+
		"{\x1b[m\r\nthinking: 漢字 and an umbrella ☂\r\n")
}

func consultant(s machine.State) conductor.PaneView {
	return printed(pane(core.SlotConsultant, core.ModeConsult, "claude-code", "opus", s, 20*time.Second),
		"reading the question\r\n")
}

func reviewer(s machine.State) conductor.PaneView {
	return printed(pane(core.SlotReviewer, core.ModeReview, "claude-code", "sonnet", s, 10*time.Second),
		"diff --git a/fetch.go b/fetch.go\r\n")
}

func pane(slot core.Slot, mode core.Mode, agent, model string, s machine.State, ago time.Duration) conductor.PaneView {
	pid := 0
	if s == "Running" {
		pid = 4711
	}
	return conductor.PaneView{PID: pid, Log: "logs/" + string(slot) + "_1.log", Slot: slot, Mode: mode, Agent: agent,
		Model: model, State: s, Wanted: true, Session: 1, Since: fixtureNow.Add(-ago)}
}

func printed(p conductor.PaneView, text string) conductor.PaneView {
	p.Terminal = vt.NewLocked(58, 24, 1000)
	_, _ = p.Terminal.Write([]byte(text))
	return p
}
