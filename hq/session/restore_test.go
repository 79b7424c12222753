package session

import (
	"strings"
	"testing"
	"time"

	"ferrus/hq/project"
	"ferrus/machine"
)

// A slot that stopped starts afresh under the next owner, which starts it once you have resumed it: the errors
// before that leave it as many tries as the first time.
func TestAStoppedSlotIsRestoredWithAllItsTries(t *testing.T) {
	t.Parallel()
	for state, want := range map[machine.State]int{Stopped: 0, CoolingDown: 4} {
		r := New(Options{})
		r.Restore(project.SessionRecord{State: state, SessionSeq: 5,
			Counters: &project.Counters{Consecutive: 4, Total: 7}}, Job{})
		if got := r.Record().Counters; got.Consecutive != want || got.Total != 7 {
			t.Errorf("%s: the counters are %+v, want %d errors in a row of 7", state, *got, want)
		}
	}
}

// What an agent writes is newer than its session, also once the clock was set back.
func TestTheStartFollowsAClockThatIsSetBack(t *testing.T) {
	t.Parallel()
	r := New(Options{})
	r.began = time.Now()
	r.entry.StartedAt = r.began.Round(0).Add(time.Hour) // by the clock of then
	r.correctStart()
	if at := r.Record().StartedAt; at.After(time.Now()) {
		t.Errorf("it started in the future, at %s", at)
	}
	before := time.Now().Add(-time.Hour).Round(0)
	r.entry.StartedAt = before
	r.correctStart()
	if at := r.Record().StartedAt; !at.Equal(before) {
		t.Errorf("a start before the clock was set forward became %s", at)
	}
}

// Setting the clock changes nothing about how long a session has been quiet.
func TestOutputIsTimedWithoutTheClock(t *testing.T) {
	t.Parallel()
	var a activity
	a.note()
	if at := a.last().String(); !strings.Contains(at, " m=") {
		t.Errorf("the time of the output is by the clock: %s", at)
	}
}
