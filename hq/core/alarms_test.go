package core

import (
	"testing"

	"ferrus/machine"
	"ferrus/machine/task"
)

// Alarms count until something was decided about the submission: by a rejection or a landing.
func TestOpenAlarms(t *testing.T) {
	for at, want := range map[machine.State]int{task.Executing: 0, task.Addressing: 0, task.Failed: 0,
		task.Reviewing: 1, task.Complete: 1} {
		w := World{Task: &Task{}, Submission: &Submission{Alarms: []Alarm{{Rule: "tests-skipped"}}}}
		w.State = at
		if got := len(w.OpenAlarms()); got != want {
			t.Errorf("%s: %d open alarms, want %d", at, got, want)
		}
		w.Task.Landed = &Landed{}
		if got := len(w.OpenAlarms()); got != 0 {
			t.Errorf("%s, and landed: %d", at, got)
		}
	}
}
