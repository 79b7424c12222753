package clients

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"ferrus/agent"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/project"
	"ferrus/machine/task"
	"ferrus/store"
)

// sessions returns the client's ended sessions.
func (r *round) sessions() []project.Ended {
	p, err := project.Inspect(r.dir(), "", agent.Names()...)
	if err != nil {
		return nil
	}
	all, err := p.Ended("")
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(all, func(e project.Ended) bool { return e.Slot != core.SlotExecutor })
}

// failedTwice reports whether two sessions have ended before ferrus accepted a call of any: the next ones
// would, too.
func failedTwice(ended []project.Ended) bool {
	return len(ended) >= 2 && !slices.ContainsFunc(ended, func(e project.Ended) bool { return e.Accepted })
}

// judge reads what the round left.
func (r *round) judge(ctx context.Context, out string) {
	dir, err := store.Open[core.World](r.dir())
	if err != nil {
		r.result.Failure = err.Error()
		return
	}
	state, err := dir.Load()
	if err != nil {
		r.result.Failure = err.Error()
		return
	}
	w := state.World
	r.result.Works = w.State == task.Reviewing
	switch {
	case len(w.AnsweredPermissions()) > 0:
		r.result.Permission = Asks
	case r.result.Works:
		r.result.Permission = Silent
	}
	if sessions := r.sessions(); len(sessions) > 0 {
		last := sessions[len(sessions)-1]
		r.result.Usage, r.result.Sandbox = last.Usage, last.Sandbox
		r.result.FirstCall = firstCall(dir, sessions)
	}
	if !r.result.Works {
		r.result.Failure = r.failure(ctx, w, out)
	}
}

// failure says why a round did not end: what the model missed, what holds the task, or what ferrus
// said last.
func (r *round) failure(ctx context.Context, w core.World, out string) string {
	if all := r.model.Complaints(); len(all) > 0 {
		return all[0]
	}
	cause := lastLine(linesOf(out, "ferrus: the executor "))
	cause = cmp.Or(strings.TrimPrefix(cause, "ferrus: "), lastLine(out))
	if w.Hold != nil && w.Hold.Cause != "" {
		cause = w.Hold.Cause
	}
	if errors.Is(context.Cause(ctx), errCutOff) {
		r.result.Slow = gate.Loaded()
		cause = r.result.cutOff(len(r.model.Requests()) > 0)
	}
	return cmp.Or(cause, "it did not submit the task")
}

// cutOff says how far a round came that was cut off, and what its user can make of that.
func (r *Result) cutOff(called bool) string {
	reached := "it never called the model"
	switch {
	case r.FirstCall > 0:
		reached = "it took the task, and did not submit it"
	case called:
		reached = "it called the model, but not ferrus's tools"
	}
	reached = "cut off: " + reached
	if r.Slow {
		reached += "; other work loads this machine, so it may only be slow: try again when there is less"
	}
	return reached
}

// linesOf returns the lines of a text that begin with something.
func linesOf(text, prefix string) string {
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(l string) bool { return !strings.HasPrefix(l, prefix) })
	return strings.Join(lines, "\n")
}

// lastLine returns the last non-blank line, cut to 200 bytes.
func lastLine(text string) string {
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(l string) bool { return strings.TrimSpace(l) == "" })
	if len(lines) == 0 {
		return ""
	}
	line := strings.TrimSpace(lines[len(lines)-1])
	return line[:min(len(line), 200)]
}

// firstCall returns the seconds from the start of a session to the call with which it took the task.
func firstCall(dir *store.Dir[core.World], sessions []project.Ended) float64 {
	lines, err := dir.Journal(0)
	if err != nil {
		return 0
	}
	for _, l := range lines {
		for _, s := range sessions {
			if l.Event == string(core.KindClaim) && l.Session == s.Session {
				return seconds(l.At.Sub(s.Started))
			}
		}
	}
	return 0
}
