package core

import (
	"fmt"

	"ferrus/machine/task"
)

// OpenAlarms returns the alarms of the submission while something has to be decided about it: it is
// reviewed, or approved and has not landed.
func (w World) OpenAlarms() []Alarm {
	decided := !w.IsIn(task.Reviewing) && !w.IsIn(task.Complete)
	if w.Submission == nil || decided || w.Task == nil || w.Task.Landed != nil {
		return nil
	}
	return w.Submission.Alarms
}

// HumanAlarms returns the alarms of the submission that only the human may approve.
func (w World) HumanAlarms() []Alarm {
	if w.Submission == nil {
		return nil
	}
	var all []Alarm
	for _, a := range w.Submission.Alarms {
		if a.NeedsHuman {
			all = append(all, a)
		}
	}
	return all
}

// AwaitsApproval reports whether a reviewer accepts the submission and only the human
// may approve it: no reviewer has anything left to do. A review of another tree than
// the present submission's does not count.
func (w World) AwaitsApproval() bool {
	s := w.Submission
	return w.State == task.Reviewing && s != nil && s.Review != nil && s.Review.Decision == StatusEndorsed &&
		s.Review.Tree == s.Tree
}

// IsFlaky reports whether the checks passed and failed on the tree that the task has submitted, or may submit.
func (w World) IsFlaky() bool { return w.snap().Data.Flaky }

// describeHumanAlarms returns the first alarm that only the human may approve, and how
// many more there are; empty if there is none.
func describeHumanAlarms(alarms []Alarm) string {
	var first *Alarm
	count := 0
	for i, a := range alarms {
		if a.NeedsHuman {
			if count++; first == nil {
				first = &alarms[i]
			}
		}
	}
	switch count {
	case 0:
		return ""
	case 1:
		return first.String()
	}
	return fmt.Sprintf("%s, and %d more", first, count-1)
}
