package project

import (
	"os"
	"path/filepath"
	"time"

	"ferrus/hq/core"
	"ferrus/machine/task"
)

// SilentSince reports whether the session that holds the lease has given no sign of life
// for ttl, and since when: it makes no call, is in no tool that renews for it, and, if a
// conductor started it, prints nothing. Nothing is taken from it for that: it may think.
func (t *Task) SilentSince(w core.World, ttl time.Duration) (since time.Time, is bool, err error) {
	if !mayBeSilent(w) {
		return since, false, nil
	}
	presence, _, err := t.Presence(w.Claim.Session)
	if err != nil {
		return since, false, err
	}
	var printed time.Time
	if w.Claim.Managed {
		printed = t.lastPrinted(w.Claim.Session)
	}
	since, is = silent(w, presence, printed, ttl, time.Now())
	return since, is, nil
}

// lastPrinted returns when a recorded session wrote to its log last, else when it started.
func (t *Task) lastPrinted(session string) time.Time {
	registry, err := t.Registry()
	e, ok := registry.Session(session)
	if err != nil || !ok {
		return time.Now() // nothing is known, so nothing is said
	}
	if info, err := os.Stat(filepath.Join(t.Store.Path(), e.Log)); err == nil {
		return info.ModTime()
	}
	return e.StartedAt
}

// mayBeSilent reports whether it is the holder's turn: not the gate's, another agent's or
// the human's.
func mayBeSilent(w core.World) bool {
	if w.Claim == nil || w.GateRunning() || w.AsksPermission(w.Claim.Session) {
		return false
	}
	switch w.State {
	case task.Executing, task.Addressing, task.Checking, task.Reviewing:
		return true
	}
	return w.State == task.Consultation && w.Consult != nil && w.Consult.Answered
}

// silent judges the signs of life. Outside a tool, HQ renews the lease for a managed
// session, so the lease says nothing there; in one, the tool itself renews.
func silent(w core.World, p Presence, printed time.Time, ttl time.Duration, now time.Time) (last time.Time, is bool) {
	if !mayBeSilent(w) {
		return last, false
	}
	signs := []*time.Time{&printed}
	if p.Tool != "" || !w.Claim.Managed {
		signs = append(signs, w.LastHeartbeat)
	}
	if p.Tool == "" {
		signs = append(signs, p.Since)
	}
	for _, at := range signs {
		if at != nil && at.After(last) {
			last = *at
		}
	}
	return last, now.Sub(last) >= ttl
}
