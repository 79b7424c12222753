package project

import (
	"time"

	"ferrus/machine"
	"ferrus/ui/text"
)

// RefusedCall is a refused call. It is not in the journal: the server of a session reports
// the newest in its [Presence], and HQ keeps them in memory.
type RefusedCall struct {
	At      time.Time       `json:"at"`
	By      string          `json:"by"` // executor:codex:1, person
	Tool    string          `json:"tool"`
	Refusal machine.Refusal `json:"refusal"`
}

// RefusedKept is the maximal number of refused calls in a presence.
const RefusedKept = 8

// The maximal size of a reported refusal, which may quote an agent.
const (
	refusedGuards = 20
	refusedText   = 2 << 10 // bytes of one text
)

// NewRefused returns a refused call, without the parts for programs.
func NewRefused(at time.Time, by, tool string, r machine.Refusal) RefusedCall {
	failed := make([]machine.Failed, min(len(r.Failed), refusedGuards))
	for i, f := range r.Failed[:len(failed)] {
		failed[i] = machine.Failed{Guard: truncate(f.Guard), Reason: truncate(f.Reason), Expected: truncate(f.Expected),
			Fix: truncate(f.Fix)}
	}
	r.Failed = failed
	return RefusedCall{At: at, By: by, Tool: tool, Refusal: r}
}

func truncate(s string) string {
	if len(s) <= refusedText {
		return s
	}
	return text.CutBytes(s, refusedText) + " ..."
}
