package projection

import (
	"slices"
	"strings"
	"time"

	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine/session"
	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// places are the number and name of each slot on the screen. The planner's sessions are
// plan, spec, task and free, so it has the name of its role.
var places = map[core.Slot]struct {
	number int
	name   string
	short  string
	left   bool
}{
	core.SlotPlanner:    {1, "supervisor", "super", true},
	core.SlotExecutor:   {2, "executor", "exec", false},
	core.SlotConsultant: {3, "consultant", "consult", true},
	core.SlotReviewer:   {4, "reviewer", "review", true},

	"primary":   {7, "primary", "primary", false},
	"secondary": {8, "secondary", "second", true},
}

// panes returns the sessions as the screen shows them.
func panes(v conductor.View, now time.Time) []view.Pane {
	out := make([]view.Pane, 0, len(v.Panes))
	for _, p := range v.Panes {
		place := places[p.Slot]
		state, tone := sessionState(p, now)
		if p.Session == 0 { // of a pair
			state, tone = "waits for its turn", style.Dim
		}
		if p.Lives() && asksPermission(v, p.Slot) {
			state, tone = "waits for you", style.Warn
		}
		out = append(out, view.Pane{
			Slot: string(p.Slot), Left: place.left, Living: p.Lives(), Interactive: p.Interactive,
			Title: view.Title{
				Number: place.number, Name: place.name, Short: place.short, Bypass: p.Bypass, Status: state, Tone: tone,
				Agent: text.Sanitize(strings.TrimSpace(p.Agent+" "+p.Model) + sandboxed(p)),
			},
			Session: p.Session, Born: born(p).UnixNano(), Footer: footer(p), Terminal: p.Terminal,
			Message: messageTo(p.Slot, v.Messages),
		})
	}
	return out
}

// asksPermission reports whether the session of a slot waits for an answer to a request for permission.
func asksPermission(v conductor.View, slot core.Slot) bool {
	return slices.ContainsFunc(v.State.World.OpenPermissions(), func(r core.PermissionRequest) bool {
		return r.Slot == slot
	})
}

// born returns when a session started. Where that is not known, its state has to do.
func born(p conductor.PaneView) time.Time {
	if p.Started.IsZero() {
		return p.Since
	}
	return p.Started
}

// footer says how the last session ended, unless the title says as much.
func footer(p conductor.PaneView) string {
	switch {
	case p.Exit == "" || p.Exit == "done":
		return ""
	case p.Lives():
		return "previous session: " + text.Sanitize(p.Exit)
	}
	return text.Sanitize(p.Exit)
}

// maxMessage bounds what is shown of a message, in bytes: a border has one row.
const maxMessage = 1 << 10

// messageTo returns your newest message to a slot, until a session has acted on it.
func messageTo(slot core.Slot, all []project.Message) string {
	for _, m := range slices.Backward(all) {
		words := strings.TrimSpace(text.Sanitize(m.Text[:min(len(m.Text), maxMessage)]))
		switch {
		case m.Slot != slot:
		case m.Given == "":
			return "you, not delivered yet: " + words
		default:
			return "you: " + words
		}
	}
	return ""
}

// sessionState describes the state of the session machine.
func sessionState(p conductor.PaneView, now time.Time) (string, style.Tone) {
	since := minutes(now.Sub(p.Since))
	switch p.State {
	case session.Running:
		return "running " + since, style.Busy
	case session.Spawning:
		return "starting " + since, style.Busy
	case session.Initializing, session.BuildingPrompt:
		switch {
		case p.Stopping:
			return "ending", style.Warn
		case !p.Wanted:
			return "not running", style.Dim
		}
		return "starting", style.Dim
	case session.Interrupting:
		return "interrupting " + since, style.Warn
	case session.CoolingDown:
		state := "restarts in " + countdown(p.Until.Sub(now))
		if p.Limit != "" {
			state = "usage limit, " + state
		}
		return state, style.Warn
	case session.SessionComplete:
		if p.Stopping {
			return "ending", style.Dim
		}
		return "done", style.Good
	case session.Stopped:
		return stoppedState(p)
	}
	return string(p.State), style.Dim
}

func stoppedState(p conductor.PaneView) (string, style.Tone) {
	switch {
	case p.Stopping:
		return "stopping", style.Warn
	case p.Errors > 0:
		return "stopped after errors", style.Bad
	}
	return "stopped", style.Dim
}
