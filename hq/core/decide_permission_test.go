package core

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ferrus/machine"
)

// wants returns a command by which a session asks for permission.
func wants(session, key, call string) Command {
	return Command{Kind: KindAskPermission,
		By:     Actor{Role: machine.Executor, Mode: ModeWork, ID: "executor:codex:1", Session: session},
		Wanted: &Wanted{Kind: PermitCommand, What: "make " + key, Key: key, Call: call}}
}

// answers returns a command by which a role answers a request.
func answers(role machine.Role, number uint64, text string) Command {
	return Command{Kind: KindPermit, By: Actor{Role: role}, Ticket: number, Text: text}
}

// permissions is a World whose commands are decided one after the other.
type permissions struct {
	t   *testing.T
	w   World
	seq uint64

	early int // seconds that are added to a clock of a minute for each event
}

// do makes a decision that must succeed.
func (p *permissions) do(c Command) Result {
	p.t.Helper()
	d, err := p.try(c)
	if err != nil {
		p.t.Fatalf("%s: %v", c.Kind, err)
	}
	return d.Result
}

func (p *permissions) try(c Command) (Decision, error) {
	c.Facts.NextSeq, c.Facts.Now = p.seq+1, time.Unix(int64(p.seq+1)*60+int64(p.early), 0)
	d, err := Decide(p.w, c, Limits{})
	if err == nil && d.Event != "" {
		p.w, p.seq = d.World, p.seq+1
	}
	return d, err
}

// refused fails unless a command is refused with some words.
func (p *permissions) refused(c Command, words string) {
	p.t.Helper()
	_, err := p.try(c)
	if machine.AsRefusal(err) == nil || !strings.Contains(err.Error(), words) {
		p.t.Errorf("%s: %v, want a refusal that says %q", c.Kind, err, words)
	}
}

func TestPermissionIsAskedOnceForATask(t *testing.T) {
	for answer, again := range map[Permission]Status{
		PermitOnce: StatusAsked, PermitTask: StatusAnswered, PermitNever: StatusAnswered,
	} {
		p := &permissions{t: t}
		asked := p.do(wants("s1", "all", "c1"))
		if asked.Status != StatusAsked || !p.w.AsksPermission("s1") || p.w.AsksPermission("s2") {
			t.Fatalf("asked: %+v, permissions %+v; want one open request of s1", asked, p.w.Permissions)
		}
		p.do(answers(machine.Human, asked.Ticket, string(answer)+" use make check"))
		a, open := p.w.PermissionOf(asked.Ticket)
		if open || a.Answer != answer || a.Note != "use make check" || a.What != "make all" {
			t.Errorf("the answer %s is recorded as %+v, open %v; want it with your note, and closed", answer, a, open)
		}
		r := p.do(wants("s2", "all", "c1"))
		if r.Status != again || again == StatusAnswered && (r.Answer != string(answer) || r.Message != a.Note) {
			t.Errorf("%s: asked again: %+v", answer, r)
		}
		if other := p.do(wants("s2", "all ", "c2")); other.Status != StatusAsked {
			t.Errorf("%s: another command is answered, too: %+v", answer, other)
		}
	}
}

func TestOnlyTheHumanPermits(t *testing.T) {
	p := &permissions{t: t}
	n := p.do(wants("s1", "all", "")).Ticket
	for _, role := range []machine.Role{machine.Executor, machine.Supervisor, machine.Ferrus} {
		p.refused(answers(role, n, "task"), "permit is for the human")
	}
	p.refused(answers(machine.Human, n, "yes"), `"yes" is not an answer`)
	p.refused(answers(machine.Human, n+7, "once"), "its session has ended")
	p.do(answers(machine.Human, 0, "never"))
	p.refused(answers(machine.Human, n, "once"), "was answered before, by you: refused for this task")
	p.refused(answers(machine.Human, 0, "once"), "no request for permission waits")
	p.do(wants("s1", "a", ""))
	p.do(wants("s1", "b", ""))
	p.refused(answers(machine.Human, 0, "once"), "name one by its number")
}

// If a session asks for something else, its earlier request is answered only by number.
func TestANewRequestIsAnsweredByItsNumber(t *testing.T) {
	p := &permissions{t: t}
	first := p.do(wants("s1", "harmless", "")).Ticket
	p.do(Command{Kind: KindWithdrawPermission, By: Actor{Role: machine.Executor, Session: "s1"}, Ticket: first})
	p.do(wants("s1", "harmful", ""))
	p.early = -57 // three seconds later
	p.refused(answers(machine.Human, 0, "once"), "request 3 is only seconds old")
	p.do(answers(machine.Human, 3, "never"))
}

func TestPermissionWithoutASubjectIsRefused(t *testing.T) {
	p := &permissions{t: t}
	for _, w := range []*Wanted{nil, {}, {Kind: PermitCommand, Key: "k"}, {Kind: "magic", What: "x", Key: "k"},
		{Kind: PermitCommand, What: "x"}} {
		c := wants("s1", "k", "")
		c.Wanted = w
		p.refused(c, "does not say what is wanted")
	}
	p.refused(wants("", "k", ""), "does not say")
}

func TestPermissionsAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it makes many calls")
	}
	p := &permissions{t: t}
	long := wants("s1", "long", "")
	long.Wanted.What, long.Wanted.Detail = strings.Repeat("x", 100<<10), strings.Repeat("y", 100<<10)
	p.do(long)
	if r := p.w.OpenPermissions()[0]; len(r.What) > maxWanted || len(r.Detail) > maxWanted {
		t.Errorf("kept %d and %d bytes", len(r.What), len(r.Detail))
	}
	refused := 0
	for i := range 10_000 {
		d, err := p.try(wants("s1", fmt.Sprint(i), ""))
		if err != nil {
			refused++
		} else if d.Event == "" {
			t.Fatalf("request %d has no event", i)
		}
	}
	if n := len(p.w.OpenPermissions()); n != maxOpenPermissions || refused != 10_000-maxOpenPermissions+1 {
		t.Errorf("%d wait, %d were refused", n, refused)
	}
	for len(p.w.OpenPermissions()) > 0 {
		p.do(answers(machine.Human, p.w.OpenPermissions()[0].Number, "never"))
	}
	for i := p.w.Permissions.Asked; i < MaxAskedPermissions; i++ {
		p.do(answers(machine.Human, p.do(wants("s1", fmt.Sprint("more", i), "")).Ticket, "once"))
	}
	if n := len(p.w.AnsweredPermissions()); n != maxAnsweredPermissions {
		t.Errorf("%d answers are kept", n)
	}
	if r := p.do(wants("s1", "long", "")); r.Answer != string(PermitNever) {
		t.Errorf("an answer for the task was forgotten before answers that count once: %+v", r)
	}
	p.refused(wants("s1", "last", ""), "has asked 1000 times")
}

func TestPermissionIsWithdrawnWithItsSession(t *testing.T) {
	p := &permissions{t: t}
	first, second := p.do(wants("s1", "a", "c1")).Ticket, p.do(wants("s1", "b", "c2")).Ticket
	other := p.do(wants("s2", "a", "c1")).Ticket
	if again := p.do(wants("s1", "a", "c1")); again.Ticket != first || len(p.w.OpenPermissions()) != 3 {
		t.Errorf("a call that asks again is asked twice: %+v", again)
	}
	p.do(Command{Kind: KindWithdrawPermission, By: Actor{Role: machine.Executor, Session: "s2"}, Ticket: first})
	if len(p.w.OpenPermissions()) != 3 {
		t.Error("a session withdrew another's request")
	}
	p.do(Command{Kind: KindWithdrawPermission, By: Actor{Role: machine.Ferrus, Session: "s1"}})
	if open := p.w.OpenPermissions(); len(open) != 1 || open[0].Number != other {
		t.Errorf("%+v still wait", open)
	}
	for _, n := range []uint64{first, second} {
		p.refused(answers(machine.Human, n, "once"), "its session has ended")
	}
	again := Command{Kind: KindWithdrawPermission, By: Actor{Role: machine.Ferrus, Session: "s1"}}
	if d, err := p.try(again); err != nil || d.Event != "" {
		t.Errorf("nothing to withdraw: %+v, %v", d, err)
	}
}
