package core

import (
	"slices"
	"time"

	"ferrus/machine"
	"ferrus/machine/task"
)

const (
	// Used where the configuration gives none; holders renew at a third of the TTL.
	defaultTTL  = 90 * time.Second
	clockSlack  = time.Second // a heartbeat this far in the future means that the clock went back
	fencedLimit = 16          // sessions remembered as having lost a lease
)

// LeaseFree reports whether the lease can be claimed: it is not held, its holder's
// process is known to be gone, or it has expired and the holder is not known to run. A
// clock alone never takes the lease from a process that runs. Of a holder on another
// host nothing is known, so there the clock alone decides, and a session that comes
// back too late is fenced.
func (w World) LeaseFree(f Facts) bool {
	switch {
	case !w.IsClaimed() || f.HolderGone:
		return true
	case f.HolderAlive:
		return false
	}
	return w.lapsed(f.Now)
}

// IsClaimed reports whether a session holds the lease, expired or not.
func (w World) IsClaimed() bool { return w.Claim != nil || w.ClaimedBy != "" }

// ClaimedSlot returns the slot whose work the holder of the lease has.
func (w World) ClaimedSlot() Slot {
	if w.IsIn(task.Reviewing) {
		return SlotReviewer
	}
	return SlotExecutor
}

// lapsed reports whether the lease has expired, or the clock went back so far that it
// can no longer tell.
func (w World) lapsed(now time.Time) bool {
	if w.LeaseUntil == nil || !now.Before(*w.LeaseUntil) {
		return true
	}
	return w.LastHeartbeat != nil && w.LastHeartbeat.After(now.Add(clockSlack))
}

// HeldBy reports whether an actor's session holds the lease. An expired lease is still
// its holder's until another session claims it. The agent id does not count: two
// sessions of a slot share it.
func (w World) HeldBy(a Actor) bool {
	return a.Session != "" && w.Claim != nil && w.Claim.Session == a.Session
}

// renew extends the lease by its TTL from now. It changes no field but these two, and
// is never an event of its own.
func (w *World) renew(f Facts) {
	ttl := f.TTL
	if ttl <= 0 {
		ttl = defaultTTL
	}
	now := stamp(f.Now)
	until := now.Add(ttl)
	w.LeaseUntil, w.LastHeartbeat = &until, &now
}

// unclaim releases the lease. The session gave it back by itself, so it is not fenced
// and may claim again.
func (w *World) unclaim() { w.Lease = Lease{Fenced: w.Fenced} }

// fence takes the lease from its holder and remembers the session: should it wake up,
// its calls are refused as STALE. Only the last fencedLimit sessions are remembered. A
// session that is forgotten this way gets lease-required instead, which refuses it as
// well.
func (w *World) fence() {
	if w.Claim != nil && !slices.Contains(w.Fenced, w.Claim.Session) {
		w.Fenced = append(w.Fenced, w.Claim.Session)
	}
	if over := len(w.Fenced) - fencedLimit; over > 0 {
		w.Fenced = slices.Clone(w.Fenced[over:])
	}
	w.unclaim()
}

// unfence forgets a session that claims again.
func (w *World) unfence(session string) {
	w.Fenced = slices.DeleteFunc(w.Fenced, func(s string) bool { return s == session })
	if len(w.Fenced) == 0 {
		w.Fenced = nil
	}
}

// lease returns how the caller stands to the lease, for the machine's guards. Lost and
// Held exclude each other. Free is judged by the facts of the same call.
func (t *decision) lease() task.Lease {
	held := t.w.HeldBy(t.c.By)
	return task.Lease{
		Held: held,
		Lost: !held && t.c.By.Session != "" && slices.Contains(t.w.Fenced, t.c.By.Session),
		Free: t.w.LeaseFree(t.c.Facts),
	}
}

// ClaimTool returns the name of the tool that a role claims work with.
func ClaimTool(r machine.Role) string {
	if r == machine.Supervisor {
		return "wait_for_review"
	}
	return "wait_for_task"
}

// Claimable reports whether there is work for a role: in the states that an executor or
// a reviewer works in, and while a question pauses one of them. The pause by a question
// does not take the work away: a session that is restarted meanwhile claims it like any
// other.
func (w World) Claimable(r machine.Role) bool {
	at := w.State
	if at == task.AwaitingHuman && len(w.Paused) > 0 {
		at = w.Paused[0]
	}
	switch r {
	case machine.Executor:
		return slices.Contains([]machine.State{task.Executing, task.Addressing, task.Checking, task.Consultation}, at)
	case machine.Supervisor:
		return at == task.Reviewing && !w.AwaitsApproval()
	}
	return false
}

// claim gives the lease to the caller's session. Claiming again renews it. Taking an
// expired lease fences the previous holder, so that there is one writer at a time. The
// refusal while there is nothing yet is what the waiting tools wait on.
func (t *decision) claim() error {
	by, w := t.c.By, &t.w
	if by.Session == "" {
		return t.refusal(machine.GuardFailed, machine.Failed{Guard: "session-required",
			Reason: "a claim needs a session", Expected: "a call from a ferrus serve"})
	}
	if !w.Claimable(by.Role) {
		return t.nothingToClaim("there is nothing to claim while " + string(w.State))
	}
	t.out.Result = Result{Status: StatusClaimed, Claimed: &Claimed{}}
	if w.Task != nil && w.Task.Base.Red != "" {
		t.out.Result.Message = "the checks failed before this task started: " + w.Task.Base.Red
	}
	if w.HeldBy(by) {
		return nil // decision.finish renews
	}
	if !w.LeaseFree(t.c.Facts) {
		return t.nothingToClaim(w.ClaimedBy + " holds the lease")
	}
	w.fence()
	w.unfence(by.Session)
	w.ClaimedBy = by.ID
	w.Claim = &Claim{Session: by.Session, Epoch: w.Epoch, Managed: by.Managed, Process: copied(by.Process)}
	t.out.Event, t.out.Why = KindClaim, by.ID
	return nil
}

// nothingToClaim refuses a claim; the caller waits and asks again.
func (t *decision) nothingToClaim(why string) error {
	return t.refusal(machine.GuardFailed, machine.Failed{Guard: "nothing-to-claim", Reason: why, Fix: "call " +
		ClaimTool(t.c.By.Role) + " again"})
}

// release ends a claim: the caller's own or, for ferrus, the claim of a session or process
// that it has reaped. The human takes it from any holder, which is fenced then.
// Releasing what is not held changes nothing.
func (t *decision) release() error {
	t.out.Result.Status = StatusReleased
	if t.c.By.Role == machine.Human && t.w.IsClaimed() {
		t.out.Event, t.out.Why = KindRelease, t.w.ClaimedBy+", taken"
		t.w.fence()
		return nil
	}
	if !t.ownsClaim() {
		return nil
	}
	t.out.Event, t.out.Why = KindRelease, t.w.ClaimedBy
	t.w.unclaim()
	return nil
}

// ownsClaim reports whether the command is about this claim.
func (t *decision) ownsClaim() bool {
	w, c := &t.w, &t.c
	if w.Claim == nil {
		return false
	}
	if c.By.Session != "" && c.By.Session == w.Claim.Session {
		return true
	}
	return c.By.Role == machine.Ferrus && c.Process != nil && w.Claim.Process != nil && *c.Process == *w.Claim.Process
}

// heartbeat renews the lease. Ferrus renews it for a process that it sees running or,
// naming none, for the gate that it runs. It is no event: the journal tells what
// happened to the task, and a renewal is nothing of that kind.
func (t *decision) heartbeat() error {
	t.out.Result = Result{Status: StatusRenewed, Claimed: &Claimed{}}
	if t.c.By.Role == machine.Ferrus {
		if t.w.Claim != nil && (t.ownsClaim() || t.c.By.Session == "" && t.c.Process == nil) {
			t.w.renew(t.c.Facts)
		}
		return nil
	}
	if t.w.HeldBy(t.c.By) {
		return nil // decision.finish renews
	}
	return t.noLease()
}

// noLease refuses a caller that does not hold the lease.
func (t *decision) noLease() error {
	failed := machine.Failed{Guard: "lease-required", Reason: "you do not hold the lease",
		Expected: "the lease on the task", Fix: "call " + ClaimTool(t.c.By.Role)}
	return t.describeRefusal(t.refusal(machine.GuardFailed, failed))
}

// claimed returns the lease and counters for the answer to a claim; the caller adds the
// texts.
func (w World) claimed() *Claimed {
	return &Claimed{ClaimedBy: w.ClaimedBy, LeaseUntil: copied(w.LeaseUntil), Cycles: w.ReviewCycles,
		Retries: w.CheckRetries}
}
