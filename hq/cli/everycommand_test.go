package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/hq/core"
	"ferrus/hq/demo"
	"ferrus/hq/queue"
	"ferrus/machine"
	"ferrus/store"
	"ferrus/store/longtest"
)

// idleSteps run in a project without a task, whose executor echoes.
var idleSteps = []step{
	{of: "/help, dialog help", keys: "/help{send}", sees: []string{"╭ help", "a supervisor plans"}, then: "\x1b",
		left: []string{"╭ help"}},
	{keys: "/help landing{send}", sees: []string{"╭ help landing", "ferrus land [task]"}, then: "q",
		left: []string{"╭ help"}},
	{keys: "/help pair{send}", sees: []string{"╭ help pair", "--max-iterations"}, then: "q", left: []string{"╭ help"}},
	{of: "/status, dialog status", keys: "/status --all{send}", sees: []string{"╭ status", "Sessions:"}, then: "\x1b",
		left: []string{"╭ status"}},
	{of: "/inbox, dialog inbox", keys: "/inbox{send}", sees: []string{"╭ inbox", "Nothing waits for you"}, then: "\x1b",
		left: []string{"╭ inbox"}},
	{of: "/projects, dialog projects", keys: "/projects{send}",
		sees: []string{"╭ projects on this machine", "(this one)"}, then: "\x1b", left: []string{"╭ projects"}},
	{of: "/stats", keys: "/stats{send}", sees: []string{"╭ stats", "no task since then"}, then: "\x1b",
		left: []string{"╭ stats"}},
	{of: "/show", keys: "/show{send}", sees: []string{"There are no texts yet: they come with a task"}},
	{of: "/tasks", keys: "\x15/tasks{send}", sees: []string{"here is no other task"}},
	{of: "/queue", keys: "\x15/queue{send}", sees: []string{"No task is proposed"}},
	{of: "/merge", keys: "\x15/merge{send}", sees: []string{"Nothing has been merged yet"}},
	{of: "/unland", keys: "\x15/unland{send}", sees: []string{"/unland needs the number of a task"}, then: "\x15"},
	{of: "/try", keys: "\x15/try echo tried{send}", sees: []string{"$ echo tried", "[exit 0] Enter returns to HQ"},
		then: "\r", ends: []string{"Back in HQ"}},
	{keys: "/try git worktree add -q ../by-hand; touch ../by-hand/x; echo made{send}",
		sees: []string{"\nmade", "[exit 0] Enter returns to HQ"}, then: "\r", ends: []string{"Back in HQ"}},
	{of: "/adopt, dialog adopt", keys: "/adopt ../by-hand{send}",
		sees: []string{"╭ Adopt?", "1 uncommitted file", "By hand"}, then: "\x1b",
		left: []string{"╭ Adopt?"}},
	{of: "/shell", keys: "/shell{send}", sees: []string{"\nexit returns to HQ"}, then: "exit\r",
		ends: []string{"Back in HQ"}, left: []string{"\nexit returns to HQ"}},
	{keys: "\x15/attach executor{send}", sees: []string{"/attach needs a session: there is none yet"}},
	{keys: "\x15/review{send}", sees: []string{"/review is not available: there is no submission"}},
	{keys: "\x15/resume nosuch{send}", sees: []string{`nknown slot "nosuch"`}},
	{of: "/model, dialog roles", keys: "\x15/model{send}", sees: []string{"╭ Choose a role", "▸ supervisor"}},
	{keys: "\x1b[B", sees: []string{"▸ executor"}},
	{of: "dialog models", keys: "\r", sees: []string{"╭ model of the executor"}, then: "an\r",
		ends: []string{"> /model executor"}, left: []string{"╭ model"}},
	{of: "/model", keys: "big{send}", sees: []string{"The executor uses big from its next session"}},
	{keys: "/model executor b{complete}", sees: []string{"> /model executor big"}, then: "\x15"},
	{of: "/switch", keys: "/switch executor echoing{send}",
		sees: []string{"The executor uses echoing from its next session"}},
	{of: "/trust", keys: "/trust{send}",
		sees: []string{"Nothing to do: the check commands are trusted on this machine"}},
	{of: "/allow", keys: "/allow{send}", sees: []string{"Nothing to do: no command in another terminal waits for you"}},
	{of: "/deny", keys: "/deny{send}", sees: []string{"Nothing to do: no command in another terminal waits for you"}},
	{of: "/workers", keys: "/workers{send}", sees: []string{"there are no workers"}, then: "\x1b",
		left: []string{"there are no workers"}},
	{of: "/network", keys: "/network{send}", sees: []string{"No host has been requested."}, then: "\x1b",
		left: []string{"No host has been requested."}},
	{of: "/permit", keys: "/permit{send}", sees: []string{"No permission has been requested in this task."},
		then: "\x1b", left: []string{"No permission has been requested"}},
	{of: "/plan", keys: "/plan Look around{send}", sees: []string{"1 supervisor  echoing", "│ready"}},
	{keys: "{leave}/supervisor{send}",
		sees: []string{"The supervisor already has a session; end it in its pane, or /stop"}},
	{of: "/stop, dialog stop", keys: "/stop{send}", sees: []string{"╭ Stop?", "1 session is running"}, then: "{yes}",
		ends: []string{"stopped ─╮"}},
	{of: "/supervisor", keys: "/supervisor{send}", sees: []string{"previous session: ended by", "running <1m"}},
	{of: "/executor", keys: "{leave}/executor{send}", sees: []string{"2 executor  echoing", "││ready"}},
	{of: "/attach", keys: "{leave}/attach exe{complete}{send}", sees: []string{"Keys go to 2 executor"},
		then: "\x1bOP\x03typed{leave}", ends: []string{"^[OP^Ctyped", "other agent"}},
	{of: "/stop", keys: "/stop{send}", sees: []string{"╭ Stop?"}, then: "{yes}",
		ends: []string{"stopped ─╮"}},
	{of: "/register", keys: "/register --supervisor cla{complete}{send}", sees: []string{"files written"}},
	{of: "/register", keys: "/register --rem{complete}{send}", sees: []string{"files written"}},
	{of: "/quit", keys: "/quit{send}"},
}

// workSteps run while a task's executor works and has no lease.
var workSteps = []step{
	{of: "dialog notices", keys: "{leader}{notices}", sees: []string{"╭ notices"}, then: "\x1b",
		left: []string{"╭ notices"}},
	{of: "dialog palette", keys: "{palette}", sees: []string{"╭ go to"}, then: "\x1b", left: []string{"╭ go to"}},
	{of: "/task", keys: "/task --now Another{send}", sees: []string{"/task is not available: the task is Executing; " +
		"plain text reaches the working agent, ferrus"}},
	{of: "/check", keys: "\x15/check{send}", sees: []string{"check 1", "PASS 1/1"}},
	{of: "dialog check", keys: "{leader}6\r", sees: []string{"╭ check 1", "Esc close"}, then: "\x1b",
		left: []string{"Esc close"}},
	{keys: "{leave}/check --force{send}", sees: []string{"Check finished"}},
	{of: "/diff, dialog diff", keys: "/diff{send}", sees: []string{"No changes since the task started"}, then: "\x1b",
		left: []string{"╭ diff"}},
	{of: "/tell", keys: "/tell executor Mind the gap.{send}",
		sees: []string{"you: Mind the gap."}},
	{of: "/screen", keys: "/screen executor{send}", sees: []string{"cannot continue a session by its id"}},
	{of: "/register, dialog register", keys: "\x15/register --executor codex{send}",
		sees: []string{"╭ Register during"}, then: "n", left: []string{"╭ Register"}},
	{of: "/quit, dialog quit", keys: "/quit{send}", sees: []string{"1 session is running", "l leave running"},
		then: "n", left: []string{"╭ Quit"}},
	{of: "/stop", keys: "/stop{send}", sees: []string{"╭ Stop?"}, then: "{yes}", ends: []string{"HOLD stop"}},
	{of: "/resume", keys: "/resume{send}", sees: []string{"he task continues: it is "}},
	{of: "/reset, dialog reset", keys: "/reset{send}", sees: []string{"╭ Reset?"}, then: "\x1b",
		left: []string{"Reset?"}},
	{of: "/reset, yes in a dialog", keys: "/reset{send}", sees: []string{"╭ Reset?"}, then: "{yes}",
		ends: []string{"Archived", "● Idle"}},
	{of: "/show", keys: "/show t-", sees: []string{"t-20"}, then: "{complete}{send}", ends: []string{"TASK.md"}},
	{keys: "\x1b", gone: []string{"TASK.md"}},
}

// askedSteps run while the demo's executor asks a question.
var askedSteps = []step{
	{of: "dialog asked", keys: "{leader}{next}", sees: []string{"╭ question", "GET and HEAD are tried"}, then: "\x1b",
		left: []string{"╭ question"}},
	{of: "/inbox, dialog inbox, snooze in a dialog", keys: "/inbox{send}", sees: []string{"╭ inbox", "▸ question"},
		then: "{snooze}", ends: []string{"snoozed: "}},
	{keys: "s\r", sees: []string{" ? "}, gone: []string{"╭ inbox"}},
	{of: "go-to-pane in a dialog", keys: "/inbox{send}", sees: []string{"▸ question"}, then: "{go-to-pane}",
		ends: []string{"2 executor is read-only"}, left: []string{"╭ inbox"}},
	{of: "/log, dialog log", keys: "{leave}/log{send}", sees: []string{"╭ log", "Enter open"}},
	{of: "dialog story", keys: "g\r", sees: []string{"╭ entry 1", "Esc back"}, then: "\x1b",
		left: []string{"╭ entry 1"}},
	{keys: "q", gone: []string{"╭ log"}},
	{of: "/show, dialog document", keys: "/show sub{complete}{send}",
		sees: []string{"╭ submission", "How to verify manually"}, then: "\x1b", left: []string{"╭ submission"}},
	{of: "/diff, dialog diff", keys: "/diff{send}", sees: []string{"╭ diff", "2 files"}, then: "\x1b[B",
		ends: []string{"retry_test.go"}},
	{keys: "\x1b", gone: []string{"2 files"}},
	// The demo's supervisor has nothing to plan and exits at once: its pane, which you asked for,
	// keeps its output.
	{keys: "/plan{send}{leader}1", sees: []string{"▸1 supervisor", "there is a task already: AwaitingHuman"},
		then: "{leave}", ends: []string{"type the answer, Enter sends"}},
	{of: "/reset", keys: "\x15/reset{send}", sees: []string{"╭ Reset?"}, then: "n", left: []string{"Reset?"}},
}

// commentSteps run before the question: they write comments on the demo's change, and send them.
var commentSteps = []step{
	{of: "/diff, dialog diff", keys: "\x15/diff{send}", sees: []string{"╭ diff", "2 files"},
		then: "{comment in a dialog}", ends: []string{"▸"}},
	{of: "comment in a dialog", keys: "{comment in a dialog}", sees: []string{"comment on retry.go:"},
		then: "Name the limit.", ends: []string{"Name the limit.▏"}},
	{of: "new-line in a dialog", keys: "{new-line in a dialog}And why.\r", sees: []string{"▾ draft", "│ And why."}},
	{of: "edit-comment in a dialog", keys: "{edit-comment in a dialog} Say it.\r",
		sees: []string{"│ And why. Say it."}},
	{of: "extend-down in a dialog, extend-up in a dialog, other-side in a dialog",
		keys: "\x1b[B\x1b[B\x1b[B\x1b[B{extend-down in a dialog}{extend-down in a dialog}{extend-up in a dialog}" +
			"{other-side in a dialog}{comment in a dialog}", sees: []string{"comment on retry.go:"},
		then: "Both lines.\r", ends: []string{"│ Both lines."}},
	{of: "list-comments in a dialog", keys: "{list-comments in a dialog}",
		sees: []string{"2 unsent comments", "Name the limit.", "Both lines."}},
	{of: "delete-comment in a dialog", keys: "\x1b[B{delete-comment in a dialog}{delete-comment in a dialog}",
		sees: []string{"1 unsent comment"}, gone: []string{"Both lines."}},
	{of: "send-comments in a dialog, dialog comments", keys: "{send-comments in a dialog}",
		sees: []string{"╭ Send 1 comment?", "interrupts the executor"}, then: "y",
		ends: []string{"1 comment sent to the executor"}},
	// The demo's agent answers that it follows a script.
	{of: "since-round in a dialog", keys: "q/diff{send}", sees: []string{"2 files"}, then: "{since-round in a dialog}",
		ends: []string{"since round 1"}},
	{of: "since-round in a dialog", keys: "{since-round in a dialog}", gone: []string{"since round 1"}},
	{of: "show-resolved in a dialog", keys: "{show-resolved in a dialog}", sees: []string{"follows a script"},
		then: "q", left: []string{"╭ diff"}},
}

// reviewSteps run while a submission has no reviewer, because the task is on hold; its check
// commands have just been changed.
var reviewSteps = []step{
	{of: "/trust", keys: "/trust{send}", sees: []string{"These check commands are trusted on this machine: test " +
		"-f code.txt"}},
	{of: "/reject", keys: "/reject{send}", sees: []string{"/reject needs notes"}},
	{of: "/reject", keys: " Test it.{send}", sees: []string{"● Failed"}},
	{keys: "/approve{send}", sees: []string{"/approve is not available: rejected by you", ": Test it., at "}},
	{of: "/retry", keys: "\x15/retry{send}", sees: []string{"● Addressing"}},
}

// approvedSteps run after the next submission.
var approvedSteps = []step{
	{of: "/review", keys: "/review{send}", sees: []string{"4 reviewer  echoing"}},
	{of: "/stop", keys: "/stop{send}", sees: []string{"╭ Stop?"}, then: "{yes}", ends: []string{"HOLD stop"}},
	{of: "/approve", keys: "/approve Well done.{send}", sees: []string{"╭ Approve"}, then: "{yes}",
		ends: []string{"● Complete"}},
	{of: "/land, dialog land", keys: "/land{send}", sees: []string{"╭ Land", "code.txt"}, then: "n",
		left: []string{"╭ Land"}},
	{of: "edit-line in a dialog", keys: "/land Fix{send}", sees: []string{"╭ Land"}, then: "{edit-line}",
		ends: []string{"> /land Fix"}, left: []string{"╭ Land"}},
	{of: "/land", keys: "\x15/land Fix the code{send}", sees: []string{"╭ Land", "Fix the code"}, then: "y",
		ends: []string{"Landed: "}},
	// The list of notices contains what the landing said, so a later notice cannot replace it.
	{keys: "{leader}{notices}", sees: []string{"╭ notices", "Landed: "}, then: "\x1b", left: []string{"╭ notices"}},
	{keys: "/land{send}", sees: []string{"/land is not available: the task has landed"}, then: "\x15"},
}

// specSteps run in a project whose only spec cannot be used.
var specSteps = []step{
	{of: "/milestones, dialog spec problem", keys: "/milestones{send}",
		sees: []string{"╭ docs/specs/broken.md cannot be used", "has the ID m1 of #1.0"}, then: "\x1b",
		left: []string{"cannot be used"}},
	{of: "/spec", keys: "/spec Calm retries{send}",
		sees: []string{"starts one from m1.0 of calm-retries-specification"}},
	{of: "/milestones, dialog specs", keys: "{leave}/milestones{send}",
		sees: []string{"╭ Choose a spec", "calm-retries-specification  0/"}, then: "calm",
		ends: []string{"▸ calm-retries"}},
	{of: "dialog milestones", keys: "\r", sees: []string{"[ ] #1.1 Circuit breaker"}},
	{of: "dialog milestone", keys: "\x1b[B\r", sees: []string{"waits for m1.0", "select it and draft its task now"},
		then: "\r", ends: []string{"m1.1 of calm-retries-specification is selected"}},
	{of: "/milestones", keys: "/milestones calm", sees: []string{"calm-retries"}, then: "{complete} m1.0{send}",
		ends: []string{"m1.0 of calm-retries-specification is selected; /task drafts its task"}},
	{of: "/show", keys: "/show spec calm", sees: []string{"calm-retries"}, then: "{complete}{send}",
		ends: []string{"Circuit breaker", "Esc close"}},
	{keys: "\x1b", gone: []string{"Esc close"}},
	{of: "/task, dialog task", keys: "/task{send}", sees: []string{"▸ from milestone m1.0"}, then: "\x1b",
		left: []string{"from another milestone"}},
	{of: "/reset-spec", keys: "/reset-spec{send}", sees: []string{"No spec is selected"}},
	{of: "/task", keys: "A thing to do\r", sees: []string{"Press Enter again to have a supervisor draft a " +
		"task from this", "> /task A thing to do"}, then: "\r", ends: []string{"Retry requests while"}},
}

// planSteps run while three tasks wait that a supervisor proposed.
var planSteps = []step{
	{of: "/queue, dialog proposed", keys: "/queue{send}", sees: []string{"╭ proposed tasks", "approve all", "after #1"},
		then: "\x1b", left: []string{"╭ proposed"}},
	{of: "/queue", keys: "/queue edit #2 Use it twice{send}", sees: []string{"#2 has its new text"}},
	{of: "/queue", keys: "/queue cancel 3{send}", sees: []string{"#3 is cancelled"}},
	{of: "/queue", keys: "/queue approve 9{send}", sees: []string{"#9 is not proposed"}, then: "\x15"},
	{of: "/queue", keys: "/queue approve{send}", sees: []string{"2 tasks are approved"}, ends: []string{"Executing"}},
}

// workflowSteps run in a project of the demo's agents.
var workflowSteps = []step{
	{of: "/workflow", keys: "/workflow{send}", sees: []string{"here is no workflow"}},
	{of: "/workflow", keys: "/workflow fea{complete}{send}", sees: []string{"needs a title"}},
	{of: "/workflow", keys: "\x15/workflow feature Add retry{send}",
		sees: []string{"the plan waits for your approval"}},
	{keys: "/workflow{send}", sees: []string{"╭ workflow feature", "missing: plan-review-complete"}, then: "\x1b",
		left: []string{"missing: plan"}},
	{of: "/workflow, dialog cancel", keys: "/workflow can{complete}no time{send}",
		sees: []string{"╭ Cancel the workflow?"}, then: "\x1b", left: []string{"╭ Cancel"}},
	{of: "/workflow, dialog cancel", keys: "/workflow cancel no time{send}", sees: []string{"╭ Cancel the workflow?"},
		then: "y", ends: []string{"Cancelled: the feature"}},
}

// pairSteps run in a project with two agents that only read and print.
var pairSteps = []step{
	{of: "/pair", keys: "/pair --list{send}",
		sees: []string{"No pair has run in this project: /pair <task> starts one"}},
	{of: "/pair", keys: "/pair --done FINISHED --pri{complete}on{complete}Write work.txt.{send}",
		sees: []string{"● pair working", "one sits in turn 1"}},
	{of: "/tell", keys: "/tell pri{complete}Mind the gap.{send}",
		sees: []string{"essage sent; the primary reads it in its next turn"}},
	{of: "/stop", keys: "/stop{send}", sees: []string{"╭ Stop?"}, then: "{yes}",
		ends: []string{"he pair was stopped; its run is kept", "● pair stopped"}},
	{of: "/pair, dialog runs", keys: "/pair --list{send}", sees: []string{"╭ pair runs", "Write work.txt."},
		then: "\r", ends: []string{"> /pair --resume p-"}, left: []string{"╭ runs"}},
	{of: "/pair", keys: "{send}", sees: []string{"one sits in turn 2"}},
	{of: "/stop", keys: "/stop{send}", sees: []string{"╭ Stop?"}, then: "{yes}", ends: []string{"● pair stopped"}},
}

// TestEveryCommandIsPlayed runs the steps, in an HQ of each kind.
func TestEveryCommandIsPlayed(t *testing.T) {
	longtest.OnlyCI(t)
	t.Parallel()
	for name, play := range map[string]func(*testing.T){
		"idle": playIdle, "work": playWork, "asked": playAsked, "review": playReview, "spec": playSpec,
		"workflow": playWorkflow, "pair": playPair, "plan": playPlan,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			play(t)
		})
	}
}

func playIdle(t *testing.T) {
	dir, env := echoProject(t, "")
	h := &user{openWith(t, dir, 120, 40, env), nil}
	h.WaitFor("No task yet")
	h.do(idleSteps...)
	h.WaitExit(0)
}

func playWork(t *testing.T) {
	dir, env := echoProject(t, "")
	h := atWork(t, dir, env, nil)
	h.do(workSteps...)
	h.leave()
}

// leave presses Ctrl+C twice and checks what is left.
func (h *user) leave() {
	h.Helper()
	h.Type("\x1dx\x03\x03")
	h.WaitExit(0)
}

func playAsked(t *testing.T) {
	h := &user{open120(t, t.TempDir(), "demo", "--dir", ".", "--speed", "0"), nil}
	h.WaitFor("executor asks: Should retries apply to POST too?")
	h.do(askedSteps...)
	h.do(commentSteps...)
	h.leave()
}

func playSpec(t *testing.T) {
	dir := demoProject(t)
	if err := os.WriteFile(filepath.Join(dir, "docs", "specs", "broken.md"),
		[]byte("# Broken\n\n- [ ] #1.0 One\n  - ID: m1\n- [ ] #1.1 Two\n  - ID: m1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	h := &user{open120(t, dir), nil}
	h.WaitFor("No task yet")
	h.do(specSteps...)
	h.leave()
}

// demoProject returns one of the demo's agents, set up.
func demoProject(t *testing.T) string {
	t.Helper()
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
	return dir
}

func playWorkflow(t *testing.T) {
	h := &user{open120(t, demoProject(t)), nil}
	h.WaitFor("No task yet")
	h.do(workflowSteps...)
	h.leave()
}

func playPlan(t *testing.T) {
	dir := demoProject(t)
	p, err := openAt(dir)
	if err != nil {
		t.Fatal(err)
	}
	by := core.Actor{Role: machine.Supervisor, ID: "supervisor:demo:1", Session: "s"}
	const plan = "# Write it\n\n# Use it\nAfter: Write it\n\n# Measure it\n"
	if _, err := queue.Propose(t.Context(), p, store.Call{}, by, plan); err != nil {
		t.Fatal(err)
	}
	h := &user{openWith(t, dir, 120, 40, []string{stepEnv + "=1h"}), nil} // the executors stay in their first step
	h.WaitFor("3 tasks are proposed: #1, #2, #3")
	h.do(planSteps...)
	h.leave()
}

func playPair(t *testing.T) {
	dir, env := pairRepository(t)
	h := &user{openWith(t, dir, 120, 40, env), nil}
	h.WaitFor("No task yet")
	h.do(pairSteps...)
	h.leave()
	if prompt := content(filepath.Dir(dir), "one.1.prompt"); !strings.Contains(prompt, "FINISHED") {
		t.Errorf("the primary is to say it is done by another word:\n%s", prompt)
	}
}
