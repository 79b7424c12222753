package projection

import (
	"testing"

	"ferrus/hq/core"
	"ferrus/ui/style"
	"ferrus/ui/view"
)

// TestAlarmsStandAboveAPass: a gate that passed is not green while there are alarms, and
// alarms are shown only while the submission waits for a decision.
func TestAlarmsStandAboveAPass(t *testing.T) {
	v := fixture(t, "alarmed")
	shown := Project(v, fixtureNow)
	if got := shown.Check.Tone; got != style.Warn {
		t.Errorf("PASS has the tone %d above alarms", got)
	}
	if got := shown.Hint; got != "/approve: 2 alarms: tests are skipped in fetch_test.go:21" {
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
