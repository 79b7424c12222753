package project

import (
	"ferrus/hq/core"
	"ferrus/store"
)

// recordRead is how many events are searched for one that continued the record.
const recordRead = 5000

// RecordAlarms returns an alarm for each time that the record of the open task was repaired,
// moved, copied or restored. A repair needs the human whatever the configuration says; of
// the others the human was asked.
func (t *Task) RecordAlarms() []core.Alarm {
	state, err := t.World()
	if err != nil {
		return nil // Then nothing is committed either.
	}
	lines, err := t.Store.Journal(max(state.Seq, recordRead) - recordRead)
	if err != nil {
		return []core.Alarm{{Rule: "record", Path: ".ferrus/journal.jsonl", NeedsHuman: true,
			Words: "it cannot be read: " + err.Error()}}
	}
	var all []core.Alarm
	for _, c := range Continued(lines) {
		all = append(all, core.Alarm{Rule: "record", Path: ".ferrus", Words: c.Why, NeedsHuman: c.Damaged})
	}
	return all
}

// Continuation is an event that continued a record which was not as ferrus left it.
type Continuation struct {
	Why     string
	Damaged bool // it did not hold together
}

// Continued returns the continuations among some events, since the newest task was
// created.
func Continued(lines []store.Entry) (all []Continuation) {
	for _, l := range lines {
		switch l.Event {
		case string(core.KindCreateTask):
			all = nil
		case store.EventRepair:
			all = append(all, Continuation{"ferrus doctor --repair continued a damaged record: " + l.Why, true})
		case store.EventAdopt:
			all = append(all, Continuation{Why: "you trusted this record: " + l.Why})
		}
	}
	return all
}
