package tui

import (
	"fmt"
	"strings"
	"time"

	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/store"
	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// eventTones say which events stand out.
var eventTones = map[machine.Kind]style.Tone{
	core.KindCreateTask: style.Good, core.KindApprove: style.Good, core.KindReject: style.Warn, core.KindAskHuman: style.Warn, core.KindConsult: style.Warn,
	core.KindVoided: style.Warn, core.KindReturned: style.Warn, core.KindLanded: style.Good, core.KindHold: style.Warn, core.KindRetry: style.Good, core.KindReset: style.Warn,
	core.KindClaim: style.Dim, core.KindRelease: style.Dim, core.KindDeliver: style.Dim,
}

// activity is the journal as the screen shows it.
func activity(lines []store.Entry, zone *time.Location) []view.Entry {
	out := make([]view.Entry, 0, len(lines))
	var before time.Time
	for _, l := range lines {
		at := l.At.In(zone)
		e := view.Entry{EntryID: view.EntryID{Seq: l.Seq}, At: at.Format("15:04"), Clock: at.Format(time.TimeOnly), After: after(before, at), Day: at.Format("Monday, 2 January 2006"), Event: text.Sanitize(l.Event), By: who(l.By), Why: text.Sanitize(l.Why), Tone: eventTones[machine.Kind(l.Event)]}
		if l.From != l.To && l.To != "" {
			e.From, e.To = named(l.From), named(l.To)
		}
		if machine.Kind(l.Event) == core.KindChecked {
			verdict(&e)
		}
		out = append(out, e)
		before = at
	}
	return out
}

// after is the time between two entries, as somebody says it.
func after(before, at time.Time) string {
	d := at.Sub(before)
	switch {
	case before.IsZero() || d < 0:
		return ""
	case d < time.Second:
		return "+0s"
	case d < time.Minute:
		return fmt.Sprintf("+%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("+%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	case d < 100*time.Hour:
		return fmt.Sprintf("+%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("+%dd", int(d.Hours()/24))
}

// named is a state as it looks everywhere.
func named(state string) view.State {
	return view.State{Text: text.Sanitize(state), Tone: tones[machine.State(state)]}
}

// verdict words a gate's end: the verdict stands at the beginning of its why.
func verdict(e *view.Entry) {
	word, rest, _ := strings.Cut(e.Why, ":")
	e.Event, e.Why, e.Tone = "check "+word, strings.TrimSpace(rest), style.Bad
	if word == "PASS" {
		e.Tone = style.Good
	}
}

// who is the role in an agent's id.
func who(by string) string {
	role, _, _ := strings.Cut(by, ":")
	return text.Sanitize(role)
}
