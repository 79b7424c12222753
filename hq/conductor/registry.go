package conductor

import (
	"cmp"
	"errors"

	"ferrus/hq/core"
	"ferrus/hq/project"
)

// registry writes agents.json: what the next conductor must know if this one dies.
type registry struct {
	*observed
	slots slots
	wants requests
	saved string // what was written last, as JSON
}

// save writes the registry if it differs from what was written last. It reports its error
// to the human, and schedules another try.
func (r *registry) save() error {
	now := project.Registry{Agents: []project.SessionRecord{}, Wants: r.wants}
	for _, name := range core.Slots {
		if e := r.slots[name].Record(); e.Session != "" {
			now.Agents = append(now.Agents, e)
		}
	}
	encoded := now.Encoded()
	if encoded == r.saved {
		return r.unwritable()
	}
	if err := r.project.SaveRegistry(now); err != nil {
		r.reportError(err)
		return cmp.Or(r.unwritable(), err)
	}
	r.saved, r.writeError = encoded, nil
	return nil
}

// unwritable returns why the disk takes no writes; nil: the last one succeeded.
func (r *registry) unwritable() error {
	if r.writeError == nil {
		return nil
	}
	return errors.New(r.fault())
}
