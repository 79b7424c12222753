package slash

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"ferrus/hq/advice"
	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/human"
	"ferrus/hq/land"
	"ferrus/hq/pair"
	"ferrus/hq/workflow"
	"ferrus/machine"
	"ferrus/ui"
	"ferrus/ui/dialog"
	"ferrus/ui/intent"
	"ferrus/ui/view"
)

// Every request asks for what it is for, by the human.
func TestRun(t *testing.T) {
	question, consultation := view.Ask{Kind: view.Question, Ticket: 13}, view.Ask{Kind: view.Consultation, Ticket: 12}
	for _, c := range []struct {
		request Request
		asked   string
		text    string
	}{
		{task{Text: "x", Manual: true}, "want task supervisor manual=true x", "A supervisor starts"},
		{task{Text: "as written", Now: true}, "do create_task 0 by human: as written",
			"Approved"},
		{openSession{"plan", "supervisor", ""}, "want plan supervisor manual=false", "A supervisor starts"},
		{openSession{"free", "executor", ""}, "want free executor manual=false", "An executor starts"},
		{move{Kind: core.KindCheck}, "do check 0 by human:", "Approved"},
		{forceCheck{}, "force", "Check finished; the task's state is unchanged"},
		{cancelCheck{}, "cancel", "The check is cancelled"},
		{Answer{intent.Answer{Ask: question, Text: "no"}}, "do answer 13 by human: no",
			"Approved"},
		{Answer{intent.Answer{Ask: consultation, Text: "yes"}}, "do respond_consult 12 by human: yes",
			"Approved"},
		{move{Kind: core.KindReject, Text: "bad"}, "do reject 0 by human: bad", "Approved"},
		{reset, "do reset 0 by human:", "Approved"},
		{resume{}, "resume", "The executor starts again"},
		{start{Slot: core.SlotReviewer, name: "a reviewer"}, "start reviewer", "A reviewer starts"},
		{stop{}, "stop", "No session is running"},
		{message{"executor", "use the table"}, "tell executor use the table", "The message is left"},
		{setModel{Role: "executor", Model: "m"}, "model executor m", "The executor uses m from its next session"},
		{setModel{Role: "executor"}, "model executor", "The executor uses its agent's default model from its " +
			"next session"},
		{workers{}, "workers", ""},
		{workers{"drain", "big"}, "drain big true", "Drained"},
		{workers{"resume", "big"}, "drain big false", "Drained"},
		{register{"--remove"}, "register --remove", "Registered"},
		{work{"feature Add retry"}, "start workflow feature: Add retry", ""},
		{work{"approve well"}, "decide approve: well", ""},
		{startPair{Request: pair.Request{Options: pair.Options{Task: "x"}}}, "pair x again=false", "A pair starts"},
	} {
		calls, env := newCalls()
		got, err := c.request.Run(t.Context(), env)
		if err != nil || got.Text != c.text && c.text != "" {
			t.Errorf("%#v says %q, %v, want %q", c.request, got.Text, err, c.text)
		}
		calls.noted(t, c.asked)
	}
}

// Enter opens the HQ of another project; the project that is open here is only named.
func TestProjectsLeadToTheirHQ(t *testing.T) {
	calls, env := newCalls()
	got, err := projects{}.Run(t.Context(), env)
	l, ok := got.Dialog.(*dialog.List)
	if err != nil || !ok || len(l.Items) != 2 {
		t.Fatalf("%#v, %v", got, err)
	}
	calls.noted(t, "projects")
	if l.Items[0].Intent != (intent.OpenProject{Dir: "/src/web"}) {
		t.Errorf("the other project leads to %#v", l.Items[0].Intent)
	}
	if _, says := l.Items[1].Intent.(intent.Say); !says || l.Items[1].Name != "~/api (this one)" {
		t.Errorf("the project that is open here: %#v", l.Items[1])
	}
}

// A failed command is returned to the prompt, as you would type it again.
func TestFailedRequestsAreGivenBack(t *testing.T) {
	for _, c := range []struct {
		request Request
		line    string
	}{
		{Answer{intent.Answer{Text: "only GET"}}, "only GET"},
		{task{Text: "a", Now: true}, "/task --now a"},
		{task{Text: "a", Manual: true}, "/task --manual a"},
		{task{Text: "a"}, "/task a"},
		{task{Text: "a", Again: true, Changes: true}, "/task --again --with-changes a"},
		{move{Kind: core.KindReject, Text: "n", line: "/reject "}, "/reject n"},
		{move{Kind: core.KindApprove, Text: "n"}, ""},
		{openSession{"plan", "supervisor", "cache"}, "/plan cache"},
		{openSession{"plan", "supervisor", ""}, ""},
		{stop{}, ""},
		{setModel{Role: "executor", Model: "bad"}, ""},
		{message{"executor", "x"}, "/tell executor x"},
		{register{"--remove"}, "/register --remove"},
		{work{"feature Add retry"}, "/workflow feature Add retry"},
		{landing{Message: "words", Keep: true}, "/land --keep words"},
		{landing{Message: "explain --keep"}, "/land -- explain --keep"},
	} {
		calls, env := newCalls()
		calls.fails = errors.New("not now")
		if _, err := c.request.Run(t.Context(), env); err == nil || !strings.Contains(err.Error(), "not now") {
			t.Errorf("%#v: %v", c.request, err)
		}
		if got := c.request.CommandLine(); got != c.line {
			t.Errorf("%#v is typed %q, want %q", c.request, got, c.line)
		}
	}
	if got := (selectMilestone{Spec: "cache", Milestone: "m1"}).CommandLine(); got != "/milestones cache m1" {
		t.Errorf("a milestone is typed %q", got)
	}
}

// A running forced check is ended by what cancels it, and there is only one at a time.
func TestForcedCheckIsCancelled(t *testing.T) {
	calls, env := newCalls()
	calls.began = make(chan struct{})
	ended := make(chan error)
	go func() {
		got, err := forceCheck{}.Run(t.Context(), env)
		if got.Text != "" {
			err = errors.New(got.Text)
		}
		ended <- err
	}()
	<-calls.began
	if _, err := (forceCheck{}).Run(t.Context(), env); err == nil || !strings.Contains(err.Error(), "already running") {
		t.Errorf("a second one: %v", err)
	}
	if got, err := (cancelCheck{}).Run(t.Context(), env); err != nil || got.Text != "The check is cancelled" {
		t.Errorf("%+v, %v", got, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	calls.noted(t, "force") // and not the check of the task
}

// The landing preview is shown with a question; only the answer lands the work.
func TestLandingAsksFirst(t *testing.T) {
	calls, env := newCalls()
	calls.plan = land.Plan{Task: "t-1", Title: "Do it", Onto: "main", Message: "Do it\n"}
	asked, err := landing{Keep: true}.Run(t.Context(), env)
	if err != nil || asked.Later == "" {
		t.Fatalf("%+v, %v", asked, err)
	}
	calls.noted(t, "plan landing keep=true")
	b := openFixture(t, idle())
	b.send(ui.OpenMsg{Dialog: asked.Dialog})
	b.shows("╭ Land?", "onto     main")
	b.press("y")
	sure := landing{Message: "Do it", Keep: true, Sure: true}
	b.wanted(sure)
	done, err := sure.Run(t.Context(), env)
	if err != nil || done.Text != "landed: 0123456789ab on main" {
		t.Errorf("%+v, %v", done, err)
	}
	calls.noted(t, `land "Do it" keep=true`)
	calls.plan.Off = &land.RefusedError{What: "it has landed", Fix: "rest"}
	if _, err := (landing{}).Run(t.Context(), env); err == nil || err.Error() != "land: it has landed; rest" {
		t.Errorf("what cannot land: %v", err)
	}
	calls.plan.Off = &land.RefusedError{What: "in the way: a.go", Fix: "land them too: ferrus land --with-changes"}
	want := "land: in the way: a.go; land them too: /land --with-changes"
	if _, err := (landing{}).Run(t.Context(), env); err == nil || err.Error() != want {
		t.Errorf("HQ advises %v", err)
	}
}

func TestAllow(t *testing.T) {
	calls, env := newCalls()
	if got, err := (allow{yes: true}).Run(t.Context(), env); err != nil ||
		!strings.HasPrefix(got.Text, "Nothing to do") {
		t.Errorf("%+v, %v", got, err)
	}
	calls.view.Asking = []human.Pending{
		{Number: 7, Request: human.Request{Command: "approve", Text: "approve fine"}}, {Number: 8},
	}
	for yes, want := range map[bool]string{true: "Allowed: ferrus approve fine", false: "Denied: ferrus approve fine"} {
		if got, err := (allow{yes: yes, of: 7}).Run(t.Context(), env); err != nil ||
			!strings.HasPrefix(got.Text, want) {
			t.Errorf("%+v, %v", got, err)
		}
		calls.noted(t, fmt.Sprintf("allow 7 %v", yes))
	}
}

// A host has to be named unless only one waits for an answer.
func TestNetwork(t *testing.T) {
	calls, env := newCalls()
	calls.view.Hosts = []advice.AskedHost{{Host: "one.test", Answer: advice.HostNo}, {Host: "two.test"}}
	got, err := (network{}).Run(t.Context(), env)
	const want = "- one.test: refused for this task\n- two.test: refused; you are asked"
	if err != nil || got.Page.Markdown != want {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := (network{Answer: "allow"}).Run(t.Context(), env); err != nil ||
		got.Text != "two.test: allowed for this task" {
		t.Errorf("%+v, %v", got, err)
	}
	calls.noted(t, "host two.test allow")
	idle := advice.AskedHost{Task: advice.NoTask, Answer: advice.HostNo}
	if got := idle.Words(); got != "refused while no task is open" {
		t.Errorf("without a task, a host is %q", got)
	}
	calls.view.Hosts[0].Answer = ""
	if _, err := (network{Answer: "allow"}).Run(t.Context(), env); err == nil ||
		!strings.HasSuffix(err.Error(), "name one: one.test, two.test") {
		t.Errorf("one of two hosts was chosen: %v", err)
	}
	if _, err := (network{"no", "one.test"}).Run(t.Context(), env); err != nil {
		t.Error(err)
	}
	calls.noted(t, "host one.test no")
}

func TestTrust(t *testing.T) {
	calls, env := newCalls()
	if got, err := (trust{}).Run(t.Context(), env); err != nil || !strings.HasPrefix(got.Text, "Nothing to do") {
		t.Errorf("%+v, %v", got, err)
	}
	calls.view.Gate.Untrusted = []string{"go vet ./...", "go test ./..."}
	if _, err := (trust{}).Run(t.Context(), env); err != nil {
		t.Error(err)
	}
	calls.noted(t, "trust go vet ./...; go test ./...")
}

// Only an open task is put on hold, so only then is there something to resume.
func TestStopTellsOfTheHold(t *testing.T) {
	calls, env := newCalls()
	calls.view.State.World.State = "Executing"
	for want, state := range map[string]machine.State{
		"Stopping all sessions. /resume continues":                  "Running",
		"No session is running, and none starts. /resume continues": "Stopped",
	} {
		calls.view.Panes = []conductor.PaneView{{State: state}}
		if got, err := (stop{}).Run(t.Context(), env); err != nil || got.Text != want {
			t.Errorf("with a session that is %s it says %q, %v; want %q", state, got.Text, err, want)
		}
	}
}

// The question says so, too.
func TestStopAsksWithTheHold(t *testing.T) {
	const held = "nothing starts again until"
	for _, resumable := range []bool{true, false} {
		v := running()
		v.Resumable = resumable
		b := openFixture(t, v)
		b.press("/stop", "enter")
		b.shows("╭ Stop?", "stay as they are")
		if shown := strings.Contains(b.frame(), held); shown != resumable {
			t.Errorf("resumable %v:\n%s", resumable, b.frame())
		}
	}
}

// So does /quit: a session that only drafts is not continued.
func TestQuitAsksWithTheHold(t *testing.T) {
	for _, resumable := range []bool{true, false} {
		v := running()
		v.Resumable = resumable
		b := openFixture(t, v)
		b.press("/quit", "enter")
		b.shows("╭ Quit?", "Quitting stops it")
		if shown := strings.Contains(b.frame(), "/resume"); shown != resumable {
			t.Errorf("resumable %v:\n%s", resumable, b.frame())
		}
	}
}

// A landing that goes back to the executor says that nothing starts while the task is held.
func TestReturnedLandingTellsOfTheHold(t *testing.T) {
	for _, c := range []struct {
		hold *core.Hold
		want string
	}{
		{nil, "it conflicts; the executor has it back, on the branch's new tip"},
		{&core.Hold{Reason: core.HoldStop}, "it conflicts; it returned to the executor, which does not start while " +
			"the task is on hold (stop): /resume continues"},
	} {
		calls, env := newCalls()
		calls.fails = &land.FailedError{What: "it conflicts", Returned: true}
		calls.view.State.World.Hold = c.hold
		got, err := landing{Sure: true}.Run(t.Context(), env)
		if err != nil || !got.Error || got.Text != c.want {
			t.Errorf("%q, %v", got.Text, err)
		}
	}
}

// TestWhatComesTooLateSaysTheWayOut checks that a move that the task has passed by is refused in
// HQ's words, with what to do instead.
func TestWhatComesTooLateSaysTheWayOut(t *testing.T) {
	calls, env := newCalls()
	calls.fails = &machine.Refusal{Code: machine.NoSuchTransition, Machine: "task", State: "Complete",
		Event: core.KindReject}
	_, err := move{Kind: core.KindReject, Text: "n", line: "/reject "}.Run(t.Context(), env)
	const want = "the work is approved; comments on its diff (F4, c, then S) send it back, and /land lands it"
	if err == nil || err.Error() != want {
		t.Errorf("it says %v", err)
	}
}

// Without a workflow a decision says which command of HQ starts one.
func TestDecisionWithoutAWorkflow(t *testing.T) {
	calls, env := newCalls()
	calls.fails = workflow.ErrNoneOpen
	_, err := work{"approve"}.Run(t.Context(), env)
	if err == nil || err.Error() != "no workflow is open; /workflow <type> <title> starts one" {
		t.Errorf("%v", err)
	}
}

// A decision is confirmed as such: the workflow is still in the phase that it leaves because of it.
func TestWorkflowDecisions(t *testing.T) {
	calls, env := newCalls()
	for word, want := range map[string]string{"approve": "Approved: the ", "replan x": "Sent back to planning: the "} {
		if got, err := (work{word}).Run(t.Context(), env); err != nil || !strings.HasPrefix(got.Text, want) {
			t.Errorf("%s: %+v, %v", word, got, err)
		}
		kind, text, _ := strings.Cut(word, " ")
		calls.noted(t, strings.TrimSpace("decide "+kind+": "+text))
	}
	if _, err := (work{"revise"}).Run(t.Context(), env); err == nil || !strings.Contains(err.Error(), "takes notes") {
		t.Errorf("notes are not asked for: %v", err)
	}
}
