package project

import (
	"testing"
	"time"

	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/machine/task"
)

// A holder is silent once it has made no call for the ttl outside a tool, and is never
// silent while the human, the gate or another agent has to act.
func TestSilent(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	ago := func(d time.Duration) *time.Time { at := now.Add(-d); return &at }
	const ttl = 90 * time.Second
	held := func(s machine.State, heartbeat time.Duration) core.World {
		w := core.World{State: s}
		w.ClaimedBy, w.Claim, w.LastHeartbeat = "executor:x:1", &core.Claim{Session: "s"}, ago(heartbeat)
		return w
	}
	managed := held(task.Executing, time.Second)
	managed.Claim.Managed = true
	gate := held(task.Checking, time.Hour)
	gate.Gate = &core.Gate{Ticket: 1}
	for name, c := range map[string]struct {
		w    core.World
		p    Presence
		want bool
	}{
		"it has just called": {held(task.Executing, time.Second),
			Presence{Since: ago(time.Second)}, false},
		"no call for the ttl":              {held(task.Executing, ttl), Presence{Since: ago(ttl)}, true},
		"a refused call is a sign of life": {held(task.Executing, time.Hour), Presence{Since: ago(time.Second)}, false},
		"in a tool, which renews": {held(task.Executing, time.Second),
			Presence{Tool: "check", Since: ago(time.Hour)}, false},
		"in a tool that does not renew": {held(task.Executing, ttl),
			Presence{Tool: "check", Since: ago(time.Hour)}, true},
		"HQ renews for it":   {managed, Presence{Since: ago(ttl)}, true},
		"a question is open": {held(task.AwaitingHuman, time.Hour), Presence{}, false},
		"the gate runs":      {gate, Presence{}, false},
		"nothing is held":    {core.World{State: task.Executing}, Presence{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if _, got := silent(c.w, c.p, time.Time{}, ttl, now); got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
	if _, got := silent(managed, Presence{Since: ago(ttl)}, now, ttl, now); got {
		t.Error("an agent that prints is silent")
	}
}
