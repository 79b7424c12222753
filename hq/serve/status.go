package serve

import (
	"fmt"
	"time"

	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/machine"
)

// taskStatus is what status answers besides the keys of every result.
type taskStatus struct {
	*core.Result
	Task          string           `json:"task,omitempty"`
	TaskTitle     string           `json:"title,omitempty"`
	CheckRetries  core.Count       `json:"check_retries"`
	ReviewCycles  core.Count       `json:"review_cycles"`
	FailureReason string           `json:"failure_reason,omitempty"`
	ClaimedBy     string           `json:"claimed_by,omitempty"`
	LeaseUntil    *time.Time       `json:"lease_until,omitempty"`
	Verdict       checks.Verdict   `json:"verdict,omitempty"`
	Hold          string           `json:"hold,omitempty"`
	Options       []machine.Option `json:"options"`
	AgentID       string           `json:"agent_id"`
}

func showStatus(c *toolCall) (*outcome, error) {
	c.renew()
	state, limits, err := c.now()
	if err != nil {
		return nil, err
	}
	w := state.World
	c.seen.see(w)
	base := c.standing(core.StatusOK, state)
	full := taskStatus{
		Result: &base, FailureReason: w.FailureReason, ClaimedBy: w.ClaimedBy, LeaseUntil: w.LeaseUntil,
		CheckRetries: core.Count{Used: w.CheckRetries, Limit: limits.CheckRetries},
		ReviewCycles: core.Count{Used: w.ReviewCycles, Limit: limits.ReviewCycles},
		Options:      core.OpenTransitions(w), AgentID: c.who.id,
	}
	if w.Task != nil {
		full.Task, full.TaskTitle = w.Task.ID, w.Task.Title
	}
	if w.Gate != nil {
		full.Verdict = w.Gate.Verdict
	}
	if w.Hold != nil {
		full.Hold = w.Hold.Reason
	}
	return &outcome{base: &base, full: full}, nil
}

func renewLease(c *toolCall) (*outcome, error) {
	if id := c.arguments["agent_id"]; id != "" && id != c.who.id {
		return nil, c.tool.badArgs(fmt.Sprintf("agent_id is %s, but this session is %s", id, c.who.id), "agent_id "+
			c.who.id+", or none")
	}
	r, err := c.do(core.Command{Kind: core.KindHeartbeat})
	if err != nil {
		return nil, err
	}
	if r.Claimed == nil {
		r.Claimed = &core.Claimed{}
	}
	if config, err := c.project.Config(); err == nil {
		r.Claimed.Heartbeat = config.Lease.HeartbeatIntervalSecs
	}
	if state, err := c.project.World(); err == nil {
		r.Claimed.ClaimedBy, r.Claimed.LeaseUntil = state.World.ClaimedBy, state.World.LeaseUntil
	}
	r.Status = core.StatusRenewed
	return result(r, nil)
}
