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
		left := style.Spans{{" !    " + a.Words, t.Tones[alarmTone(a)]}, {"  ", ""}}
		left = append(left, style.Span{pathTail(a.Where(), max(w-left.Width()-1, 2)), ""})
		right := style.Spans{{"  needs you ", t.Faint}}
		if !a.NeedsHuman || left.Width()+right.Width() > w {
			right = nil
		}
		rows = append(rows, style.Row(w, left, right))
	}
	return rows
}
