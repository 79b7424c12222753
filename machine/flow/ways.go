package flow

import (
	"errors"
	"slices"

	"ferrus/machine"
)

// Way is a phase that a workflow can enter from the present one, with what is still missing.
type Way struct {
	To     machine.State    `json:"to"`
	By     []machine.Role   `json:"by"`
	Guards []string         `json:"guards"`
	Failed []machine.Failed `json:"missing,omitempty"` // empty: it is open
	Code   machine.Code     `json:"code,omitempty"`
}

// Ways returns the phases that can be entered from a snapshot, in the order of the
// table, each judged by facts for a role.
func (f *Flow) Ways(s Snap, by machine.Role, facts Facts) []Way {
	var all []Way
	for _, r := range f.Table.Rows {
		if !slices.Contains(r.From, s.At) || r.On != enterKind(r.To) || slices.ContainsFunc(all, func(w Way) bool {
			return w.To == r.To
		}) {
			continue
		}
		all = append(all, f.judgeRow(s, r, by, facts))
	}
	return all
}

// judgeRow judges one row. If the role may not take it, what is missing is described for
// a role that may.
func (f *Flow) judgeRow(s Snap, r row, by machine.Role, facts Facts) Way {
	w := Way{To: r.To, By: r.By}
	for _, g := range slices.Concat(r.When, r.If) {
		w.Guards = append(w.Guards, g.Name)
	}
	for _, role := range append([]machine.Role{by}, r.By...) {
		_, _, err := f.Table.Step(s, role, Enter{Facts: facts, To: r.To})
		var no *machine.Refusal
		if errors.As(err, &no) && no.Code == machine.NotYourRole {
			continue
		}
		if no != nil {
			w.Failed, w.Code = no.Failed, no.Code
		}
		return w
	}
	return w
}

// Next returns the first phase that ferrus itself can enter now; empty if something is
// missing for each.
func (f *Flow) Next(s Snap, facts Facts) machine.State {
	for _, w := range f.Ways(s, machine.Ferrus, facts) {
		if len(w.Failed) == 0 && slices.Contains(w.By, machine.Ferrus) {
			return w.To
		}
	}
	return ""
}
