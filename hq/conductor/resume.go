package conductor

import (
	"errors"
	"io/fs"
	"slices"

	"ferrus/hq/project"
	"ferrus/machine/session"
	"ferrus/store"
)

// goOnFile is a person's wish that nobody waits any longer, for the conductor.
const goOnFile = project.MessagesDir + "/go-on"

// GoOn ends the waits of all slots, for a vendor's limit or after an error, and has
// those go on that gave up; it returns whether there was a wait. A conductor that lives
// sees the wish; where there is none the waits are taken out of the registry.
func GoOn(p *project.Project) (waited bool, err error) {
	lock, err := p.Store.TryLock(LockName)
	if errors.As(err, new(*store.LockedError)) {
		r, err := p.Registry()
		if err != nil {
			return false, err
		}
		waited = endWaits(r)
		if !waited && !slices.ContainsFunc(r.Agents, func(e project.Entry) bool { return e.State == session.Stopped }) {
			return false, nil
		}
		return waited, p.Store.WriteFile(goOnFile, nil)
	}
	if err != nil {
		return false, err
	}
	defer lock.Close() //nolint:errcheck // it goes with the process at the latest
	r, err := p.Registry()
	if err != nil || !endWaits(r) {
		return false, err
	}
	return true, p.SaveRegistry(r)
}

// endWaits takes the waits out of a registry; false when there is none.
func endWaits(r project.Registry) (found bool) {
	for i := range r.Agents {
		found = found || r.Agents[i].Wait != nil
		r.Agents[i].Wait = nil
	}
	return found
}

// settleGoOn does what GoOn wishes.
func (c *Conductor) settleGoOn() {
	_, err := c.project.Store.ReadFile(goOnFile)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err = errors.Join(err, c.project.Store.Remove(goOnFile)); err != nil {
		c.once(err.Error())
		return
	}
	for name := range c.slots {
		c.revive(name)
	}
}
