package conductor

import (
	"slices"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
)

// RefusedCall is a call that changed nothing. Numbers ascend.
type RefusedCall struct {
	Number uint64
	project.RefusedCall
}

// refusedKept is the number of refused calls that are kept for the screen.
const refusedKept = 100

// refusals are the refused calls that this conductor knows of. They are not on disk, so the
// next conductor knows only what the servers of running sessions still publish.
type refusals struct {
	all    []RefusedCall // oldest first
	newest map[string]time.Time
}

// add appends a call. Calls of two sessions may arrive in another order than they were
// refused in; their time tells which was first.
func (r *refusals) add(one project.RefusedCall) {
	number := uint64(1)
	if n := len(r.all); n > 0 {
		number = r.all[n-1].Number + 1
	}
	r.all = append(r.all, RefusedCall{number, one})
	if extra := len(r.all) - refusedKept; extra > 0 {
		r.all = slices.Clone(r.all[extra:])
	}
}

// addNew adds the calls that a session published since the last time.
func (r *refusals) addNew(session string, calls []project.RefusedCall) {
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

// addLast adds what a session published last, once it has ended. A file that cannot be read
// counts as empty.
func (r *refusals) addLast(p *project.Task, session string) {
	if last, ok, err := p.Presence(session); ok && err == nil {
		r.addNew(session, last.Refused)
	}
}

// addHere adds a command of the human in HQ, if err is a refusal.
func (r *refusals) addHere(command core.Command, err error) {
	if refusal := machine.AsRefusal(err); refusal != nil {
		r.add(project.NewRefused(time.Now().UTC().Round(0), command.By.ID, string(command.Kind), *refusal))
	}
}
