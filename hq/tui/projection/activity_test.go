package projection

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"ferrus/checks"
	"ferrus/hq/conductor/gateview"
	"ferrus/hq/conductor/notice"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/store"
	"github.com/charmbracelet/x/ansi"
)

// TestAgentsTextIsCleaned checks the text of agents, wherever it comes from.
func TestAgentsTextIsCleaned(t *testing.T) {
	evil := "a\x1b[2J\x07b\u202ec\x9b"
	v := fixture(t, "awaiting")
	v.Project, v.Branch, v.StateError, v.Spec = "/x/"+evil, evil, "", evil
	v.State.World.SelectedSpec, v.State.World.SelectedMilestone = evil, evil
	v.Texts.Question = evil
	v.State.World.Task.Title = evil
	v.State.World.ClaimedBy = evil
	v.State.World.Hold = &core.Hold{Reason: evil, By: evil}
	v.Journal = append(v.Journal, store.Entry{Event: evil, By: evil, Why: evil, From: evil, To: evil + "x"})
	v.Notices = []notice.Notice{{Number: 1, At: fixtureNow, Text: evil}}
	v.Gate = gateview.View{Why: evil, Log: evil, Lines: []string{evil},
		Rows: []gateview.Row{{Command: evil, Status: gateview.Status(evil), Detail: evil}}}
	v.Panes[0].Agent, v.Panes[0].Model, v.Panes[0].Exit = evil, evil, evil
	for _, problem := range []string{"", evil} {
		v.StateError = problem
		harmless(t, reflect.ValueOf(Project(v, fixtureNow)), "View")
	}
}

// harmless checks every string below v.
func harmless(t *testing.T, v reflect.Value, name string) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		if strings.ContainsAny(v.String(), "\x1b\x07\u202e\u009b") {
			t.Errorf("%s is %q", name, v.String())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			harmless(t, v.Field(i), name+"."+v.Type().Field(i).Name)
		}
	case reflect.Slice:
		for i := range v.Len() {
			harmless(t, v.Index(i), name)
		}
	case reflect.Pointer:
		if v.Type().Elem().PkgPath() == "ferrus/ui/view" && !v.IsNil() {
			harmless(t, v.Elem(), name)
		}
	}
}

// TestActivityLeavesOutHandling checks that claims, releases, deliveries and accepted responses are
// only in the log.
func TestActivityLeavesOutHandling(t *testing.T) {
	v := fixture(t, "addressing")
	v.Journal = append(v.Journal, store.Entry{Seq: v.Journal[len(v.Journal)-1].Seq + 1, At: fixtureNow,
		Event: string(core.KindWaitForConsult)})
	shown := Project(v, fixtureNow)
	var kept []string
	for _, e := range shown.Journal() {
		if e.Event == "claim" || e.Event == "release" || e.Event == "deliver" ||
			e.Event == "wait for consult" {
			kept = append(kept, e.Event)
		}
	}
	if len(kept) == 0 || len(shown.Activity)+len(kept) != len(shown.Timeline) {
		t.Errorf("%d entries of %d are shown, without %v", len(shown.Activity), len(shown.Timeline), kept)
	}
}

// TestActivityIsForReading checks that events have words, and that your own are called yours.
func TestActivityIsForReading(t *testing.T) {
	for event, want := range map[machine.Kind]string{
		core.KindCreateTask: "create task", core.KindBaseRed: "base fails", core.KindAskHuman: "ask you",
	} {
		all := activity([]store.Entry{{Event: string(event), By: project.HumanActor().ID}}, time.UTC)
		if len(all) != 1 || all[0].Event != want || all[0].By != "you" {
			t.Errorf("%s is shown as %+v", event, all)
		}
	}
}

// TestYourMessageIsInThePane checks that a slot's pane shows your message at once, until a session
// has acted on it: only the newest one, without bytes that a terminal obeys.
func TestYourMessageIsInThePane(t *testing.T) {
	t.Parallel()
	v := fixture(t, "executing")
	v.Panes[1].Exit = "interrupted by a message"
	show := func(want string, all ...project.Message) {
		t.Helper()
		v.Messages = all
		shown := projected(v)
		if got := shown.Panes[1].Message; got != want || shown.Panes[0].Message != "" {
			t.Errorf("the pane has %q, not %q; the other %q", got, want, shown.Panes[0].Message)
		}
	}
	show("")
	first := project.Message{Slot: core.SlotExecutor, Text: "keep POST\nas it \x1b[2Jis\n"}
	show("you, not delivered yet: keep POST as it is", first)
	first.Given = "f00d"
	show("you: keep POST as it is", first)
	show("you, not delivered yet: and PUT", first, project.Message{Slot: core.SlotExecutor, Text: "and PUT"},
		project.Message{Slot: core.SlotReviewer, Text: "look at PUT"})
	rows := strings.Join(rowsOf(t, opened(projected(v), 120, 40, false).View().Content, 120, 40), "\n")
	if got := ansi.Strip(rows); !strings.Contains(got, "╰ you, not delivered yet: and PUT ─") ||
		strings.Contains(got, "previous session") {
		t.Errorf("the screen is\n%s", got)
	}
}

// TestFailedCommandsAreCounted checks that the count beside FAIL is of failed commands and the one
// beside PASS of passed ones, so that neither can be misread.
func TestFailedCommandsAreCounted(t *testing.T) {
	t.Parallel()
	late := red()
	late.Rows[1].Status = "TIMEOUT"
	alone := red()
	alone.Rows = alone.Rows[2:]
	base := green()
	base.Verdict = checks.Fail // its tests are fewer than those of the base
	for want, g := range map[string]gateview.View{
		"PASS 3/3": green(), "FAIL 1 of 3 failed": red(), "FAIL 2 of 3 failed": late, "FAIL": alone,
	} {
		if got := check(g, fixtureNow).State; got != want {
			t.Errorf("it is %q, not %q", got, want)
		}
	}
	if got := check(base, fixtureNow).State; got != "FAIL" {
		t.Errorf("a gate without a failed command is %q", got)
	}
}
