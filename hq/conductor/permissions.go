package conductor

import (
	"slices"

	"ferrus/hq/core"
)

// permissions withdraws requests for permission whose session has ended: nothing waits for an answer.
// A session of a conductor that was killed runs on in its host, and so does its request.
type permissions struct {
	*observed
	slots slots
}

func (p *permissions) reconcile() {
	for _, r := range p.world().OpenPermissions() {
		if p.slots.living(r.Session) == nil && p.world().AsksPermission(r.Session) {
			p.do(core.Command{Kind: core.KindWithdrawPermission, By: core.Actor{Session: r.Session}})
		}
	}
}

// asks reports whether a session waits for the human's permission. It is not silent then, and does
// not run out of time.
func (p *permissions) asks(session string) bool { return p.world().AsksPermission(session) }

// refused reports whether you refused what a session of that name asked for in this task.
func (p *permissions) refused(name string) bool {
	return slices.ContainsFunc(p.world().AnsweredPermissions(), func(a core.PermissionAnswer) bool {
		return a.Answer == core.PermitNever && a.By == name
	})
}
