package view

import (
	"fmt"

	"ferrus/ui/text"
)

// Alarm is a change of the submission that may weaken the checks.
type Alarm struct {
	Rule       string // skip-added
	Words      string // tests are skipped
	Path       string // empty: it is about no file
	Lines      []AlarmLine
	NeedsHuman bool // only the human may approve it
}

// AlarmLine is a line of the change that raised an alarm.
type AlarmLine struct {
	Number  int
	Removed bool // it is gone: the number counts in the old file
}

// Where returns the first place that an alarm is about: retry_test.go:31.
func (a *Alarm) Where() string {
	if a.Path == "" || len(a.Lines) == 0 {
		return a.Path
	}
	return fmt.Sprintf("%s:%d", a.Path, a.Lines[0].Number)
}

// String returns the alarm in one line: retry_test.go:31: tests are skipped.
func (a *Alarm) String() string {
	if where := a.Where(); where != "" {
		return where + ": " + a.Words
	}
	return a.Words
}

// Alarms are a submission's alarms, first the ones that only the human may approve.
type Alarms []Alarm

// String counts the alarms and says the first: 2 alarms: retry_test.go:31: tests are skipped.
// It is empty where there is none.
func (a Alarms) String() string {
	if len(a) == 0 {
		return ""
	}
	return a.Count() + ": " + a[0].String()
}

// Count counts the alarms: 2 alarms.
func (a Alarms) Count() string { return text.Count(len(a), "alarm") }

// NeedHuman returns the alarms that only the human may approve.
func (a Alarms) NeedHuman() (some Alarms) {
	for _, one := range a {
		if one.NeedsHuman {
			some = append(some, one)
		}
	}
	return some
}

// Of returns the alarms about a file; an empty path is those about none.
func (a Alarms) Of(path string) (some Alarms) {
	for _, one := range a {
		if one.Path == path {
			some = append(some, one)
		}
	}
	return some
}
