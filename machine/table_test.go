package machine

import (
	"errors"
	"slices"
	"testing"
)

// A door is locked with a code, and the human may hold it.
type door struct {
	Code  int
	Pause Stack
}

type (
	lock   struct{ Code int }
	unlock struct{ Code, Ticket int }
	pause  struct{}
	back   struct{}
)

func (lock) Kind() Kind   { return "lock" }
func (unlock) Kind() Kind { return "unlock" }
func (pause) Kind() Kind  { return "pause" }
func (back) Kind() Kind   { return "back" }

var (
	nonzero = Guard[door]{Name: "code-set", Reason: "there is no code", Expected: "a code",
		Fix: "call lock with a code",
		Met: func(_ Snap[door], e Event) bool { return e.(lock).Code != 0 }}
	small = Guard[door]{Name: "code-small", Reason: "the code is too long", Fix: "buy a better lock",
		Fixer: []Role{Human},
		Met:   func(_ Snap[door], e Event) bool { return e.(lock).Code > 0 && e.(lock).Code < 10 }}
	right = Guard[door]{Name: "code-right", Reason: "that is not the code",
		Met: func(s Snap[door], e Event) bool { return e.(unlock).Code == s.Data.Code }}
	alone = Guard[door]{Name: "alone", Reason: "the door is held", Holds: func(s Snap[door]) bool {
		return s.Data.Pause.Top() == ""
	}}
)

func doors() *Table[door] {
	return &Table[door]{
		Name: "door", States: []State{"open", "locked", "held"}, Final: []State{"gone"},
		Stack: func(d *door) *Stack { return &d.Pause },
		Late:  func(_ Snap[door], e Event) bool { u, ok := e.(unlock); return ok && u.Ticket == 9 },
		Rows: []Row[door]{
			{From: []State{"open"}, On: "lock", By: []Role{Executor},
				If: []Guard[door]{nonzero, small, alone}, To: "locked",
				Set: func(s Snap[door], e Event) door { s.Data.Code = e.(lock).Code; return s.Data }},
			{From: []State{"locked"}, On: "unlock", By: []Role{Executor, Human}, If: []Guard[door]{right}, To: "open",
				Set: func(s Snap[door], _ Event) door { s.Data.Code = 0; return s.Data }},
			{From: []State{"open", "locked"}, On: "pause", By: []Role{Human}, To: "held", Push: true},
			{From: []State{"held"}, On: "back", By: []Role{Human}, Return: true, May: []State{"open", "locked"}},
		},
	}
}

func refusal(t *testing.T, err error) *Refusal {
	t.Helper()
	var r *Refusal
	if !errors.As(err, &r) {
		t.Fatalf("not refused: %v", err)
	}
	return r
}

func TestRefusals(t *testing.T) {
	open, locked := Snap[door]{At: "open"}, Snap[door]{At: "locked", Data: door{Code: 3}}
	cases := []struct {
		name  string
		from  Snap[door]
		by    Role
		event Event
		code  Code
		says  string
	}{
		{"no row here", open, Executor, unlock{}, NoSuchTransition, "cannot unlock while open; you can call now: lock"},
		{"no row here for you", open, Human, unlock{}, NoSuchTransition,
			"cannot unlock while open; you can call now: pause"},
		{"never yours", open, Supervisor, lock{1}, NotYourRole,
			"the supervisor may not lock while open; possible now: lock (the executor), pause (the human)"},
		{"too late", locked, Executor, unlock{3, 9}, Stale, "unlock comes too late: it answers what is no longer open"},
		{"a guard", locked, Executor, unlock{4, 0}, GuardFailed, "cannot unlock while locked: that is not the code"},
		{"over", Snap[door]{At: "gone"}, Human, back{}, Final, "cannot back while gone"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, effects, err := doors().Step(c.from, c.by, c.event)
			r := refusal(t, err)
			if r.Code != c.code || r.Error() != c.says {
				t.Errorf("%s %q, want %s %q", r.Code, r.Error(), c.code, c.says)
			}
			if got != c.from || effects != nil {
				t.Errorf("a refusal returned %v, %v; want %v and no effects", got, effects, c.from)
			}
		})
	}
}

// Every failed guard is named, and a fix is offered only to a role that can carry it out.
func TestAllFailedGuardsWithHonestFixes(t *testing.T) {
	_, _, err := doors().Step(Snap[door]{At: "open"}, Executor, lock{0})
	want := []Failed{
		{Guard: "code-set", Reason: "there is no code", Expected: "a code", Fix: "call lock with a code"},
		{Guard: "code-small", Reason: "the code is too long", Fix: "the human must act: buy a better lock"},
	}
	if r := refusal(t, err); !slices.Equal(r.Failed, want) {
		t.Errorf("failed %+v, want %+v", r.Failed, want)
	}
	if got := HonestFix("buy", []Role{Human}, Human); got != "buy" {
		t.Errorf("HonestFix('buy', []Role{Human}, Human) is %q, want %q", got, "buy")
	}
}

func TestPauseAndReturn(t *testing.T) {
	start := Snap[door]{At: "locked", Data: door{Code: 3}}
	held, _, err := doors().Step(start, Human, pause{})
	if err != nil || held.At != "held" || held.Data.Pause.Top() != "locked" {
		t.Fatalf("the held world is at %q with pauses %v, %v; want held and locked", held.At, held.Data.Pause, err)
	}
	if got, _, err := doors().Step(held, Human, back{}); err != nil || got != start {
		t.Fatalf("doors().Step(held, Human, back{}) is %v, want %v; the error is %v, want none", got, start, err)
	}
}

func TestOptionsAndClosed(t *testing.T) {
	s := Snap[door]{At: "open", Data: door{Pause: Stack{"x"}}}
	if o := doors().Options(s); len(o) != 1 || o[0].Event != "pause" {
		t.Errorf("%+v", o)
	}
	why := map[Kind]string{}
	for _, c := range doors().Closed(s) {
		why[c.Event] = c.Why
	}
	if why["lock"] != "the door is held" || why["back"] != "only while held" {
		t.Errorf("%v", why)
	}
}

func TestStack(t *testing.T) {
	var k Stack
	k.Push("a")
	k.Push("b")
	if k.Top() != "b" || !slices.Equal(k.States(), []State{"a", "b"}) || k.Pop() != "b" || k.Pop() != "a" ||
		k.Top() != "" {
		t.Errorf("the pauses are %v, want none", k)
	}
}
