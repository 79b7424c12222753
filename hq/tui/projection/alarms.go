package projection

import (
	"strconv"
	"strings"

	"ferrus/hq/core"
	"ferrus/machine/task"
	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// shownAlarms returns alarms as the screen shows them.
func shownAlarms(found []core.Alarm) (all view.Alarms) {
	for _, a := range found {
		shown := view.Alarm{Rule: text.Sanitize(a.Rule), Words: text.Sanitize(a.Words), Path: text.Sanitize(a.Path),
			NeedsHuman: a.NeedsHuman}
		for _, line := range a.Lines {
			if at, ok := alarmLine(line); ok {
				shown.Lines = append(shown.Lines, at)
			}
		}
		all = append(all, shown)
	}
	return all
}

// alarmLine reads a line of an alarm as package checks/tamper writes it: +31: t.Skip()
func alarmLine(line string) (at view.AlarmLine, ok bool) {
	number, _, found := strings.Cut(line, ": ")
	if !found || number == "" || !strings.Contains("+-", number[:1]) {
		return at, false
	}
	n, err := strconv.Atoi(number[1:])
	return view.AlarmLine{Number: n, Removed: number[0] == '-'}, err == nil && n > 0
}

// showAlarms puts the alarms into a View. A gate that passed is no reason to approve
// while there is one.
func showAlarms(v *view.View, all view.Alarms) {
	v.Check.Alarms = all
	if len(all) == 0 {
		return
	}
	if v.Check.Tone == style.Good {
		v.Check.Tone = style.Warn
	}
	if v.Status.State.Text == string(task.Reviewing) {
		v.Hint = "/approve: " + all.String()
	}
}

// markAlarms puts alarms into the journal: the submission that raised them stands out, and the gate
// that passed before it does not.
func markAlarms(entries []view.Entry, all view.Alarms) {
	if len(all) == 0 {
		return
	}
	for i := len(entries) - 1; i >= 0; i-- {
		switch e := &entries[i]; e.Event {
		case wordsOf(string(core.KindSubmit)):
			if e.Refused == 0 {
				e.Tone, e.Why = style.Bad, all.String()
			}
		case passed:
			e.Tone = style.Warn
			return
		}
	}
}
