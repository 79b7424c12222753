package serve

import (
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ferrus/hq/advice"
	"ferrus/hq/core"
	"ferrus/machine"
)

// refusal is how a refusal is sent.
type refusal struct {
	Status core.Status `json:"status"`
	*machine.Refusal
	Failed  []machine.Failed `json:"failed"` // never null
	Options []machine.Option `json:"options"`
	Seq     uint64           `json:"seq"`
	Next    string           `json:"next,omitempty"`
}

// refused is the result that says why nothing happened.
func (s *server) refused(tool string, err error) (*mcp.CallToolResult, error) {
	r := refusal{Status: core.StatusRefused}
	if r.Refusal = machine.AsRefusal(err); r.Refusal == nil {
		s.log.Error("call", "error", err)
		return callResult(true, "ferrus could not do this: "+err.Error(),
			map[string]any{"status": core.StatusError, "message": err.Error()}, "")
	}
	if state, err := s.project.World(); err == nil {
		r.Seq, r.Next = state.Seq, advice.Next(state.World, s.who.role)
		if r.Machine != "task" {
			r.Next = "workflow_status"
		}
		if r.Refusal.State == "" {
			filled := *r.Refusal
			filled.State, filled.Options = state.World.State, core.OpenTransitions(state.World)
			r.Refusal = &filled
		}
	}
	s.presence.refused(tool, *r.Refusal)
	r.Failed, r.Options = r.Refusal.Failed, r.Refusal.Options
	if r.Failed == nil {
		r.Failed = []machine.Failed{}
	}
	if r.Options == nil {
		r.Options = []machine.Option{}
	}
	return callResult(true, r.Refusal.Error(), r, "")
}

// misuse refuses a call that never came to the table.
func (t tool) misuse(reason, expected string) error {
	return &machine.Refusal{
		Code: machine.GuardFailed, Machine: "task", Event: machine.Kind(t.name),
		Failed: []machine.Failed{{Guard: "arguments", Reason: reason, Expected: expected, Fix: "call " + t.name +
			" again with: " + expected}},
	}
}

// outsider refuses an unregistered session while one that a conductor
// started holds the lease: the two would work on each other's files.
func (s *server) outsider(t tool, by core.Actor) error {
	if by.Managed || t.reads && !parks[t.name] {
		return nil
	}
	state, err := s.project.World()
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
