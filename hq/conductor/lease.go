package conductor

import (
	"time"

	"ferrus/agent/process"
	"ferrus/hq/core"
)

// leaseRenewal renews the lease while its holder is our running session. While that
// is in a tool, its server renews, and nothing else would show that the server is stuck.
type leaseRenewal struct {
	*observed
	slots slots
	timer *time.Timer // nil: no session of ours holds the lease
}

// reconcile starts or stops the timer that renews the lease once an interval.
func (l *leaseRenewal) reconcile(interval time.Duration) {
	switch held := l.holds(); {
	case !held && l.timer != nil:
		l.timer.Stop()
		l.timer = nil
	case held && l.timer == nil:
		l.timer = l.loop.After(interval, func() {
			l.timer = nil
			if l.holds() && !l.inTool() {
				l.do(core.Command{Kind: core.KindHeartbeat, By: core.Actor{Session: l.world().Claim.Session}})
			}
		})
	}
}

func (l *leaseRenewal) holds() bool {
	claim := l.world().Claim
	return claim != nil && l.slots.living(claim.Session) != nil
}

// inTool reports whether a tool renews the lease for the holder that calls it.
func (l *leaseRenewal) inTool() bool {
	p, _, err := l.project.Presence(l.world().Claim.Session)
	return err == nil && p.Tool != ""
}

// unmanaged reports whether the lease is held by a session that no conductor started and
// that may still run.
func unmanaged(w core.World) bool {
	if w.Claim == nil || w.Claim.Managed || w.ClaimedBy == "" {
		return false
	}
	if alive, known := process.Alive(w.Claim.Process); known {
		return alive
	}
	return w.LeaseUntil != nil && time.Now().Before(*w.LeaseUntil)
}
