package pager

import (
	"ferrus/ui/style"
	"ferrus/ui/view"
)

// AlarmBadge returns the look of a count of alarms.
func AlarmBadge(t *style.Theme, all view.Alarms) style.Paint {
	if len(all.NeedHuman()) > 0 {
		return t.Alarm
	}
	return t.Caution
}

// alarmTone returns the tone of one alarm.
func alarmTone(a *view.Alarm) style.Tone {
	if a.NeedsHuman {
		return style.Bad
	}
	return style.Warn
}

// alarmRows returns a list of alarms.
func alarmRows(t *style.Theme, all view.Alarms, w int) (rows []string) {
	for i := range all {
		a := &all[i]
		words := a.Words
		if a.Path != "" {
			words = pathTail(a.Where(), max(w/2, 2)) + ": " + words
		}
		left := style.Spans{{" !    " + words, t.Tones[alarmTone(a)]}}
		right := style.Spans{{"  needs you ", t.Faint}}
		if !a.NeedsHuman || left.Width()+right.Width() > w {
			right = nil
		}
		rows = append(rows, style.Row(w, left, right))
	}
	return rows
}
