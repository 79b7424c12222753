package core

import (
	"testing"

	"ferrus/machine"
)

func pinned(config string) *Pin {
	return &Pin{Supervisor: RolePin{Agent: "a"}, Executor: RolePin{Agent: "b", Model: "m"}, Config: config}
}

func TestPinIsOfTheTask(t *testing.T) {
	p := newLoop(t)
	edited := pinned("2")
	edited.Supervisor.Agent = "accomplice"
	p.do(p.with(say("create_task", human, "# Do it"), func(f *Facts) { f.Pin = pinned("1") }))
	p.do(p.with(Command{Kind: "claim", By: executor}, func(f *Facts) { f.Pin = edited }))
	if pin := p.w.Pinned(); pin.Supervisor.Agent != "a" || pin.Config != "1" {
		t.Errorf("the agent's edit changed the pin: %+v", pin)
	}
	p.wantRefusal(Command{Kind: "pin", By: executor, Pin: &PinChange{Role: machine.Supervisor,
		RolePin: RolePin{Agent: "accomplice"}}}, machine.NotYourRole, "role")
	p.wantRefusal(Command{Kind: "pin", By: program, Pin: &PinChange{
		Role: machine.Executor, RolePin: RolePin{Agent: "b"}}}, machine.NotYourRole, "fallback")
	change := &PinChange{Role: machine.Executor, RolePin: RolePin{Agent: "b", Model: "n"}, Before: "1", After: "3"}
	d := p.do(Command{Kind: "pin", By: human, Pin: change})
	if pin := p.w.Pinned(); pin.Executor.Model != "n" || pin.Supervisor.Agent != "a" || pin.Config != "3" ||
		d.Why != "executor: b (n), was b (m)" {
		t.Errorf("the pin is %+v, why %q; want the human's edit of the executor", pin, d.Why)
	}
	change.Before, change.After = "another", "4"
	if p.do(Command{Kind: "pin", By: human, Pin: change}); p.w.Pinned().Config != "3" {
		t.Error("the human's edit hid another edit")
	}
	change = &PinChange{Before: "3", After: "5"}
	p.wantRefusal(Command{Kind: "pin", By: program, Pin: change}, machine.NotYourRole, "fallback")
	d = p.do(Command{Kind: "pin", By: human, Pin: change})
	if pin := p.w.Pinned(); pin.Config != "5" || pin.Executor.Model != "n" || d.Event == "" {
		t.Errorf("after the human's edit for another task: %+v, event %q", pin, d.Event)
	}
	change.Before, change.After = "another", "6"
	if d = p.do(Command{Kind: "pin", By: human, Pin: change}); p.w.Pinned().Config != "5" || d.Event != "" {
		t.Error("the human's edit for another task hid another edit")
	}
}

// TestOlderTaskIsPinnedOnce covers a task of an earlier version: it gets its pin with its next
// event.
func TestOlderTaskIsPinnedOnce(t *testing.T) {
	p := newLoop(t)
	p.do(say("create_task", human, "# Do it"))
	if p.w.Pinned() != nil {
		t.Fatal("the task is not pinned")
	}
	p.do(p.with(Command{Kind: "claim", By: executor}, func(f *Facts) { f.Pin = pinned("1") }))
	p.do(p.with(Command{Kind: "check", By: executor}, func(f *Facts) { f.Pin = pinned("2") }))
	if pin := p.w.Pinned(); pin == nil || pin.Config != "1" {
		t.Errorf("the pin is %+v, want configuration 1", pin)
	}
}
