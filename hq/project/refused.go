package project

import (
	"time"

	"ferrus/machine"
	"ferrus/ui/text"
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

// What is told of a refusal at most: what an agent asked for may be in its words.
const (
	refusedGuards = 20
	refusedText   = 2 << 10 // bytes of one text
)

// NewRefused is one, without what only a program has a use for.
func NewRefused(at time.Time, by, tool string, r machine.Refusal) Refused {
	failed := make([]machine.Failed, min(len(r.Failed), refusedGuards))
	for i, f := range r.Failed[:len(failed)] {
		failed[i] = machine.Failed{Guard: truncate(f.Guard), Reason: truncate(f.Reason), Expected: truncate(f.Expected), Fix: truncate(f.Fix)}
	}
	r.Failed = failed
	return Refused{At: at, By: by, Tool: tool, Refusal: r}
}

func truncate(s string) string {
	if len(s) <= refusedText {
		return s
	}
	return text.CutBytes(s, refusedText) + " ..."
}
