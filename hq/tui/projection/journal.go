package projection

import (
	"slices"
	"strings"
	"time"

	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/machine/task"
	"ferrus/store"
	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// stateTones say how each state of the task looks.
var stateTones = map[machine.State]style.Tone{
	task.Idle: style.Dim, task.Executing: style.Busy, task.Checking: style.Busy, task.Addressing: style.Busy,
	task.Reviewing: style.Busy, task.Consultation: style.Warn, task.AwaitingHuman: style.Warn,
	task.Complete: style.Good,
	task.Failed:   style.Bad,
}

// eventTones say which events stand out.
var eventTones = map[machine.Kind]style.Tone{
	core.KindCreateTask: style.Good, core.KindApprove: style.Good, core.KindLanded: style.Good,
	core.KindRetry:  style.Good,
	core.KindReject: style.Warn, core.KindAskHuman: style.Warn, core.KindConsult: style.Warn,
	core.KindVoided:   style.Warn,
	core.KindReturned: style.Warn, core.KindRejudge: style.Warn, core.KindBaseRed: style.Warn,
	core.KindHold: style.Warn, core.KindReset: style.Warn,
	core.KindClaim: style.Dim, core.KindRelease: style.Dim, core.KindDeliver: style.Dim,
}

// handling has the texts of the events with which agents and ferrus pass work and answers to each
// other. Only the log shows them.
var handling = []string{wordsOf(string(core.KindClaim)), wordsOf(string(core.KindRelease)),
	wordsOf(string(core.KindDeliver)), wordsOf(string(core.KindWaitForConsult))}

// isHandling reports whether an entry is in the log only.
func isHandling(e view.Entry) bool {
	walls := e.Event == wordsOf(string(core.KindNoted)) && strings.Contains(e.Why, " runs in a sandbox (")
	return e.Refused == 0 && (walls || slices.Contains(handling, e.Event)) // the title of the pane names the walls
}

// dayFormat is the heading of a day in the log.
const dayFormat = "Monday, 2 January 2006"

// activity returns the journal as the screen shows it.
func activity(lines []store.Entry, zone *time.Location) []view.Entry {
	out := make([]view.Entry, 0, len(lines))
	var before time.Time
	for _, l := range lines {
		at := l.At.In(zone)
		e := view.Entry{
			EntryID: view.EntryID{Seq: l.Seq}, At: at.Format("15:04"), Clock: at.Format(time.TimeOnly),
			After: between(before, at),
			Day:   at.Format(dayFormat), Event: wordsOf(l.Event), By: roleOf(l.By), Why: text.Sanitize(l.Why),
			Tone: eventTones[machine.Kind(l.Event)],
		}
		if l.From != l.To && l.To != "" {
			e.From, e.To = stateOf(l.From), stateOf(l.To)
		}
		if machine.Kind(l.Event) == core.KindChecked {
			addVerdict(&e)
		}
		out = append(out, e)
		before = at
	}
	return out
}

// stateOf returns a state as it looks everywhere.
func stateOf(state string) view.State {
	return view.State{Text: text.Sanitize(state), Tone: stateTones[machine.State(state)]}
}

// passed is the event of a gate that passed, in words.
const passed = "check " + string(checks.Pass)

// addVerdict puts a gate's verdict beside the event: it begins the why.
func addVerdict(e *view.Entry) {
	verdict, rest, _ := strings.Cut(e.Why, ":")
	e.Event, e.Why, e.Tone = "check "+verdict, strings.TrimSpace(rest), style.Bad
	switch checks.Verdict(verdict) {
	case checks.Pass:
		e.Tone = style.Good
	case checks.Flaky:
		e.Tone = style.Warn
	}
}

// wordsOf returns the name of an event for reading.
func wordsOf(event string) string {
	switch machine.Kind(event) {
	case core.KindBaseRed:
		return "base fails"
	case core.KindAskHuman:
		return "ask you"
	case core.KindPin:
		return "choose agent"
	case core.KindNoted:
		return "note"
	}
	return strings.ReplaceAll(text.Sanitize(event), "_", " ")
}

// roleOf returns the role in an agent's id; you have none.
func roleOf(by string) string {
	role, _, _ := strings.Cut(by, ":")
	return text.Sanitize(core.NameOf(role))
}
