package machine

import (
	"fmt"
	"slices"
	"strings"
)

// refuse describes why find returned a code: every guard that failed, once each and in the order of the
// rows, and the moves that are open instead. A guard with a code of its own (see
// [Guard].As) gives the refusal that code; of several the last one counts. It changes
// nothing and may be slow: a refusal is read by a human or a model.
func (t *Table[D]) refuse(s Snap[D], by Role, e Event, code Code) *Refusal {
	r := &Refusal{Code: code, Machine: t.Name, State: s.At, Event: e.Kind(), By: by, Options: t.Options(s)}
	switch code {
	case Stale:
		r.Failed = []Failed{t.late(s, e)}
		return r
	case GuardFailed:
	default:
		return r
	}
	for _, g := range t.unmet(s, by, e) {
		if slices.ContainsFunc(r.Failed, func(f Failed) bool { return f.Guard == g.Name }) {
			continue
		}
		if g.As != nil && g.As(s, e) != GuardFailed {
			r.Code = g.As(s, e)
		}
		r.Failed = append(r.Failed, g.fail(s, by, e))
	}
	return r
}

// fail describes a guard that does not hold, to the role that asked. A call is only
// suggested to a role that can make it.
func (g *Guard[D]) fail(s Snap[D], by Role, e Event) Failed {
	reason := g.Reason
	if g.Why != nil {
		reason = g.Why(s, e)
	}
	f := Failed{Guard: g.Name, Reason: reason, Expected: g.Expected, Fix: HonestFix(g.Fix, g.Fixer, by)}
	if g.Shape != nil {
		f.Shape = g.Shape(s, e)
	}
	if g.Suggest != nil && (len(g.Fixer) == 0 || slices.Contains(g.Fixer, by)) {
		f.Suggested = g.Suggest(s, e)
	}
	return f
}

// HonestFix returns a fix as a role should read it: the fix itself if the role can do
// it, or else who must act. Without a fixer everyone can. An agent that reads a fix it
// may not carry out tries it again and again.
func HonestFix(fix string, fixer []Role, by Role) string {
	if fix == "" || len(fixer) == 0 || slices.Contains(fixer, by) {
		return fix
	}
	return RoleNames(fixer) + " must act: " + fix
}

// late describes an event that answers what is no longer open.
func (t *Table[D]) late(s Snap[D], e Event) Failed {
	reason := "it answers what is no longer open"
	if t.LateWhy != nil {
		reason = t.LateWhy(s, e)
	}
	return Failed{Guard: "ticket-current", Reason: reason, Expected: "the number of what is open now"}
}

// Error returns the refusal in one sentence: what cannot be done where, why, how to fix
// it, and, if no fix helps here, what can be done instead. It names tools and states as
// they are spelled, so that an agent can act on it without the fields.
func (r *Refusal) Error() string {
	switch r.Code {
	case NotYourRole:
		return r.notYours()
	case NoSuchTransition, Final:
		return fmt.Sprintf("cannot %s while %s%s%s", r.Event, r.State, r.reasons(), r.open())
	case Stale:
		return fmt.Sprintf("%s comes too late%s", r.Event, r.reasons())
	}
	return fmt.Sprintf("cannot %s while %s%s", r.Event, r.State, r.reasons())
}

// notYours words a refusal by role; an empty role is a caller that named none.
func (r *Refusal) notYours() string {
	who := RoleNames([]Role{r.By})
	if r.By == "" {
		who = "the caller"
	}
	return fmt.Sprintf("%s may not %s while %s%s%s", who, r.Event, r.State, r.reasons(), r.open())
}

// reasons joins the failed guards, each with its fix in parentheses.
func (r *Refusal) reasons() string {
	var all []string
	for _, f := range r.Failed {
		reason := f.Reason
		if f.Fix != "" {
			reason += " (" + f.Fix + ")"
		}
		all = append(all, reason)
	}
	if len(all) == 0 {
		return ""
	}
	return ": " + strings.Join(all, "; ")
}

// open lists what the caller can do instead or, if that is nothing, what other roles
// can do. Nothing where no move is open to anyone.
func (r *Refusal) open() string {
	var mine, others []string
	for _, o := range r.Options {
		if slices.Contains(o.By, r.By) {
			mine = append(mine, string(o.Event))
		} else {
			others = append(others, fmt.Sprintf("%s (%s)", o.Event, RoleNames(o.By)))
		}
	}
	switch {
	case len(mine) > 0:
		return "; you can call now: " + strings.Join(mine, ", ")
	case len(others) > 0:
		return "; possible now: " + strings.Join(others, ", ")
	}
	return ""
}

// RoleNames names roles as a sentence does: "the executor or the human". Ferrus is a
// name and takes no article.
func RoleNames(roles []Role) string {
	names := make([]string, len(roles))
	for i, r := range roles {
		names[i] = "the " + string(r)
		if r == Ferrus {
			names[i] = string(r)
		}
	}
	return strings.Join(names, " or ")
}
