package pair

import (
	"errors"
	"slices"
	"testing"

	"ferrus/machine"
	"ferrus/machine/pair/run"
)

// seed is the specification's table of valid transitions.
var seed = map[State][]State{
	StateInit:      {StateWorking, StateFailed},
	StateWorking:   {StateReviewing, StateComplete, StateFailed},
	StateReviewing: {StateWorking, StateComplete, StateFailed},
}

func TestTransitionsAreThoseOfTheSpecification(t *testing.T) {
	for _, from := range States {
		for _, to := range append(States, "nowhere") {
			m := NewMachine(Snap{At: from})
			err := m.Transition(to)
			var invalid *InvalidTransitionError
			if slices.Contains(seed[from], to) {
				if err != nil || m.Current() != to || !slices.Equal(m.History(), []State{from, to}) {
					t.Errorf("%s to %s: %v, %v", from, to, err, m.History())
				}
				continue
			}
			if !errors.As(err, &invalid) || invalid.From != from || invalid.To != to || m.Current() != from ||
				len(m.History()) != 1 {
				t.Errorf("%s to %s: %v, %v", from, to, err, m.History())
			}
		}
	}
}

func TestRunStatesBothWays(t *testing.T) {
	for _, c := range []struct {
		loop State
		run  run.State
	}{{StateInit, "submitted"}, {StateWorking, "working"}, {StateReviewing, "reviewing"}, {StateComplete, "completed"},
		{StateFailed, "failed"}} {
		if ToRunState(c.loop) != c.run || FromRunState(c.run) != c.loop {
			t.Errorf("%s is %s, and %s is %s", c.loop, ToRunState(c.loop), c.run, FromRunState(c.run))
		}
	}
	for _, odd := range []run.State{"cancelled", "", "Working"} {
		if FromRunState(odd) != StateFailed {
			t.Errorf("%q is %s", odd, FromRunState(odd))
		}
	}
}

// step is one event by who causes it.
type step struct {
	By    machine.Role
	Event machine.Event
}

func done(edited bool) step { return step{Primary, Done{Turn{Edited: edited}}} }
func agree() step           { return step{Primary, Pass{}} }
func pass() step            { return step{Secondary, Pass{}} }
func rework() step          { return step{Secondary, Rework{}} }
func gated(green bool) step { return step{machine.Ferrus, Gated{Green: green}} }

func TestStories(t *testing.T) {
	begun := step{machine.Ferrus, Started{}}
	quiet, mute := step{Primary, NoSignal{}}, step{Secondary, NoSignal{}}
	for _, c := range []struct {
		name  string
		mode  Mode
		steps []step
		path  []State
		data  Data
	}{
		{"single is done with a green gate", Single, []step{begun, done(true), gated(true)},
			[]State{StateInit, StateWorking, StateComplete}, Data{Mode: Single, Iteration: 1}},
		{"a red gate keeps working", Review, []step{begun, done(true), gated(false), done(true), gated(true)},
			[]State{StateInit, StateWorking, StateReviewing}, Data{Mode: Review, Iteration: 2}},
		{"a review that passes", Review, []step{begun, done(true), gated(true), pass(), gated(true)},
			[]State{StateInit, StateWorking, StateReviewing, StateComplete},
			Data{Mode: Review, Iteration: 1, Secondary: true}},
		{"notes send it back", Review, []step{begun, done(true), gated(true), rework(), done(true), gated(true),
			pass(), gated(true)},
			[]State{StateInit, StateWorking, StateReviewing, StateWorking, StateReviewing, StateComplete},
			Data{Mode: Review, Iteration: 2, Secondary: true}},
		{"a pass of who edits is void", Review, []step{begun, done(true), gated(true),
			{Secondary, Pass{Turn{Edited: true}}}},
			[]State{StateInit, StateWorking, StateReviewing, StateWorking}, Data{Mode: Review, Iteration: 2}},
		{"a later edit voids a pass", Review, []step{begun, done(true), gated(true), pass(),
			{machine.Ferrus, Gated{Green: true, Moved: true}}},
			[]State{StateInit, StateWorking, StateReviewing, StateWorking}, Data{Mode: Review, Iteration: 2}},
		{"consensus, the secondary first", Consensus, []step{begun, done(true), gated(true), pass(), gated(true),
			agree(), gated(true)},
			[]State{StateInit, StateWorking, StateReviewing, StateWorking, StateComplete},
			Data{Mode: Consensus, Iteration: 2, Primary: true, Secondary: true}},
		{"consensus, the primary first", Consensus, []step{begun, agree(), gated(true), pass(), gated(true)},
			[]State{StateInit, StateWorking, StateReviewing, StateComplete},
			Data{Mode: Consensus, Iteration: 1, Primary: true, Secondary: true}},
		{"an edit after a vote", Consensus, []step{begun, done(true), gated(true), pass(), gated(true),
			{Primary, Pass{Turn{Edited: true}}}, gated(true)},
			[]State{StateInit, StateWorking, StateReviewing, StateWorking, StateReviewing},
			Data{Mode: Consensus, Iteration: 2}},
		{"three turns without a signal", Review, []step{begun, quiet, mute, quiet},
			[]State{StateInit, StateWorking, StateReviewing, StateWorking, StateFailed},
			Data{Mode: Review, Iteration: 2, Silent: 2, Reason: Silence, Resume: StateWorking}},
		{"a signal ends the silence", Review, []step{begun, quiet, mute, done(true), gated(true), mute},
			[]State{StateInit, StateWorking, StateReviewing, StateWorking, StateReviewing, StateWorking},
			Data{Mode: Review, Iteration: 3, Silent: 1}},
		{"an agent gives up", Review, []step{begun, {Primary, Fail{}}},
			[]State{StateInit, StateWorking, StateFailed}, Data{Mode: Review, Iteration: 1, Reason: GivenUp,
				Resume: StateWorking}},
		{"interrupted in a gate, and resumed there", Review,
			[]step{begun, done(true), {machine.Human, Cancel{}}, {machine.Human, Resume{}}, gated(true)},
			[]State{StateInit, StateWorking, StateFailed, StateWorking, StateReviewing},
			Data{Mode: Review, Iteration: 1}},
		{"the limit", Review, []step{begun, done(true), gated(false), done(true), gated(false),
			done(true), gated(false)},
			[]State{StateInit, StateWorking, StateFailed}, Data{Mode: Review, Iteration: 3, Reason: MaxIterations,
				Resume: StateWorking}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := NewMachine(Start(c.mode))
			for _, s := range c.steps {
				if err := m.Step(policy, s.By, s.Event); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(m.History(), c.path) || m.Snap().Data != c.data {
				t.Errorf("%v %+v, want %v %+v", m.History(), m.Snap().Data, c.path, c.data)
			}
		})
	}
}

func TestRefusalsStay(t *testing.T) {
	limit := Snap{At: StateFailed, Data: Data{Mode: Review, Iteration: 3, Reason: MaxIterations, Resume: StateWorking}}
	for _, c := range []struct {
		at   Snap
		step step
		code machine.Code
	}{
		{Snap{At: StateWorking, Data: Data{Mode: Review, Iteration: 1}}, agree(), machine.GuardFailed},
		{Snap{At: StateWorking, Data: Data{Mode: Review, Iteration: 1}}, gated(true), machine.Stale},
		{Snap{At: StateWorking, Data: Data{Mode: Review, Iteration: 1, Pending: SignalDone}}, done(true),
			machine.GuardFailed},
		{Snap{At: StateReviewing, Data: Data{Mode: Review, Iteration: 1}}, done(true), machine.NoSuchTransition},
		{Snap{At: StateComplete, Data: Data{Mode: Review, Iteration: 1}}, step{machine.Human, Resume{}}, machine.Final},
		{limit, step{machine.Human, Resume{}}, machine.GuardFailed},
	} {
		m := NewMachine(c.at)
		err := m.Step(policy, c.step.By, c.step.Event)
		var r *machine.Refusal
		if !errors.As(err, &r) || r.Code != c.code || m.Snap() != c.at || len(m.History()) != 1 {
			t.Errorf("%s while %s: %v", c.step.Event.Kind(), c.at.At, err)
		}
	}
	m := NewMachine(limit)
	if err := m.Step(Policy{Iterations: 4, Silent: 3}, machine.Human, Resume{}); err != nil ||
		m.Snap().Data != (Data{Mode: Review, Iteration: 4}) {
		t.Errorf("with a higher limit: %v, %+v", err, m.Snap())
	}
}
