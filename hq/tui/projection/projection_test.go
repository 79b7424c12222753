package projection

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"ferrus/hq/conductor"
	"ferrus/hq/queue"
	"ferrus/machine/session"
	"ferrus/machine/task"
	"ferrus/ui/view"
	"github.com/charmbracelet/x/ansi"
)

// Project returns what the screen shows of v at now, in a first frame.
func Project(v conductor.View, now time.Time) view.View {
	var p Projector
	return p.Project(v, now)
}

func TestSessionsHaveTheirMachinesWords(t *testing.T) {
	for _, c := range []struct {
		p      conductor.PaneView
		want   string
		living bool
	}{
		{conductor.PaneView{State: "Initializing", Wanted: true}, "starting", false},
		{conductor.PaneView{State: "Initializing"}, "not running", false},
		{conductor.PaneView{State: "BuildingPrompt", Stopping: true}, "ending", true},
		{conductor.PaneView{State: "Spawning"}, "starting 1m", true},
		{conductor.PaneView{State: "Running"}, "running 1m", true},
		{conductor.PaneView{State: "Interrupting"}, "interrupting 1m", true},
		{conductor.PaneView{State: "SessionComplete"}, "done", false},
		{conductor.PaneView{State: "CoolingDown", Until: fixtureNow.Add(8 * time.Second)}, "restarts in 8s", false},
		{conductor.PaneView{State: "CoolingDown", Limit: "You've hit your limit",
			Until: fixtureNow.Add(3*time.Hour + 12*time.Minute)}, "usage limit, restarts in 3h12m", false},
		{conductor.PaneView{State: "Stopped", Stopping: true}, "stopping", true},
		{conductor.PaneView{State: "Stopped"}, "stopped", false},
		{conductor.PaneView{State: "Stopped", Errors: 5}, "stopped after errors", false},
	} {
		c.p.Since = fixtureNow.Add(-65 * time.Second)
		if got, _ := sessionState(c.p, fixtureNow); got != c.want || c.p.Lives() != c.living {
			t.Errorf("%s (ending %v) is %q, living %v", c.p.State, c.p.Stopping, got, c.p.Lives())
		}
	}
}

func TestABorderSaysOnlyWhatTheTitleDoesNot(t *testing.T) {
	for _, c := range []struct {
		p    conductor.PaneView
		want string
	}{
		{conductor.PaneView{State: "SessionComplete", Exit: "done"}, ""},
		{conductor.PaneView{State: "Running"}, ""},
		{conductor.PaneView{State: "Stopped", Exit: "exit 7"}, "exit 7"},
		{conductor.PaneView{State: "Running", Exit: "ended by SIGKILL"}, "previous session: ended by SIGKILL"},
	} {
		if got := footer(c.p); got != c.want {
			t.Errorf("%s after %q has the footer %q, want %q", c.p.State, c.p.Exit, got, c.want)
		}
	}
}

func TestDisabledReasons(t *testing.T) {
	for _, c := range []struct{ state, command, want string }{
		{"idle", "task", ""},
		{"complete", "task", ""},
		{"executing", "task", "plain text reaches the working agent, ferrus task add queues a task"},
		{"executing", "check", "executor:codex:1 holds the lease; use --force"},
		{"hold", "check", ""},
		{"idle", "check", "nothing to check"},
		{"checking", "check --cancel", ""},
		{"executing", "check --cancel", "no check is running"},
		{"reviewing", "approve", ""},
		{"reviewing", "reject", ""},
		{"reviewing", "review", ""},
		{"addressing", "approve", "no submission"},
		{"failed", "retry", ""},
		{"executing", "retry", "only a failed task"},
		{"executing", "reset", ""},
		{"executing", "reject", "plain text reaches the working agent"},
		{"complete", "reject", "comments on its diff (F4, c, then S) send it back, and /land lands it"},
	} {
		got := Project(fixture(t, c.state), fixtureNow).Disabled[c.command]
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("/%s in %s is not available because %q, want %q", c.command, c.state, got, c.want)
		}
	}
}

func TestOnlyTheOpenQuestionIsAsked(t *testing.T) {
	v := fixture(t, "awaiting")
	if a := Project(v, fixtureNow).Ask; a == nil || a.Kind != view.Question || a.Ticket != 13 || a.Who != "executor" {
		t.Errorf("asked %+v", a)
	}
	q := *v.State.World.Question
	q.Answered = true
	v.State.World.Question = &q
	if got := Project(v, fixtureNow); got.Ask != nil || len(got.Inbox) != 0 {
		t.Errorf("an answered question is asked again: %+v", got.Ask)
	}
	v = fixture(t, "consultation")
	if a := Project(v, fixtureNow).Ask; a == nil || a.Kind != view.Consultation || a.Ticket != 12 {
		t.Errorf("consulted %+v", a)
	}
	if all := Project(v, fixtureNow).Inbox; len(all) != 1 || !all[0].Delegated {
		t.Errorf("a consultation with a consultant is for the human alone: %+v", all)
	}
}

func TestClocksMoveOnlyWhileSomethingRuns(t *testing.T) {
	for name, want := range map[string]bool{"idle": false, "executing": true, "complete": false, "failed": false,
		"problem": false, "checking": true} {
		if got := NextTick(fixture(t, name), fixtureNow); got > 0 != want {
			t.Errorf("%s ticks after %v", name, got)
		}
	}
	v := fixture(t, "complete")
	if a, b := Project(v, fixtureNow).Status.Elapsed, Project(v, fixtureNow.Add(time.Hour)).Status.Elapsed; a != b ||
		a != "14m" {
		t.Errorf("a complete task took %s, then %s", a, b)
	}
}

// TestNothingChangesBeforeTheNextTick checks that a frame between two ticks would show nothing new,
// so HQ may sleep. Ticks come once a minute unless a clock shows seconds.
func TestNothingChangesBeforeTheNextTick(t *testing.T) {
	cooling := fixture(t, "executing")
	cooling.Panes[0].State = session.CoolingDown
	cooling.Panes[0].Until = fixtureNow.Add(3*time.Minute + 1500*time.Millisecond)
	cooling.State.World.State = task.Idle
	for name, v := range map[string]conductor.View{
		"executing": fixture(t, "executing"), "checking": fixture(t, "checking"), "cooling": cooling,
	} {
		now, end, ticks := fixtureNow, fixtureNow.Add(6*time.Minute), 0
		for now.Before(end) {
			next := NextTick(v, now)
			if next <= 0 {
				break
			}
			before, last := Project(v, now), Project(v, now.Add(next-time.Millisecond))
			if !reflect.DeepEqual(before.Panes, last.Panes) || !reflect.DeepEqual(before.Status, last.Status) {
				t.Fatalf("%s: the screen changes between %v and %v:\n%+v\n%+v", name, now, now.Add(next), before.Status,
					last.Status)
			}
			now = now.Add(next)
			ticks++
		}
		most := map[string]int{"executing": 7 * (1 + len(v.Panes)), "cooling": 3 + 61 + 7*len(v.Panes)}[name]
		if most > 0 && ticks > most {
			t.Errorf("%s: %d ticks in 6 minutes", name, ticks)
		}
	}
}

func TestALongQuestionIsBounded(t *testing.T) {
	v := fixture(t, "awaiting")
	v.Texts.Question = strings.Repeat("why ", 1<<20)
	if n := len(Project(v, fixtureNow).Ask.Text); n > maxQuestion+100 {
		t.Errorf("%d bytes are shown", n)
	}
}

func TestDurations(t *testing.T) {
	for d, want := range map[time.Duration][3]string{
		0:                      {"<1m", "0s", ""},
		200 * time.Millisecond: {"<1m", "1s", "0.2s"},
		41 * time.Second:       {"<1m", "41s", "41s"},
		60 * time.Second:       {"1m", "60s", "1m00s"},
		123 * time.Second:      {"2m", "3m", "2m03s"},
		3753 * time.Second:     {"1h02m", "1h03m", "62m33s"},
		-time.Second:           {"<1m", "0s", ""},
	} {
		if got := [3]string{minutes(d), countdown(d), seconds(d)}; got != want {
			t.Errorf("%v is %v, want %v", d, got, want)
		}
	}
}

func TestStatusHasProcessesAndTimesAsPeopleReadThem(t *testing.T) {
	v := fixture(t, "failed")
	v.Panes = append(v.Panes, consultant("Running"))
	got := Project(v, fixtureNow.In(time.FixedZone("here", 3600))).Explanation
	for _, want := range []string{"Failed since 15:16:30", "pid 4711, log .ferrus/logs/consultant_1.log",
		"stopped after errors, exit status 1, errors 5 in a row, 7 in total"} {
		if !strings.Contains(got, want) {
			t.Errorf("status lacks %q:\n%s", want, got)
		}
	}
	if yesterday := timeOfDay(fixtureNow)(fixtureNow.AddDate(0, 0, -1)); yesterday != "2026-11-19 14:16:30" {
		t.Errorf("yesterday is %s", yesterday)
	}
}

func TestDaemonsAreShown(t *testing.T) {
	v := conductor.View{Daemons: []string{"codex app-server, process 7: left alone"}}
	if text := explain(v, "", fixtureNow); !strings.Contains(text, "daemon      codex app-server, process 7") {
		t.Errorf("the explanation does not name the daemon:\n%s", text)
	}
}

// TestThePlannerIsWhoListens checks that while a supervisor plans, no hint says how to start a
// task.
func TestThePlannerIsWhoListens(t *testing.T) {
	t.Parallel()
	v := fixture(t, "idle")
	v.Panes = []conductor.PaneView{planner("Running")}
	rows := strings.Join(rowsOf(t, opened(projected(v), 120, 40, false).View().Content, 120, 40), "\n")
	const want = "Plain text goes to the supervisor; Ctrl+O 1 types in its pane"
	if got := ansi.Strip(rows); !strings.Contains(got, want) {
		t.Errorf("the screen is\n%s", got)
	}
}

// TestAWaitSaysWhy checks that while a session waits to be restarted, the line over the prompt says
// for what, and how to end the wait.
func TestAWaitSaysWhy(t *testing.T) {
	t.Parallel()
	v := fixture(t, "executing")
	v.Panes[1] = executor("CoolingDown")
	const after = "The executor had an error and restarts by itself; /resume executor starts it now"
	if got := projected(v).Hint; got != after {
		t.Errorf("after an error: %q", got)
	}
	v.Panes[1].Limit, v.Panes[1].Until = "5-hour limit reached", fixtureNow.Add(47*time.Minute)
	const limit = "codex waits for its usage limit until 15:03; then it continues by itself, and " +
		"/switch gives its role to another agent now"
	if got := projected(v).Hint; got != limit {
		t.Errorf("at a usage limit: %q", got)
	}
}

// TestStagedWorkIsNotYoursToLand checks that the hint says what the merge queue does with the work.
func TestStagedWorkIsNotYoursToLand(t *testing.T) {
	t.Parallel()
	v := fixture(t, "complete")
	v.Tasks, v.Selected = queueRows(), "t-12"
	v.Tasks[0].State, v.Tasks[0].Why = "Staged", "proving"
	if got := projected(v).Hint; got != "Complete: the merge queue has it (proving); /merge shows more" {
		t.Errorf("got %q", got)
	}
	if got := projected(v).Status.Tasks; !strings.Contains(got, "1 staged") {
		t.Errorf("the header counts %q", got)
	}
}

// TestARefusedCallHasTheWordsOfItsEvent checks that a call has the same words whether it was
// accepted or refused.
func TestARefusedCallHasTheWordsOfItsEvent(t *testing.T) {
	t.Parallel()
	v := fixture(t, "refused")
	v.Refused = []conductor.RefusedCall{refusal(1, "respond_consult", "supervisor:demo:1", time.Second)}
	all := projected(v).Activity
	if got := all[len(all)-1].Event; got != "respond consult" {
		t.Errorf("it is called %q", got)
	}
}

// TestOneTaskNeedsNoList checks that a task that the screen shows anyway is not listed, and that
// one that has not started is, with the reason.
func TestOneTaskNeedsNoList(t *testing.T) {
	t.Parallel()
	v := fixture(t, "executing")
	one := queueRows()[0]
	for name, test := range map[string]struct {
		row      queue.Row
		selected string
		checkout string
		listed   bool
	}{
		"the selected task":  {row: one, selected: one.Dir},
		"another one":        {row: one, selected: "", listed: true},
		"beside a planner":   {row: one, selected: one.Dir, checkout: "a pair works", listed: true},
		"one that waits":     {row: queueRows()[4], listed: true},
		"one that is landed": {row: queueRows()[6], selected: "t-9"},
	} {
		v.Tasks, v.Selected, v.Checkout = []queue.Row{test.row}, test.selected, test.checkout
		if got := len(projected(v).Tasks.Rows) > 0; got != test.listed {
			t.Errorf("%s: listed: %v, want %v", name, got, test.listed)
		}
	}
}
