package machine

import (
	"fmt"
	"slices"
	"strings"
)

// refuse puts a denial into words: every guard that failed, once each, and what
// is open instead. A guard with a code of its own gives the refusal that code.
func (t *Table[D]) refuse(s Snap[D], by Role, e Event, no *denial[D]) *Refusal {
	r := &Refusal{Code: no.code, Machine: t.Name, State: s.At, Event: e.Kind(), By: by, Options: t.Options(s)}
	if no.code == Stale {
		r.Failed = []Failed{t.late(s, e)}
	}
	for _, g := range no.unmet {
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

// HonestFix is a fix as by may be told: the fix itself if by can do it, else who
// must.
func HonestFix(fix string, fixer []Role, by Role) string {
	if fix == "" || len(fixer) == 0 || slices.Contains(fixer, by) {
		return fix
	}
	return RoleNames(fixer) + " must act: " + fix
}

func (t *Table[D]) late(s Snap[D], e Event) Failed {
	reason := "it answers what is no longer open"
	if t.LateWhy != nil {
		reason = t.LateWhy(s, e)
	}
	return Failed{Guard: "ticket-current", Reason: reason, Expected: "the number of what is open now"}
}

// Error is the refusal in one sentence.
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

func (r *Refusal) notYours() string {
	who := RoleNames([]Role{r.By})
	if r.By == "" {
		who = "the caller"
	}
	return fmt.Sprintf("%s may not %s while %s%s%s", who, r.Event, r.State, r.reasons(), r.open())
}

func (r *Refusal) reasons() string {
	var all []string
	for _, f := range r.Failed {
		words := f.Reason
		if f.Fix != "" {
			words += " (" + f.Fix + ")"
		}
		all = append(all, words)
	}
	if len(all) == 0 {
		return ""
	}
	return ": " + strings.Join(all, "; ")
}

// open lists what the caller can do instead, or who can do something.
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
		return "; open to you now: " + strings.Join(mine, ", ")
	case len(others) > 0:
		return "; open now: " + strings.Join(others, ", ")
	}
	return ""
}

// RoleNames names roles as a sentence does: the executor or the person.
func RoleNames(roles []Role) string {
	words := make([]string, len(roles))
	for i, r := range roles {
		words[i] = "the " + string(r)
		switch r {
		case Human:
			words[i] = "the person"
		case Ferrus:
			words[i] = "ferrus"
		}
	}
	return strings.Join(words, " or ")
}
