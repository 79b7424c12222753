package conductor

import (
	"ferrus/hq/core"
	"ferrus/hq/session"
	"ferrus/machine"
)

// slots are the runners of the task loop. The map is never changed after Start, so it
// may be read from anywhere.
type slots map[core.Slot]*session.Runner

// sessions returns what [core.Plan] must know of the slots.
func (s slots) sessions() []core.SessionInfo {
	var all []core.SessionInfo
	for _, name := range core.Slots {
		if e := s[name].Record(); e.Session != "" {
			all = append(all, core.SessionInfo{
				Slot: name, Mode: s[name].Job().Mode, TaskID: e.Task, Session: e.Session, Reaped: !s[name].Lives(),
			})
		}
	}
	return all
}

// living returns the runner of a running session, by its id; nil: there is none.
func (s slots) living(id string) *session.Runner {
	for _, r := range s {
		if r.Lives() && r.Record().Session == id {
			return r
		}
	}
	return nil
}

// noteProgress records an accepted call of the session with an id. Claiming or releasing
// the lease and asking for permission are no progress: an agent can do that forever.
func (s slots) noteProgress(id, event string) {
	switch machine.Kind(event) {
	case core.KindClaim, core.KindRelease, core.KindAskPermission, core.KindWithdrawPermission:
		return
	}
	if id == "" {
		return
	}
	for _, r := range s {
		if r.Record().Session == id {
			r.Accept()
		}
	}
}

// resume ends every wait and restarts slots that gave up. It reports whether there was
// anything to resume.
func (s slots) resume() (any bool) {
	for _, r := range s {
		any = r.Resume() || any
	}
	return any
}

// supersede stops the session whose claim was taken, if it is one of ours.
func (s slots) supersede(claim *core.Claim) {
	if claim == nil {
		return
	}
	if r := s.living(claim.Session); r != nil {
		r.Supersede()
	}
}

// serverChanged tells the slot of a session that it has another server.
func (s slots) serverChanged(session string) {
	for _, r := range s {
		r.ServerChanged(session)
	}
}
