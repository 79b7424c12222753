package ui

import (
	"ferrus/ui/pager"
	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// statusBar returns the first row. On a narrow screen it drops the least important first: the
// branch and the usage, the time, the length of the project's name, "ferrus", and at last all
// counters but the most important one, which is the number of tasks if there are several.
func statusBar(t *style.Theme, v *view.View, w int) string {
	s := &v.Status
	for drop := -1; ; drop++ {
		left, right, tail := statusLeft(t, v, drop), statusState(t, s, v.Check.Alarms), statusTail(t, s, drop)
		room := w - left.Width() - right.Width() - tail.Width() - 4
		title := min(text.Width(s.Title), 16)
		if drop < 0 { // what was used is only there beside a whole title
			title = text.Width(s.Title)
		}
		if room < title && drop < 5 || room < 0 && drop < 6 {
			continue
		}
		if s.Title != "" && room > 4 {
			right = append(right, style.Span{"  " + text.Cut(s.Title, room), t.Strong})
		}
		return style.Row(w, left, append(right, tail...))
	}
}

func statusLeft(t *style.Theme, v *view.View, drop int) style.Spans {
	s := &v.Status
	project := s.Project
	if drop > 1 {
		project = text.Cut(project, 16)
	}
	left := style.Spans{{" ", ""}}
	if drop <= 2 {
		left = append(left, style.Span{"ferrus  ", t.Faint})
	}
	left = append(left, style.Span{project, ""})
	if v.LooksOn {
		left = append(left, style.Span{"  watching", t.Tones[style.Busy]})
	}
	if drop < 1 && s.Branch != "" {
		left = append(left, style.Span{"  " + s.Branch, t.Faint})
	}
	return left
}

// statusState returns the state, behind what has to be seen first: a hold, and alarms.
func statusState(t *style.Theme, s *view.Status, alarms view.Alarms) (state style.Spans) {
	badge := func(words string, look style.Paint) {
		state = append(state, style.Span{" " + words + " ", look}, style.Span{" ", ""})
	}
	if s.Alert.Text != "" {
		look := t.Caution
		if s.Alert.Tone == style.Bad {
			look = t.Alarm
		}
		badge(s.Alert.Text, look)
	}
	if len(alarms) > 0 {
		badge(alarms.Count(), pager.AlarmBadge(t, alarms))
	}
	return append(state, style.Span{"● " + s.State.Text, t.Tones[s.State.Tone]})
}

func statusTail(t *style.Theme, s *view.Status, drop int) (tail style.Spans) {
	add := func(words string, look style.Paint) { tail = append(tail, style.Span{"   " + words, look}) }
	if s.Tasks != "" && drop < 6 {
		add(s.Tasks, t.Strong)
	} else if s.Counter != "" && drop == 4 {
		add(s.Counter, t.Faint)
	}
	if s.Checks != "" && drop < 4 {
		add("checks "+s.Checks+"  reviews "+s.Reviews, t.Faint)
	}
	if s.Rounds != "" && drop < 4 {
		add(s.Rounds, t.Faint)
	}
	if s.Sandbox.Text != "" && (drop < 1 || s.Sandbox.Tone != style.Dim && drop < 4) {
		add(s.Sandbox.Text, t.Tones[s.Sandbox.Tone])
	}
	if s.Used != "" && drop < 0 {
		add(s.Used, t.Faint)
	}
	if s.Elapsed != "" && drop < 2 {
		add(s.Elapsed, t.Faint)
	}
	return append(tail, style.Span{" ", ""})
}
