package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/store"
)

// Repair rebuilds what something proves, and says in sentences what it did and
// what it had to leave. A living conductor keeps it out: the error is
// *store.LockedError. It is one only for who may change the state: inside a session it
// is refused by the caller.
func Repair(ctx context.Context, dir string, o Options) (store.Repaired, error) {
	p, err := newInspection(dir, o)
	if err != nil {
		return store.Repaired{}, err
	}
	all := store.Repaired{}
	modes, err := p.modes()
	if err != nil {
		return all, err
	}
	all.Fixed = append(all.Fixed, modes...)
	lock, err := p.Store.TryLock(project.ConductorLock)
	if err != nil {
		return all, err
	}
	defer lock.Close() //nolint:errcheck // the lock goes with the process at the latest
	done, err := p.Store.Repair(ctx, core.World.Validate)
	all.Fixed, all.Unfixed = append(all.Fixed, done.Fixed...), append(all.Unfixed, done.Unfixed...)
	if err != nil {
		return all, err
	}
	done, err = p.repairRecords(ctx)
	all.Fixed, all.Unfixed = append(all.Fixed, done.Fixed...), append(all.Unfixed, done.Unfixed...)
	if err != nil {
		return all, err
	}
	did, err := p.tidy()
	all.Fixed = append(all.Fixed, did...)
	return all, err
}

// modes sets the modes that let others in. It comes before the lock: a mode can
// be what keeps from taking it, and is no change of the state.
func (p *inspection) modes() (did []string, err error) {
	before, err := p.Store.CheckFiles(true)
	for _, o := range before {
		if o.Mode != 0 {
			did = append(did, fmt.Sprintf(".ferrus/%s has mode %04o again", o.Name, o.Mode))
		}
	}
	return did, err
}

// tidy removes what ended sessions left, and a registry that cannot be read: the next
// conductor starts with an empty one.
func (p *inspection) tidy() (did []string, err error) {
	r, err := p.Registry()
	if damaged(err) {
		data, encoded := json.Marshal(project.Registry{Agents: []project.SessionRecord{}, Wants: []core.Request{}})
		if err := errors.Join(encoded, p.Store.Quarantine("agents.json", append(data, '\n'))); err != nil {
			return did, err
		}
		did = append(did, "agents.json was rebuilt empty: it could not be read; look for agents that it named and "+
			"that are still running")
	} else if err != nil {
		return did, err
	}
	if damaged(p.gateDamage()) {
		if err := p.Store.Quarantine(gateFile, []byte("{}\n")); err != nil {
			return did, err
		}
		did = append(did, "run/gate.json was rebuilt empty: it could not be read; look for check commands that are "+
			"still running")
	}
	for _, name := range p.leftovers(r) {
		if err := p.Store.Remove(name); err != nil {
			return did, err
		}
		did = append(did, name+" was removed: its session is gone")
	}
	return did, nil
}

// damaged says that a file was read and is no JSON of the kind it should be.
func damaged(err error) bool {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	return errors.As(err, &syntax) || errors.As(err, &kind)
}
