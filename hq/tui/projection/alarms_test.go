package projection

import (
	"slices"
	"testing"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/queue"
	"ferrus/machine/task"
	"ferrus/ui/style"
	"ferrus/ui/view"
)

// TestAlarmsStandAboveAPass checks that a gate that passed is not green while there are alarms, and
// that alarms are shown only while the submission waits for a decision.
func TestAlarmsStandAboveAPass(t *testing.T) {
	v := fixture(t, "alarmed")
	shown := Project(v, fixtureNow)
	if got := shown.Check.Tone; got != style.Warn {
		t.Errorf("PASS has the tone %d above alarms", got)
	}
	if got := shown.Hint; got != "/approve: 2 alarms: fetch_test.go:21: tests are skipped" {
		t.Errorf("the hint is %q", got)
	}
	want := view.AlarmLine{Number: 9, Removed: true}
	if got := shown.Check.Alarms; len(got) != 2 || got[1].Lines[0] != want || len(got.NeedHuman()) != 1 {
		t.Errorf("the alarms are %+v", got)
	}
	v = fixture(t, "complete")
	v.State.World.Submission = fixture(t, "alarmed").State.World.Submission
	if got := Project(v, fixtureNow); len(got.Check.Alarms) != 2 {
		t.Errorf("before landing there are no alarms: %+v", got.Check)
	}
	v.State.World.Task.Landed = &core.Landed{}
	if got := Project(v, fixtureNow); len(got.Check.Alarms) != 0 || got.Check.Tone != style.Good {
		t.Errorf("after landing there are alarms: %+v", got.Check)
	}
}

// TestAlarmsInTheJournal checks that the submission that raised alarms stands out, that the gate
// that passed before it is not green, and that older entries are unchanged.
func TestAlarmsInTheJournal(t *testing.T) {
	t.Parallel()
	journal := func() []view.Entry {
		return []view.Entry{
			{Event: "check PASS", Tone: style.Good}, {Event: "submit", Why: "the first"},
			{Event: "check PASS", Tone: style.Good}, {Event: "submit", Why: "the second"},
			{EntryID: view.EntryID{Refused: 1}, Event: "submit", Why: "refused"},
		}
	}
	got := journal()
	markAlarms(got, nil)
	if !slices.Equal(got, journal()) {
		t.Errorf("without an alarm the journal becomes %+v", got)
	}
	markAlarms(got, view.Alarms{{Words: "tests are skipped", Path: "a_test.go"}})
	want := journal()
	want[2].Tone = style.Warn
	want[3].Tone, want[3].Why = style.Bad, "1 alarm: a_test.go: tests are skipped"
	if !slices.Equal(got, want) {
		t.Errorf("the journal is %+v", got)
	}
}

// TestAlarmsInTheListOfTasks checks that the row of a task with alarms stands out and names them.
func TestAlarmsInTheListOfTasks(t *testing.T) {
	t.Parallel()
	row := queue.Row{Item: queue.Item{N: 4}, Task: task.Reviewing, Why: "Reviewing"}
	if r := taskRow(row, time.Now()); r.State.Tone == style.Bad || r.Why != "Reviewing" {
		t.Errorf("without an alarm the row is %+v", r)
	}
	row.Alarms = []core.Alarm{{Words: "tests are skipped", Path: "a_test.go"}}
	if r := taskRow(row, time.Now()); r.State.Tone != style.Bad || r.Why != "1 alarm: a_test.go: tests are skipped" {
		t.Errorf("the row is %+v", r)
	}
}

func TestAlarmLine(t *testing.T) {
	for line, want := range map[string]view.AlarmLine{
		`+31: t.Skip("a: b")`: {Number: 31}, "-2: x": {Number: 2, Removed: true},
		"31: x": {}, "+x: y": {}, "": {}, ": ": {}, "+0: x": {}, "TestGone": {},
	} {
		if got, ok := alarmLine(line); got != want && ok || ok != (want != view.AlarmLine{}) {
			t.Errorf("%q is %+v, %v", line, got, ok)
		}
	}
}
