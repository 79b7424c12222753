package conductor_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"ferrus/agent/process"
	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/session"
	"ferrus/hq/workflow"
	"ferrus/store"
	"ferrus/ui/vt"
)

// leave has the conductor go without its sessions, and returns the executor's.
func (s *fixture) leave(c *conductor.Conductor) project.SessionRecord {
	s.Helper()
	if err := c.Detach(); err != nil {
		s.Fatal(err)
	}
	r, err := s.p.Registry()
	if err != nil || len(r.Agents) != 1 || r.Agents[0].Status != project.Running {
		s.Fatalf("the registry is %+v, %v; want one running agent", r, err)
	}
	if alive, known := process.Alive(r.Agents[0].Process); !alive || !known {
		s.Fatal("the session has ended")
	}
	return r.Agents[0]
}

func shows(p conductor.PaneView, words string) (found bool) {
	p.Terminal.With(func(t *vt.Terminal) {
		_, rows := t.Size()
		for y := range rows {
			found = found || strings.Contains(t.Row(y), words)
		}
	})
	return found
}

// A conductor that detaches ends no session; the next one continues with the same
// session, in the same state, and has its screen at once.
func TestLeave(t *testing.T) {
	s := newFixture(t, "hang")
	s.task()
	c := s.start()
	s.wait(c, "a running executor", func(v conductor.View) bool { return running(v) && shows(v.Panes[0], "waiting") })
	before := s.leave(c)
	c = s.start()
	defer s.close(c, false)
	v := c.View()
	if len(v.Panes) != 1 || !shows(v.Panes[0], "waiting") {
		t.Fatalf("not redrawn at once: %s", describe(v))
	}
	p := v.Panes[0]
	if p.State != session.Running || p.PID != before.PID || p.Session != before.SessionSeq || p.Errors != 0 {
		t.Errorf("it continues as %+v", p)
	}
}

// The same holds for the session of a workflow's phase, which no task and no request of yours calls for.
func TestLeaveAPhase(t *testing.T) {
	s := newFixture(t, "hang")
	c := s.start()
	if _, err := c.StartWorkflow(t.Context(), "oneshot", "Work"); err != nil {
		t.Fatal(err)
	}
	s.wait(c, "a running session", running)
	before := s.leave(c)
	c = s.start()
	v := s.wait(c, "the phase", func(v conductor.View) bool { return v.Next.Do == workflow.DoSession })
	if len(v.Panes) != 1 || v.Panes[0].Stopping {
		t.Errorf("the session is stopped: %s", describe(v))
	}
	if after := s.leave(c); after.Session != before.Session || after.PID != before.PID {
		t.Errorf("%s of process %d continues as %s of %d", before.Session, before.PID, after.Session, after.PID)
	}
	c = s.start()
	defer s.close(c, false)
	if p := c.View().Panes[0]; p.PID != before.PID || p.State != session.Running {
		t.Errorf("it continues as %+v, want process %d", p, before.PID)
	}
}

// A session that nothing is left for is ended by the next conductor.
func TestLeftAndNotWanted(t *testing.T) {
	s := newFixture(t, "hang")
	s.task()
	c := s.start()
	s.wait(c, "a running executor", running)
	s.leave(c)
	if _, err := s.p.Do(t.Context(), store.Call{}, core.Command{Kind: "reset", By: project.HumanActor()}); err != nil {
		t.Fatal(err)
	}
	c = s.start()
	defer s.close(c, false)
	s.wait(c, "no process", func(v conductor.View) bool {
		return v.Panes[0].State == session.SessionComplete && v.Panes[0].PID == 0
	})
	s.checkNoAgentLeft()
}

// How a session ended counts, even if no conductor was there to see it.
func TestLeftAndEnded(t *testing.T) {
	s := newFixture(t, "hang")
	s.task()
	c := s.start()
	s.wait(c, "a running executor", running)
	before := s.leave(c)
	if err := syscall.Kill(before.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	c = s.start()
	defer s.close(c, false)
	v := s.wait(c, "the end", func(v conductor.View) bool { return v.Panes[0].TotalErrors == 1 })
	if p := v.Panes[0]; !strings.Contains(p.Exit, "SIGKILL") {
		t.Errorf("it ended as %q", p.Exit)
	}
	s.wait(c, "the next session", func(v conductor.View) bool {
		return running(v) && v.Panes[0].Session > before.SessionSeq
	})
}

// A host that died with its conductor leaves nothing.
func TestLeftAndHostKilled(t *testing.T) {
	s := newFixture(t, "hang")
	s.task()
	c := s.start()
	s.wait(c, "a running executor", running)
	before := s.leave(c)
	record, ok, err := session.ReadRecord(s.p, core.SlotExecutor)
	if err != nil || !ok || record.Session != before.Session {
		t.Fatalf("the record is %+v, %v; want the same session", record, err)
	}
	if err := syscall.Kill(record.Host.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	c = s.start()
	defer s.close(c, false)
	v := s.wait(c, "the next session", func(v conductor.View) bool {
		return running(v) && v.Panes[0].Session > before.SessionSeq
	})
	if v.Panes[0].PID == before.PID {
		t.Error("it is the same process")
	}
}

// The loop continues by itself where it was left, whenever that is.
func TestLeftAgainAndAgain(t *testing.T) {
	s := newFixture(t, "work")
	s.task()
	for range 20 {
		c := s.start()
		if complete(c.View()) {
			s.close(c, false)
			return
		}
		select {
		case <-c.Updates():
		case <-time.After(time.Second):
		}
		if err := c.Detach(); err != nil {
			t.Fatal(err)
		}
	}
	c := s.start()
	defer s.close(c, false)
	s.wait(c, "Complete", complete)
}
