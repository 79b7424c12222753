package conductor_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/session"
	"ferrus/store/longtest"
)

func (s *fixture) given(want int) string {
	s.Helper()
	all, err := s.p.Messages()
	if err != nil || len(all) != want {
		s.Fatalf("the messages are %+v, %v; want %d", all, err, want)
	}
	if want == 0 {
		return ""
	}
	return all[0].Given
}

// printed returns what the executor's terminal holds, without its line ends.
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
	s := newFixture(t, "say")
	s.willChangePart()
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
	s := newFixture(t, "hang")
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
	text := strings.Repeat("never mind\n", 10_000)
	if err := s.p.PostMessage(core.SlotExecutor, text); err != nil { // as another program does
		t.Fatal(err)
	}
	s.wait(c, "that it is given", func(conductor.View) bool {
		all, _ := s.p.Messages()
		return len(all) == 1 && all[0].Given == sid
	})
	h, ok, err := s.p.TakeDirective(sid)
	if err != nil || !ok || h.Kind != project.DirectiveMessage || !strings.Contains(h.Text, "has 109999 bytes") {
		t.Errorf("handed over: %+v, %v", h, err)
	}
	files, _ := filepath.Glob(filepath.Join(session.TextsDir(s.p, r.Agents[0].Task), "*.md"))
	if len(files) != 1 || !strings.Contains(h.Text, files[0]) {
		t.Errorf("files %v of %q", files, h.Text)
	}
	if p := c.View().Panes[0]; p.Session != 1 || p.State != "Running" {
		t.Errorf("it is %+v", p)
	}
}

// Long messages lie in files that the prompt names, until a session has ended well.
func TestTellMuch(t *testing.T) {
	longtest.OnlyCI(t)
	s := newFixture(t, "say")
	s.willChangePart()
	s.edit(`"{role}"]`, `"{role}", "{prompt}"]`)
	long := strings.Repeat("a line of it\n", 10_000) + "the last"
	for range 3 { // each fits into a prompt, but not all
		if err := s.p.PostMessage(core.SlotExecutor, strings.Repeat("SHORT ", 2000)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.p.PostMessage(core.SlotExecutor, long); err != nil {
		t.Fatal(err)
	}
	if s.p.PostMessage(core.SlotExecutor, strings.Repeat("x", project.MaxMessage+1)) == nil {
		t.Error("more than the limit is taken")
	}
	if s.p.PostMessage(core.SlotExecutor, "caf\xe9") == nil {
		t.Error("a message that is not UTF-8 is taken")
	}
	s.task()
	c := s.start()
	defer func() { s.close(c, false) }()
	v := s.wait(c, "a running executor", func(v conductor.View) bool {
		return running(v) && strings.Contains(printed(v), "has 130008 bytes")
	})
	if v.Panes[0].Session != 1 {
		t.Errorf("session %d runs, want the first", v.Panes[0].Session)
	}
	dir := session.TextsDir(s.p, v.State.World.Task.ID)
	files, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil || len(files) != 3 {
		t.Fatalf("the files are %v, %v; want 3", files, err)
	}
	data, err := os.ReadFile(files[2])
	if err != nil || string(data) != long+"\n" {
		t.Errorf("the file has %d bytes of %d, %v", len(data), len(long), err)
	}
	s.play("exit")
	if err := syscall.Kill(v.Panes[0].PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.wait(c, "its end", func(v conductor.View) bool { return v.Panes[0].Session >= 2 && v.Panes[0].Exit == "done" })
	s.given(0)
	if files, _ = filepath.Glob(filepath.Join(dir, "*")); len(files) != 0 {
		t.Errorf("files left: %v", files)
	}
}

// A long request is a file, too.
func TestALongRequest(t *testing.T) {
	s := newFixture(t, "say")
	s.edit(`"{role}"]`, `"{role}", "{prompt}"]`)
	c := s.start()
	defer func() { s.close(c, false) }()
	text := strings.Repeat("a line of it\n", 10_000)
	if err := c.Want(core.Request{Kind: core.ModePlan, Text: text}); err != nil {
		t.Fatal(err)
	}
	s.wait(c, "a running planner", func(v conductor.View) bool {
		return running(v) && strings.Contains(printed(v), "has 130000 bytes")
	})
	files, err := filepath.Glob(filepath.Join(session.TextsDir(s.p, ""), "*.md"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the files are %v, %v; want 1", files, err)
	}
	if data, err := os.ReadFile(files[0]); err != nil || string(data) != text+"\n" {
		t.Errorf("the file has %d bytes of %d, %v", len(data), len(text), err)
	}
}

// A message for a slot without a session waits for its next one.
func TestTellNobody(t *testing.T) {
	s := newFixture(t, "say")
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
		t.Errorf("session %d runs, want the first", v.Panes[0].Session)
	}
	if s.p.PostMessage("none", "x") == nil || s.p.PostMessage(core.SlotExecutor, " ") == nil {
		t.Error("nonsense is taken")
	}
}
