package conductor

import (
	"cmp"
	"encoding/json"
	"errors"

	"ferrus/hq/core"
	"ferrus/hq/project"
)

// registry writes agents.json: what the next conductor must know if this one dies.
type registry struct {
	*observed
	slots slots
	wants requests
	saved string // as it was last written
}

// save writes the registry when it differs from what is on the disk. Its error is
// known to the human then, and the disk is tried again.
func (r *registry) save() error {
	now := project.Registry{Wants: r.wants}
	for _, name := range core.Slots {
		if e := r.slots[name].Record(); e.Session != "" {
			now.Agents = append(now.Agents, e)
		}
	}
	data, err := json.Marshal(now)
	if err != nil {
		return err // cannot be: the registry is plain data
	}
	if string(data) == r.saved {
		return r.unwritable()
	}
	if err := r.project.SaveRegistry(now); err != nil {
		r.disk.reportError(err)
		return cmp.Or(r.unwritable(), err)
	}
	r.saved, r.disk.fault = string(data), nil
	return nil
}

// unwritable returns why the disk takes nothing; nil: it did, when it was tried last.
func (r *registry) unwritable() error {
	if r.disk.fault == nil {
		return nil
	}
	return errors.New(r.fault())
}
