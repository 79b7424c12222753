package core

import (
	"reflect"
	"testing"
	"time"

	"ferrus/agent/process"
)

func TestRecover(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	here, there := &process.Identity{Host: "here", PID: 7, Start: 1}, &process.Identity{Host: "there", PID: 7, Start: 1}
	held := func(session string, until time.Duration) World {
		w, end := New(now), now.Add(until)
		w.ClaimedBy, w.Claim, w.LeaseUntil = "executor:x:1", &Claim{Session: session, Managed: true}, &end
		return w
	}
	executor := Recorded{Slot: SlotExecutor, Session: "e", Number: 3, Errors: 2, Running: true,
		Process: here, Known: true}
	reaped, unborn, foreign, reviewer, hosted := executor, executor, executor, executor, executor
	hosted.Hosted = true
	reaped.Running = false
	unborn.Process, unborn.Known = nil, false
	foreign.Process, foreign.Known = there, false
	reviewer.Slot, reviewer.Session, reviewer.Number, reviewer.Errors = SlotReviewer, "r", 1, 0
	carried := []Carried{{SlotExecutor, 4, 2}}
	cases := []struct {
		name     string
		w        World
		recorded []Recorded
		want     Recovery
	}{
		{"nothing recorded", held("e", time.Minute), nil, Recovery{}},
		{"not reaped, with the lease", held("e", time.Minute), []Recorded{executor},
			Recovery{End: []Recorded{executor}, Release: []string{"e"}, Slots: carried}},
		{"not reaped, without the lease", New(now), []Recorded{executor},
			Recovery{End: []Recorded{executor}, Slots: carried}},
		{"not reaped, the lease is another's", held("u", time.Minute), []Recorded{executor},
			Recovery{End: []Recorded{executor}, Slots: carried}},
		{"not reaped, the lease has lapsed", held("e", -time.Minute), []Recorded{executor},
			Recovery{End: []Recorded{executor}, Release: []string{"e"}, Slots: carried}},
		{"started, and not written down", New(now), []Recorded{unborn},
			Recovery{End: []Recorded{unborn}, Slots: carried}},
		{"reaped, not released", held("e", time.Minute), []Recorded{reaped},
			Recovery{Release: []string{"e"}, Slots: carried}},
		{"reaped and released", New(now), []Recorded{reaped}, Recovery{Slots: carried}},
		{"on another host, with the lease", held("e", time.Minute), []Recorded{foreign}, Recovery{Blocked: &foreign}},
		{"on another host, the lease has lapsed", held("e", -time.Minute), []Recorded{foreign},
			Recovery{Slots: carried}},
		{"on another host, without the lease", New(now), []Recorded{foreign}, Recovery{Slots: carried}},
		{"in a host", held("e", time.Minute), []Recorded{hosted}, Recovery{Adopt: []Slot{SlotExecutor}}},
		{"in a host, beside another", held("r", time.Minute), []Recorded{hosted, reviewer}, Recovery{
			Adopt: []Slot{SlotExecutor}, End: []Recorded{reviewer}, Release: []string{"r"},
			Slots: []Carried{{SlotReviewer, 2, 0}},
		}},
		{"two slots", held("r", time.Minute), []Recorded{executor, reviewer}, Recovery{
			End: []Recorded{executor, reviewer}, Release: []string{"r"},
			Slots: []Carried{{SlotExecutor, 4, 2}, {SlotReviewer, 2, 0}},
		}},
		{"one is in the way of all", held("e", time.Minute), []Recorded{reviewer, foreign},
			Recovery{Blocked: &foreign}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			before := c.w.Normalize()
			got := Recover(c.w, c.recorded, now)
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
			if !reflect.DeepEqual(before, c.w.Normalize()) {
				t.Error("the World was changed")
			}
		})
	}
}
