package task

import (
	"errors"
	"slices"
	"testing"

	"ferrus/machine"
	"ferrus/machine/machinetest"
)

var limits = Limits{CheckRetries: 2, ReviewCycles: 2}

var roles = []machine.Role{machine.Supervisor, machine.Executor, machine.Human, machine.Ferrus}

// Tickets come in pairs in the exploration, so that there is always a new one, an open one and a
// spent one.
func other(n, a, b uint64) uint64 {
	if n == a {
		return b
	}
	return a
}

var bools = []bool{false, true}

// leases lists the relations that a caller can have to the lease.
var leases = []Lease{{Held: true}, {Held: true, Free: true}, {Free: true}, {}, {Lost: true}}

// calls returns everything that any role may try in a snapshot: every event, by every role, with
// facts of every kind, and with answers that are right, late or early.
func calls(s Snap) []machinetest.Call {
	var all []machinetest.Call
	for _, e := range append(asks(s), answers()...) {
		for _, r := range roles {
			all = append(all, machinetest.Call{By: r, Event: e})
		}
	}
	return all
}

func asks(s Snap) []machine.Event {
	gate := other(s.Data.Gate.Ticket, 1, 2)
	consult := other(s.Data.Consult.Ticket, 3, 4)
	question := other(s.Data.Question, 5, 6)
	events := []machine.Event{Voided{}, Retry{}, Reset{}}
	for _, text := range bools {
		events = append(events, CreateTask{text, false}, CreateTask{text, true}, Returned{text},
			Rejudge{text, true, false}, Rejudge{text, true, true}, Rejudge{text, false, false})
		for _, l := range leases {
			events = append(events, Consult{l, consult, text, ""}, AskHuman{l, question, text}, Reject{l, text})
			events = append(events, Submit{l, gate, text, true, false}, Submit{l, gate, text, false, false},
				Submit{l, gate, text, true, true}, Submit{l, gate, text, false, true})
		}
	}
	for _, l := range leases {
		events = append(events, Check{l, gate}, WaitForConsult{l}, Consult{l, consult, true, "## Problem"})
		events = append(events, Approve{l, true, "", ""}, Approve{l, false, "a.go", ""}, Approve{l, true, "", "ci.yml"})
	}
	return events
}

func answers() []machine.Event {
	var events []machine.Event
	for ticket := range uint64(8) {
		events = append(events, CheckCancelled{ticket}, GateLost{ticket}, RespondConsult{ticket, true})
		for _, v := range []Outcome{Green, Red, Unproven, Flaky} {
			events = append(events, Checked{ticket, v, false}, Checked{ticket, v, true})
		}
		for _, unattended := range bools {
			events = append(events, Answer{ticket, true, unattended, false}, Answer{ticket, true, unattended, true})
		}
	}
	return append(events, RespondConsult{0, false}, Answer{0, false, true, false})
}

// Events arrive late, twice, out of role and out of order: every row is used, no two rows apply at
// once, no snapshot is a dead end, counters stay within their limits, and the pause stack never
// loses the way back.
func TestEverySnapshot(t *testing.T) {
	t.Parallel()
	tab := Table(limits)
	x, err := machinetest.Explore(tab, Start, calls, 50_000, func(e machinetest.Edge[Data]) error {
		return errors.Join(bounded(e.To.Data), sound(e.To), inRole(e), goesBack(e), answersWhatIsOpen(e))
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range x.Faults(tab) {
		t.Error(f)
	}
	for _, s := range x.Snaps {
		if s.At != Idle && !comesHome(x, s) {
			t.Errorf("%+v never ends", s)
		}
	}
	t.Logf("%d snapshots, %d rows", len(x.Snaps), len(tab.Rows))
}

// comesHome reports whether the human can start again.
func comesHome(x machinetest.Explored[Data], s Snap) bool { return slices.Contains(x.Ways[s], Idle) }

func bounded(d Data) error {
	if d.Retries > limits.CheckRetries || d.Cycles > limits.ReviewCycles || d.Voided > VoidedLimit ||
		d.Gate.Lost >= LostLimit {
		return errors.New("a counter is beyond its limit")
	}
	return nil
}

// sound says what each state must and must not have.
func sound(s Snap) error {
	d, paused := s.Data, s.Data.Paused.States()
	checking := s.At == Checking || slices.Contains(paused, Checking)
	consulting := s.At == Consultation || slices.Contains(paused, Consultation)
	switch {
	case checking != (d.Gate != Gate{}):
		return errors.New("a gate without Checking, or Checking without a gate")
	case checking && d.Gate.From != Executing && d.Gate.From != Addressing:
		return errors.New("the gate came from nowhere")
	case d.Flaky && !checking && s.At != Reviewing && !slices.Contains(paused, Reviewing):
		return errors.New("flaky, and nothing that was proven")
	case d.Flaky && checking && !d.Gate.Passed:
		return errors.New("flaky before its verdict")
	case consulting != (d.Consult != Asked{}):
		return errors.New("a consult without Consultation, or the reverse")
	case (s.At == AwaitingHuman) != (d.Question != 0):
		return errors.New("a question without AwaitingHuman, or the reverse")
	case (s.At == Consultation || s.At == AwaitingHuman) != (len(paused) > 0):
		return errors.New("paused without a way back, or a way back without a pause")
	case len(paused) == 2 && (s.At != AwaitingHuman || paused[1] != Consultation):
		return errors.New("something nests that may not")
	case s.At != Checking && checking && !d.Gate.Passed:
		return errors.New("paused over a gate that runs")
	}
	return nil
}

// may lists the roles that may cause an event at all, as the design has them.
var may = map[machine.Kind][]machine.Role{
	"create_task": {machine.Supervisor, machine.Human}, "check": {machine.Executor, machine.Human},
	"checked": {machine.Ferrus}, "check_cancelled": {machine.Ferrus, machine.Human}, "gate_lost": {machine.Ferrus},
	"submit": {machine.Executor}, "consult": {machine.Executor}, "respond_consult": {machine.Supervisor, machine.Human},
	"wait_for_consult": {machine.Executor}, "ask_human": {machine.Executor, machine.Supervisor},
	"answer": {machine.Human, machine.Supervisor}, "approve": {machine.Supervisor, machine.Human},
	"reject": {machine.Supervisor, machine.Human}, "voided": {machine.Ferrus},
	"returned": {machine.Ferrus, machine.Human}, "rejudge": {machine.Ferrus}, "retry": {machine.Human},
	"reset": {machine.Human, machine.Supervisor},
}

func inRole(e machinetest.Edge[Data]) error {
	if !slices.Contains(may[e.Call.Event.Kind()], e.Call.By) {
		return errors.New("out of role")
	}
	if e.Call.By == machine.Supervisor {
		if a, ok := e.Call.Event.(Answer); ok && (!a.Unattended || a.Asker) {
			return errors.New("a supervisor answers what is the human's")
		}
		if _, ok := e.Call.Event.(Reset); ok && e.From.At != Failed {
			return errors.New("a supervisor resets a task that is not Failed")
		}
	}
	if _, ok := e.Call.Event.(Approve); ok && e.From.Data.Flaky && e.Call.By != machine.Human {
		return errors.New("an agent approves what is flaky")
	}
	if l, ok := e.Call.Event.(interface{ lease() Lease }); ok && !l.lease().Held && e.Call.By == machine.Executor {
		return errors.New("an executor without the lease")
	}
	return nil
}

func goesBack(e machinetest.Edge[Data]) error {
	switch e.Call.Event.(type) {
	case Answer, WaitForConsult:
		if e.To.At != e.From.Data.Paused.Top() {
			return errors.New("returns to another place than it paused from")
		}
	case Consult, AskHuman:
		if e.To.Data.Paused.Top() != e.From.At {
			return errors.New("loses the way back")
		}
	}
	return nil
}

func answersWhatIsOpen(e machinetest.Edge[Data]) error {
	a, ok := e.Call.Event.(interface{ answers() uint64 })
	if ok && a.answers() != 0 && a.answers() != openTicket(e.From, e.Call.Event) {
		return errors.New("a late answer changes something")
	}
	return nil
}

// A role that may never cause an event is refused for its role, whatever the state.
func TestOutOfRole(t *testing.T) {
	tab := Table(limits)
	for _, s := range States {
		for _, c := range calls(Snap{At: s}) {
			if slices.Contains(may[c.Event.Kind()], c.By) {
				continue
			}
			got, _, err := tab.Step(Snap{At: s}, c.By, c.Event)
			var r *machine.Refusal
			if !errors.As(err, &r) || r.Code != machine.NotYourRole || got != (Snap{At: s}) {
				t.Fatalf("%s by %s while %s: %v", c.Event.Kind(), c.By, s, err)
			}
		}
	}
}

// An option is open to at least one call of each role that it names, and no other call is open.
func TestOptionsAreHonest(t *testing.T) {
	t.Parallel()
	type move struct {
		event machine.Kind
		by    machine.Role
	}
	tab, open := Table(limits), map[Snap]map[move]bool{}
	x, err := machinetest.Explore(tab, Start, calls, 50_000, func(e machinetest.Edge[Data]) error {
		if open[e.From] == nil {
			open[e.From] = map[move]bool{}
		}
		open[e.From][move{e.Call.Event.Kind(), e.Call.By}] = true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range x.Snaps {
		offered := 0
		for _, o := range tab.Options(s) {
			for _, r := range o.By {
				offered++
				if !open[s][move{o.Event, r}] {
					t.Fatalf("%+v offers %s to %s", s, o.Event, r)
				}
			}
		}
		if offered != len(open[s]) {
			t.Fatalf("%+v does not offer everything that is open", s)
		}
	}
}
