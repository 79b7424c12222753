package conductor_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/need"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/machine"
	"ferrus/store"
)

// onNeed has the conductor append needs to a file, and returns it.
func (s *fixture) onNeed(settings string) string {
	s.Helper()
	log := filepath.Join(s.TempDir(), "needs")
	s.edit("[hq.supervisor]", fmt.Sprintf("[hq]\non_need = [\"sh\", \"-c\", \"cat >>%s\"]\n%s[hq.supervisor]", log,
		settings))
	s.p.Heads = store.Heads(filepath.Join(s.TempDir(), "heads"))
	return log
}

// needs returns what the command was run for, in order.
func (s *fixture) needs(log string) (all []need.Need) {
	s.Helper()
	data, err := os.ReadFile(log)
	if err != nil && !os.IsNotExist(err) {
		s.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var n need.Need
		if json.Unmarshal([]byte(line), &n) == nil {
			all = append(all, n)
		}
	}
	return all
}

// holdFor puts the task on hold.
func (s *fixture) holdFor(reason string) {
	s.Helper()
	hqtest.Do(s, s.p, core.Command{Kind: core.KindHold, By: project.HumanActor(), Text: reason})
}

// The command runs once for each need, also over a restart, and again when it comes again.
func TestOnNeed(t *testing.T) {
	s := newFixture(t, "hang")
	log := s.onNeed("")
	s.task()
	s.holdFor(core.HoldSetup)
	c := s.start()
	s.wait(c, "hold", held)
	s.close(c, false)
	if all := s.needs(log); len(all) != 1 || all[0].Kind != "hold" || all[0].Project != s.p.Dir ||
		all[0].Title != "Work" || len(all[0].Options) == 0 {
		t.Fatalf("the needs are %+v, want one hold with options", all)
	}
	c = s.start()
	s.wait(c, "hold", held)
	if _, err := c.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.wait(c, "an end of the hold", func(v conductor.View) bool { return !held(v) })
	s.holdFor(core.HoldSetup)
	s.wait(c, "the next hold", held)
	s.close(c, false)
	if all := s.needs(log); len(all) != 2 {
		t.Errorf("notified of %+v", all)
	}
}

// For a need that has not waited long enough the command runs when a run without a screen
// ends, in HQ it does not, and never for what you did yourself.
func TestOnNeedAfter(t *testing.T) {
	for _, at := range []struct{ headless, yours bool }{{true, false}, {false, false}, {true, true}} {
		headless, yours := at.headless, at.yours
		s := newFixtureAlone(t, "hang")
		log := s.onNeed("on_need_after = \"1h\"\n")
		s.task()
		if s.holdFor(core.HoldSetup); yours {
			s.holdFor(core.HoldStop)
		}
		c, err := conductor.Start(t.Context(), s.p, conductor.Options{Headless: headless}, nil)
		if err != nil {
			t.Fatal(err)
		}
		s.wait(c, "hold", held)
		s.close(c, false)
		if n := len(s.needs(log)); (headless && !yours) != (n == 1) {
			t.Errorf("%+v: notified %d times", at, n)
		}
	}
}

// A command that is not trusted does not run, and one that was trusted stays when an agent
// edits the file.
func TestOnNeedIsTrusted(t *testing.T) {
	s := newFixture(t, "hang")
	log := s.onNeed("")
	s.p.Trusts = &project.TrustStore{File: filepath.Join(t.TempDir(), "trust.json")}
	s.task()
	s.holdFor(core.HoldSetup)
	c := s.start()
	v := s.wait(c, "a notice", func(v conductor.View) bool {
		return strings.Contains(describe(v), "notify you with on_need")
	})
	if all := s.needs(log); len(all) != 0 {
		t.Fatalf("notified of %+v", all)
	}
	if err := c.Trust(t.Context(), v.Gate.Untrusted); err != nil {
		t.Fatal(err)
	}
	s.wait(c, "the first need", func(conductor.View) bool { return len(s.needs(log)) == 1 })
	s.edit("cat >>"+log, "cat >>"+log+".agent")
	s.wait(c, "the edit", func(v conductor.View) bool { return len(v.Gate.Untrusted) > 0 })
	s.holdFor(core.HoldUnproven)
	s.wait(c, "the next hold", func(v conductor.View) bool {
		return held(v) && v.State.World.Hold.Reason == core.HoldUnproven
	})
	s.close(c, false)
	var kinds []string
	for _, n := range s.needs(log) {
		kinds = append(kinds, n.Kind)
	}
	slices.Sort(kinds) // the commands run beside each other
	if want := []string{"hold", "hold", "trust"}; !slices.Equal(kinds, want) {
		t.Errorf("notified of %v, want %v", kinds, want)
	}
	if all := s.needs(log + ".agent"); len(all) != 0 {
		t.Errorf("an edited command ran: %+v", all)
	}
}

// What the queue asks is notified of, too: a plan that a supervisor proposed is in no task yet.
func TestOnNeedOfTheQueue(t *testing.T) {
	s := newFixture(t, "hang")
	log := s.onNeed("")
	by := core.Actor{Role: machine.Supervisor, ID: "supervisor:x:1", Session: "p", Mode: core.ModePlan}
	if _, err := queue.Propose(t.Context(), s.p, store.Call{}, by, "# One\n\n# Two\n"); err != nil {
		t.Fatal(err)
	}
	c := s.schedule()
	s.wait(c, "the plan", func(conductor.View) bool { return len(s.needs(log)) == 1 })
	s.close(c, false)
	if n := s.needs(log)[0]; n.Kind != "plan" || n.Text != "2 tasks are proposed: #1, #2" {
		t.Errorf("notified of %+v", n)
	}
}
