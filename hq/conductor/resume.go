package conductor

import (
	"context"
	"errors"
	"slices"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/session"
	"ferrus/store"
)

// resumeFile asks the conductor to end every wait, by its existence, and to stop the session
// whose id it has.
const resumeFile = project.MessagesDir + "/go-on"

// TakeLease takes the lease from its holder as the human, and asks the conductor, if there is
// one, to stop that session if it is its own. It returns the name of the holder; empty:
// there was none.
func TakeLease(ctx context.Context, p *project.Task) (holder string, err error) {
	state, err := p.World()
	if err != nil || !state.World.IsClaimed() {
		return "", err
	}
	_, err = p.Do(ctx, store.Call{}, core.Command{Kind: core.KindRelease, By: project.HumanOf(ctx)})
	if claim := state.World.Claim; err == nil && claim != nil && claim.Managed {
		err = p.Store.WriteFile(resumeFile, []byte(claim.Session))
	}
	return state.World.ClaimedBy, err
}

// ResumeAll ends the waits of all slots, for a usage limit or after an error, and restarts
// slots that gave up; it reports whether there was a wait. It asks the conductor of the
// project; without one it removes the waits from the registry itself.
func ResumeAll(ctx context.Context, p *project.Task) (waited bool, err error) {
	continued, err := continueQueue(ctx, p)
	if err != nil {
		return false, err
	}
	waited, err = resumeSlots(p)
	return waited || continued, err
}

// resumeSlots is ResumeAll for the slots of one task.
func resumeSlots(p *project.Task) (waited bool, err error) {
	lock, err := p.Store.TryLock(project.ConductorLock)
	if errors.As(err, new(*store.LockedError)) {
		r, err := p.Registry()
		if err != nil {
			return false, err
		}
		waited = endWaits(r)
		stopped := func(e project.SessionRecord) bool { return e.State == session.Stopped }
		if !waited && !slices.ContainsFunc(r.Agents, stopped) {
			return false, nil
		}
		return waited, p.Store.WriteFile(resumeFile, nil)
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

// endWaits removes the waits from a registry, and reports whether there were any.
func endWaits(r project.Registry) (found bool) {
	for i := range r.Agents {
		found = found || r.Agents[i].Wait != nil
		r.Agents[i].Wait = nil
	}
	return found
}
