package core

import (
	"fmt"
	"slices"
	"time"

	"ferrus/machine"
	"ferrus/ui/text"
)

// askPermission records what a session wants to do, for the human to answer. What was answered
// for the whole task is answered at once, without an event. The state stays: the session waits
// in its own call.
func (t *decision) askPermission() error {
	wanted := t.c.Wanted
	if wanted == nil || wanted.What == "" || wanted.Key == "" || t.c.By.Session == "" || verbs[wanted.Kind] == "" &&
		wanted.Kind != PermitOther {
		return t.refusal(machine.GuardFailed, machine.Failed{Guard: "permission-named",
			Reason: "the request does not say what is wanted", Expected: "a command, a path, a host or a tool"})
	}
	if t.w.Permissions == nil {
		t.w.Permissions = &Permissions{}
	}
	p := t.w.Permissions
	if a, known := p.remembered(wanted.Key); known {
		t.out.Result = Result{Status: StatusAnswered, Ticket: a.Number, Answer: string(a.Answer), Message: a.Note}
		return nil
	}
	same := func(r PermissionRequest) bool {
		return wanted.Call != "" && r.Session == t.c.By.Session && r.Call == wanted.Call && r.Key == wanted.Key
	}
	if at := slices.IndexFunc(p.Open, same); at >= 0 {
		t.out.Result = Result{Status: StatusAsked, Ticket: p.Open[at].Number}
		return nil
	}
	if err := t.roomForPermission(); err != nil {
		return err
	}
	r := PermissionRequest{
		Number: t.c.Facts.NextSeq, Session: t.c.By.Session, Slot: t.c.By.Mode.Slot(), By: t.c.By.ID,
		Wanted: *wanted, At: stamp(t.c.Facts.Now),
	}
	r.What, r.Detail = text.CutBytes(r.What, maxWanted), text.CutBytes(r.Detail, maxWanted)
	r.Call, r.Dir = text.CutBytes(r.Call, maxWanted), text.CutBytes(r.Dir, maxWanted)
	if r.Long = t.c.Text != ""; r.Long {
		t.setText(PermissionsText, t.c.Facts.Requests.With(r.Number, t.c.Text, p.Open).Encode())
	}
	p.Open, p.Asked = append(p.Open, r), p.Asked+1
	t.out.Event, t.out.Why = KindAskPermission, firstLine(r.Wanted.String(), becauseCells)
	t.out.Result = Result{Status: StatusAsked, Ticket: r.Number}
	return nil
}

// roomForPermission refuses a request where too many wait, or a session asked too often.
func (t *decision) roomForPermission() error {
	p := t.w.Permissions
	why := ""
	switch {
	case len(p.Open) >= maxOpenPermissions:
		why = fmt.Sprintf("%d requests of this task wait for the human already", len(p.Open))
	case p.Asked >= MaxAskedPermissions:
		why = fmt.Sprintf("this task has asked %d times, the maximum", p.Asked)
	default:
		return nil
	}
	return t.refusal(machine.GuardFailed, machine.Failed{Guard: "permission-room", Reason: why,
		Expected: "fewer requests", Fix: "do without it, or call ask_human"})
}

// justAsked is how long a new request can be answered only by its number: if a session withdraws a
// request and asks another at once, your answer to the first does not count for the second.
const justAsked = 5 * time.Second

// permit records the human's answer to a request: the first counts. Without a number it is for
// the only one that waits.
func (t *decision) permit() error {
	answer, note, err := ParsePermission(t.c.Text)
	if err != nil {
		return t.refusal(machine.GuardFailed, machine.Failed{Guard: "permission-answer", Reason: err.Error(),
			Expected: "once, task or never"})
	}
	open := t.was.OpenPermissions()
	at := slices.IndexFunc(open, func(r PermissionRequest) bool { return r.Number == t.c.Ticket })
	if t.c.Ticket == 0 && len(open) == 1 {
		at = 0
	}
	if at < 0 {
		return t.refusal(machine.GuardFailed, t.notAsked(len(open)))
	}
	if age := t.c.Facts.Now.Sub(open[at].At); t.c.Ticket == 0 && age < justAsked {
		return t.refusal(machine.GuardFailed, machine.Failed{Guard: "permission-named",
			Reason:   fmt.Sprintf("request %d is only seconds old, and you may mean an earlier one", open[at].Number),
			Expected: "the number of the request", Fix: "read it, and name it by its number"})
	}
	r := open[at]
	t.w.Permissions.answer(at, answer, firstLine(note, becauseCells), t.c.By.ID)
	t.out.Event, t.out.Why = KindPermit, firstLine(answer.Words()+": "+r.Wanted.String(), becauseCells)
	t.out.Result = Result{Status: StatusRecorded, Ticket: r.Number, Answer: string(answer)}
	return nil
}

// notAsked says why there is nothing to answer.
func (t *decision) notAsked(open int) machine.Failed {
	f := machine.Failed{Guard: "permission-open", Expected: "the number of a request in the inbox"}
	answered, _ := t.was.PermissionOf(t.c.Ticket)
	switch {
	case t.c.Ticket == 0 && open == 0:
		f.Reason = "no request for permission waits"
	case t.c.Ticket == 0:
		f.Reason, f.Fix = fmt.Sprintf("%d requests for permission wait", open), "name one by its number"
	case answered.Answer != "":
		f.Reason = fmt.Sprintf("request %d was answered before, by %s: %s", t.c.Ticket,
			NameOf(orElse(answered.Who, HumanID)), answered.Answer.Words())
	default:
		f.Reason = fmt.Sprintf("no request %d waits: its session has ended, or withdrew it", t.c.Ticket)
	}
	return f
}

// withdrawPermission drops requests that no session waits for any more: one by its number, or
// all of the session that the command names.
func (t *decision) withdrawPermission() error {
	t.out.Result.Status = StatusNoted
	if t.w.Permissions == nil {
		return nil
	}
	p, before := t.w.Permissions, len(t.w.Permissions.Open)
	var last PermissionRequest
	p.Open = slices.DeleteFunc(p.Open, func(r PermissionRequest) bool {
		gone := r.Session == t.c.By.Session && (t.c.Ticket == 0 || r.Number == t.c.Ticket)
		if gone {
			last = r
		}
		return gone
	})
	if n := before - len(p.Open); n > 0 {
		t.out.Event = KindWithdrawPermission
		t.out.Why = firstLine(text.Count(n, "request")+" of "+last.By+": "+last.Wanted.String(), becauseCells)
	}
	return nil
}
