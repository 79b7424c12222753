package advice

import (
	"strings"
	"testing"

	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/machine/queue"
)

// TestApprovedWorkIsNotSentBack: the shell's refusal says why, and the way out.
func TestApprovedWorkIsNotSentBack(t *testing.T) {
	t.Parallel()
	what, hints := DescribeRefusal(&machine.Refusal{Code: machine.NoSuchTransition, Machine: "task",
		State: "Complete", Event: core.KindReject,
		Options: []machine.Option{{Event: core.KindReset, By: []machine.Role{machine.Human}}}})
	const want = "in HQ, comments on its diff (F4) send it back; ferrus land lands it | you can run: ferrus reset"
	if got := strings.Join(hints, " | "); what != "cannot reject while Complete: the work is approved" || got != want {
		t.Errorf("it says %q, with %q", what, got)
	}
}

// Without a task there is none to archive.
func TestARefusalInIdleDoesNotOfferReset(t *testing.T) {
	t.Parallel()
	_, hints := DescribeRefusal(&machine.Refusal{Code: machine.NoSuchTransition, Machine: "task", State: "Idle",
		Event: core.KindCheck, Options: []machine.Option{{Event: core.KindReset, By: []machine.Role{machine.Human}},
			{Event: core.KindCreateTask, By: []machine.Role{machine.Human}}}})
	if got := strings.Join(hints, " | "); got != `you can run: ferrus task add "task text"` {
		t.Errorf("it offers %q", got)
	}
}

// TestARefusalDoesNotOfferItself: what a guard refuses you is no way out; what an agent may not do, you may.
func TestARefusalDoesNotOfferItself(t *testing.T) {
	t.Parallel()
	for by, want := range map[machine.Role]string{
		machine.Human:    "wait for the gate|you can run: ferrus reset",
		machine.Executor: "wait for the gate|you can run: ferrus approve, ferrus reset",
	} {
		_, hints := DescribeRefusal(&machine.Refusal{Code: machine.GuardFailed, Machine: "task", State: "Reviewing",
			Event: core.KindApprove, By: by, Failed: []machine.Failed{{Reason: "no verdict", Fix: "wait for the gate"}},
			Options: []machine.Option{{Event: core.KindApprove, By: []machine.Role{machine.Human}},
				{Event: core.KindReset, By: []machine.Role{machine.Human}}}})
		if got := strings.Join(hints, "|"); got != want {
			t.Errorf("refused to the %s with %q, want %q", by, got, want)
		}
	}
}

// TestOneWhoTalksIsNotSentAway: while an agent works, what is said of another task says how to reach
// that agent, and does not suggest to give its work up.
func TestOneWhoTalksIsNotSentAway(t *testing.T) {
	t.Parallel()
	for _, s := range []machine.State{"Executing", "Checking", "Addressing", "Consultation"} {
		got := Closed(core.KindCreateTask, s)
		if !strings.Contains(got, "plain text reaches the working agent") || strings.Contains(got, "/reset") {
			t.Errorf("in %s: %s", s, got)
		}
	}
}

// TestRefusalsOfTheQueue: what the queue refuses is refused in words of the queue, with what can be done.
func TestRefusalsOfTheQueue(t *testing.T) {
	t.Parallel()
	yours := []machine.Role{machine.Human}
	for _, c := range []struct {
		event machine.Kind
		state machine.State
		open  []machine.Kind
		want  string
	}{
		{queue.KindMove, queue.StateRunning, []machine.Kind{queue.KindCancel},
			"cannot move while Running: only a task that waits can be moved"},
		{queue.KindHold, queue.StateParked, []machine.Kind{queue.KindResume, queue.KindCancel}, "cannot hold while " +
			"Parked: only a task that waits for its turn can be held | you can run: ferrus task resume <task>"},
		{queue.KindEdit, queue.StateLanded, nil,
			"cannot edit while Landed: only a task that waits can be edited"},
		{queue.KindHold, queue.StateLanded, nil,
			"cannot hold while Landed: only a task that waits for its turn can be held"},
	} {
		r := &machine.Refusal{Code: machine.NoSuchTransition, Machine: queue.Table().Name, State: c.state,
			Event: c.event}
		for _, e := range c.open {
			r.Options = append(r.Options, machine.Option{Event: e, By: yours})
		}
		what, hints := DescribeRefusal(r)
		if got := strings.Join(append([]string{what}, hints...), " | "); got != c.want {
			t.Errorf("it says %q, want %q", got, c.want)
		}
	}
}
