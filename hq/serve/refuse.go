package serve

import (
	"time"

	"ferrus/hq/core"
	"ferrus/machine"
)

// refusal is a refusal as clients get it.
type refusal struct {
	Status core.Status `json:"status"`
	*machine.Refusal
	Failed  []machine.Failed `json:"failed"`  // never null
	Options []machine.Option `json:"options"` // never null
	Seq     uint64           `json:"seq"`
	Next    string           `json:"next,omitempty"`
}

// newRefusal returns a refusal as it is sent. It is nil when err is another error.
func (c *conn) newRefusal(err error) *refusal {
	r := refusal{Status: core.StatusRefused, Refusal: machine.AsRefusal(err)}
	if r.Refusal == nil {
		return nil
	}
	if r.Machine == "task" || !c.placeInWorkflow(&r) {
		c.placeInTask(&r)
	}
	r.Failed = append([]machine.Failed{}, r.Refusal.Failed...)
	r.Options = append([]machine.Option{}, r.Refusal.Options...)
	return &r
}

// placeInTask completes a refusal with where the task stands; one without a state gets the
// task's.
func (c *conn) placeInTask(r *refusal) {
	state, err := c.project.World()
	if err != nil {
		return
	}
	r.Seq, r.Next = state.Seq, core.EndSession
	if r.Machine == "task" {
		r.Next = c.next(state.World)
	}
	if r.Refusal.State == "" {
		filled := *r.Refusal
		filled.State, filled.Options = state.World.State, core.OpenTransitions(state.World)
		r.Refusal = &filled
	}
}

// refuseUnmanaged refuses an unregistered session while one that a conductor
// started holds the lease: the two would work on each other's files.
func (c *conn) refuseUnmanaged(t tool, by core.Actor) error {
	if by.Managed || t.reads && !t.parks {
		return nil
	}
	state, err := c.project.World()
	if err != nil {
		return err
	}
	w := state.World
	if w.Claim == nil || !w.Claim.Managed || w.LeaseUntil == nil || !time.Now().Before(*w.LeaseUntil) {
		return nil
	}
	return &machine.Refusal{
		Code: machine.GuardFailed, Machine: "task", State: w.State, Event: machine.Kind(t.name), By: by.Role,
		Options: core.OpenTransitions(w),
		Failed: []machine.Failed{{
			Guard: "no-managed-session", Reason: w.ClaimedBy + ", which HQ started, holds the lease",
			Expected: "no running session that HQ started",
			Fix:      "leave the task to HQ, or ask the human to stop that session",
		}},
	}
}
