package project

import (
	"time"

	"ferrus/machine"
)

// Refused is a call that changed nothing. It is in no journal: the server of a
// session tells the newest in its [Presence], and who looks keeps them in memory.
type Refused struct {
	At      time.Time       `json:"at"`
	By      string          `json:"by"` // executor:codex:1, person
	Tool    string          `json:"tool"`
	Refusal machine.Refusal `json:"refusal"`
}

// RefusedKept is how many of them a presence has at most.
const RefusedKept = 8

// NewRefused is one, without what only a program has a use for.
func NewRefused(at time.Time, by, tool string, r machine.Refusal) Refused {
	failed := make([]machine.Failed, len(r.Failed))
	for i, f := range r.Failed {
		f.Shape, f.Suggested = nil, nil
		failed[i] = f
	}
	r.Failed = failed
	return Refused{At: at, By: by, Tool: tool, Refusal: r}
}
