package conductor_test

import (
	"strings"
	"syscall"
	"testing"

	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/project"
)

func (s *scene) given(want int) string {
	s.Helper()
	all, err := s.p.Messages()
	if err != nil || len(all) != want {
		s.Fatalf("messages %+v, %v", all, err)
	}
	if want == 0 {
		return ""
	}
	return all[0].Given
}

// printed is what the executor's terminal holds, without its line ends.
func printed(v conductor.View) string {
	var b strings.Builder
	if len(v.Panes) > 0 {
		b.Write(v.Panes[0].Terminal.Snapshot())
	}
	return b.String()
}

// A session that waits for nothing is interrupted, which is no error, and the
// next one's prompt carries the message; again, if that one fails; and no more,
// when one ended well.
func TestTell(t *testing.T) {
	s := newScene(t, "say")
	s.edit(`"{role}"]`, `"{role}", "{prompt}"]`)
	s.task()
	c := s.start()
	defer func() { s.close(c, false) }()
	s.wait(c, "a running executor", running)
	if _, err := c.SendMessage(core.SlotExecutor, "use the XYZZY table"); err != nil {
		t.Fatal(err)
	}
	v := s.wait(c, "the next session", func(v conductor.View) bool {
		return running(v) && v.Panes[0].Session == 2 && strings.Contains(printed(v), "XYZZY")
	})
	if p := v.Panes[0]; p.Errors != 0 || p.TotalErrors != 0 {
		t.Errorf("it was counted: %+v", p)
	}
	second := s.given(1)
	if v.State.World.Hold != nil || second == "" {
		t.Errorf("hold %v, given to %q", v.State.World.Hold, second)
	}
	s.leave(c) // what was delivered is known to the next conductor
	c = s.start()
	v = s.wait(c, "the same session", running)
	if v.Panes[0].Session != 2 || s.given(1) != second {
		t.Errorf("it was delivered twice: %+v", v.Panes[0])
	}
	if err := syscall.Kill(v.Panes[0].PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.play("exit") // the one after that ends well
	s.wait(c, "its end", func(v conductor.View) bool { return v.Panes[0].Session >= 3 && v.Panes[0].Exit == "done" })
	s.given(0)
}

// A waiting tool returns with the message; no session is interrupted.
func TestTellWhoWaits(t *testing.T) {
	s := newScene(t, "hang")
	s.task()
	c := s.start()
	defer s.close(c, false)
	s.wait(c, "a running executor", running)
	r, err := s.p.Registry()
	if err != nil {
		t.Fatal(err)
	}
	sid, process := r.Agents[0].Session, r.Agents[0].Process
	if err := s.p.SavePresence(sid, project.Presence{
		PID: process.PID, Start: process.Start, Host: process.Host, Boot: process.Boot, Managed: true,
		Tool: "wait_for_answer",
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.p.PostMessage(core.SlotExecutor, "never mind"); err != nil { // as another program does
		t.Fatal(err)
	}
	s.wait(c, "that it is given", func(conductor.View) bool {
		all, _ := s.p.Messages()
		return len(all) == 1 && all[0].Given == sid
	})
	h, ok, err := s.p.TakeDirective(sid)
	if err != nil || !ok || h.Kind != project.DirectiveMessage || h.Text != "never mind" {
		t.Errorf("handed over: %+v, %v", h, err)
	}
	if p := c.View().Panes[0]; p.Session != 1 || p.State != "Running" {
		t.Errorf("it is %+v", p)
	}
}

// A message for a slot without a session waits for its next one.
func TestTellNobody(t *testing.T) {
	s := newScene(t, "say")
	s.edit(`"{role}"]`, `"{role}", "{prompt}"]`)
	if err := s.p.PostMessage(core.SlotExecutor, "use the XYZZY table"); err != nil {
		t.Fatal(err)
	}
	s.task()
	c := s.start()
	defer s.close(c, false)
	v := s.wait(c, "a running executor", func(v conductor.View) bool {
		return running(v) && strings.Contains(printed(v), "XYZZY")
	})
	if v.Panes[0].Session != 1 {
		t.Errorf("session %d", v.Panes[0].Session)
	}
	if s.p.PostMessage("none", "x") == nil || s.p.PostMessage(core.SlotExecutor, " ") == nil {
		t.Error("nonsense is taken")
	}
}
