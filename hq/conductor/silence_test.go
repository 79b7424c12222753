package conductor_test

import (
	"os"
	"testing"

	"ferrus/agent/process"
	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/store"
)

// silentExecutor waits until the holder of the lease is found silent.
func (w *walker) silentExecutor() conductor.View {
	w.Helper()
	return w.wait(w.c, "silent holder", func(v conductor.View) bool {
		return v.Silent != nil && v.Silent.Slot == core.SlotExecutor
	})
}

// A session that you started by hand claims and then does nothing, though it lives: the
// view says so, and taking its lease lets an executor start.
func TestTakeFromAnUnmanagedHolder(t *testing.T) {
	w := newWalker(t, func() string { return "approve" })
	w.edit("[session]", "[lease]\nttl_secs = 1\nheartbeat_interval_secs = 1\n[session]")
	self, err := process.Identify(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	guest := core.Actor{
		Role: machine.Executor, ID: "executor:guest:1", Session: "guest", Mode: core.ModeFree, Process: self,
	}
	w.agents.install(false) // nothing starts before the guest claims
	w.issue("create_task")
	w.wait(w.c, "hold", held)
	claim := core.Command{Kind: core.KindClaim, By: guest}
	if _, err := w.p.Do(t.Context(), store.Call{}, claim); err != nil {
		t.Fatal(err)
	}
	w.agents.install(true)
	w.issue("/resume")
	if v := w.silentExecutor(); v.Silent.Name != guest.ID || len(v.Panes) > 0 && v.Panes[0].Session > 0 {
		t.Errorf("silent is %+v, want the guest and no session of ours: %s", v.Silent, describe(v))
	}
	if err := w.c.TakeLease(t.Context(), core.SlotReviewer); err == nil {
		t.Error("the work of the reviewer was taken from an executor")
	}
	if err := w.c.TakeLease(t.Context(), core.SlotExecutor); err != nil {
		t.Fatal(err)
	}
	w.wait(w.c, "Complete", complete)
	_, err = w.p.Do(t.Context(), store.Call{}, core.Command{Kind: core.KindHeartbeat, By: guest})
	if r := machine.AsRefusal(err); r == nil {
		t.Errorf("the guest, which came too late, got %v", err)
	}
}

// Our session that holds the lease and hangs is renewed for, so only its silence
// shows it; taking its lease, from a shell too, stops it and starts the next.
func TestTakeFromAManagedHolder(t *testing.T) {
	w := newWalker(t, func() string { return "sit" })
	w.edit("[session]", "[lease]\nttl_secs = 1\nheartbeat_interval_secs = 1\n[session]")
	w.issue("create_task")
	w.silentExecutor()
	if holder, err := conductor.TakeLease(t.Context(), w.p); err != nil || holder != "executor:actor:1" {
		t.Fatalf("the lease was of %q, %v; want executor:actor:1", holder, err)
	}
	w.wait(w.c, "second session", func(v conductor.View) bool { return v.Panes[0].Session == 2 })
	w.silentExecutor()
	if err := w.c.TakeLease(t.Context(), core.SlotExecutor); err != nil {
		t.Fatal(err)
	}
	w.wait(w.c, "third session", func(v conductor.View) bool {
		return v.Panes[0].Session == 3 && v.Panes[0].Errors == 0
	})
}
