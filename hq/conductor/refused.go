package conductor

import (
	"slices"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
)

// RefusedCall is a call that changed nothing, with a number of its own: later ones have
// higher ones.
type RefusedCall struct {
	Number uint64
	project.Refused
}

// refusedKept is how many the screen gets.
const refusedKept = 100

// refusals are those that this conductor knows of. They are nowhere on the disk,
// so the next one knows only what the servers of living sessions still tell.
type refusals struct {
	all    []RefusedCall // oldest first
	newest map[string]time.Time
}

// add keeps one. Two sessions may be heard in another order than they were refused
// in; the time says which was first.
func (r *refusals) add(one project.Refused) {
	number := uint64(1)
	if n := len(r.all); n > 0 {
		number = r.all[n-1].Number + 1
	}
	r.all = append(r.all, RefusedCall{number, one})
	if extra := len(r.all) - refusedKept; extra > 0 {
		r.all = slices.Clone(r.all[extra:])
	}
}

// addNew takes in what the server of a session tells, once.
func (r *refusals) addNew(session string, calls []project.Refused) {
	for _, one := range calls {
		if one.At.After(r.newest[session]) {
			if r.newest == nil {
				r.newest = map[string]time.Time{}
			}
			r.newest[session] = one.At
			r.add(one)
		}
	}
}

// addLast takes in what a session tells of which there is no more than its file; one
// that cannot be read tells of nothing.
func (r *refusals) addLast(p *project.Project, session string) {
	if last, ok, err := p.Presence(session); ok && err == nil {
		r.addNew(session, last.Refused)
	}
}

// addHere keeps what the human was refused in HQ, if err is a refusal.
func (r *refusals) addHere(command core.Command, err error) {
	if refusal := machine.AsRefusal(err); refusal != nil {
		r.add(project.NewRefused(time.Now().UTC().Round(0), command.By.ID, string(command.Kind), *refusal))
	}
}
