package conductor_test

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/session"
	"ferrus/store"
)

// exhausted returns an agent that has hit its usage limit until the file "refilled" is
// there; for how long is in the file "limit".
func exhausted(out io.Writer) (over bool) {
	if _, err := os.Stat("refilled"); err == nil {
		return false
	}
	length, _ := os.ReadFile("limit")
	fmt.Fprintf(
		out, "{\"type\":\"turn.failed\",\"error\":{\"message\":\"You've hit your usage limit. Try again in %s.\"}}\n",
		strings.TrimSpace(string(length)),
	)
	return true
}

// newExhausted returns a scene whose agents have used up what they get for some time.
func newExhausted(t *testing.T, length string) *fixture {
	t.Helper()
	s := newSpenders(t, "limited", "")
	s.write("limit", length)
	return s
}

func (s *fixture) write(name, text string) {
	s.Helper()
	if err := os.WriteFile(s.p.Dir+"/"+name, []byte(text), 0o600); err != nil {
		s.Fatal(err)
	}
}

func parked(v conductor.View) bool {
	p, ok := executor(v)
	return ok && p.State == session.CoolingDown && p.Limit != ""
}

func executor(v conductor.View) (conductor.PaneView, bool) {
	for _, p := range v.Panes {
		if p.Slot == core.SlotExecutor {
			return p, true
		}
	}
	return conductor.PaneView{}, false
}

// A session that ends because of its usage limit is no error: the slot waits
// for the time that the vendor named, and /resume does not.
func TestLimitParks(t *testing.T) {
	s := newExhausted(t, "3 hours 12 minutes")
	s.task()
	c := s.start()
	v := s.wait(c, "a parked executor", parked)
	p, _ := executor(v)
	if left := time.Until(p.Until); left < 190*time.Minute || left > 193*time.Minute {
		t.Errorf("it waits %v", left)
	}
	if p.Errors != 0 || p.TotalErrors != 0 || v.State.World.Hold != nil || !strings.Contains(p.Limit, "usage limit") {
		t.Errorf("the pane is %+v and the hold %v, want a usage limit without errors", p, v.State.World.Hold)
	}
	s.write("refilled", "")
	if _, err := c.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.wait(c, "the task to be complete", complete)
	s.close(c, false)
}

// The wait is written down: the next conductor waits, no longer than the
// first would have, also when the clock was set back in between.
func TestLimitSurvivesItsConductor(t *testing.T) {
	s := newExhausted(t, "3 hours")
	s.task()
	c := s.start()
	before, _ := executor(s.wait(c, "a parked executor", parked))
	if err := c.Detach(); err != nil {
		t.Fatal(err)
	}
	c = s.start()
	after, _ := executor(s.wait(c, "a parked executor", parked))
	if !after.Until.Equal(before.Until) || after.Session != before.Session {
		t.Errorf(
			"it waited until %v as session %d, now until %v as %d", before.Until, before.Session, after.Until,
			after.Session,
		)
	}
	s.close(c, false)

	r, err := s.p.Registry()
	if err != nil || r.Agents[0].Wait == nil {
		t.Fatalf("%v: no wait of the first agent: %+v", err, r.Agents)
	}
	r.Agents[0].Wait.Until = time.Now().Add(100 * time.Hour) // the clock was set back
	r.Agents[0].Wait.Length = time.Second
	if err := s.p.SaveRegistry(r); err != nil {
		t.Fatal(err)
	}
	s.write("refilled", "")
	c = s.start()
	s.wait(c, "the task to be complete", complete)
	s.close(c, false)
}

// Another agent has another account.
func TestLimitIsOfOneAgent(t *testing.T) {
	s := newExhausted(t, "3 hours")
	s.task()
	c := s.start()
	s.wait(c, "a parked executor", parked)
	s.play("work")
	if err := c.SwitchAgent("executor", "actor"); err != nil {
		t.Fatal(err)
	}
	// A quick reviewer approves it before a view shows the review.
	s.wait(c, "the other agent to submit", func(v conductor.View) bool { return v.State.World.Submission != nil })
	s.close(c, false)
}

// With a fallback in ferrus.toml the other agent continues by itself, for this task: ferrus.toml keeps
// the agent that it names.
func TestFallback(t *testing.T) {
	s := newExhausted(t, "3 hours")
	s.edit("[hq.executor]", "[hq.executor]\nfallback = [\"actor\"]")
	before, err := os.ReadFile(s.p.Dir + "/ferrus.toml")
	if err != nil {
		t.Fatal(err)
	}
	s.task()
	c := s.start()
	defer s.close(c, false)
	v := s.wait(c, "a session of the fallback", func(v conductor.View) bool {
		ended, err := s.p.Ended("")
		return err == nil && len(ended) > 1 && ended[0].Agent == metered().Name() && ended[1].Agent == "actor"
	})
	if pin := v.State.World.Pinned(); pin == nil || pin.Executor.Agent != "actor" || len(pin.Executor.Command) == 0 {
		t.Errorf("the task is pinned to %+v", pin)
	}
	if after, err := os.ReadFile(s.p.Dir + "/ferrus.toml"); err != nil || string(after) != string(before) {
		t.Errorf("%v: ferrus.toml is now\n%s", err, after)
	}
}

// Another agent that continues learns who worked before, how that ended, and what has changed; the
// same agent gets no hand-over.
func TestHandOver(t *testing.T) {
	s := newExhausted(t, "3 hours")
	s.edit(`"{role}"]`, `"{role}", "{prompt}"]`)
	s.task()
	c := s.start()
	defer s.close(c, false)
	s.wait(c, "a parked executor", parked)
	s.write("half.txt", "half of it\n")
	s.play("say")
	if err := c.SwitchAgent("executor", "actor"); err != nil {
		t.Fatal(err)
	}
	s.wait(c, "the hand-over", func(v conductor.View) bool {
		text := strings.Join(strings.Fields(printed(v)), " ")
		for _, words := range []string{
			"The task: Work.", "half.txt +1 -0", "+half of it",
			metered().Name() + " worked on it, in 1 session; the last one: hit a usage limit."} {
			if !strings.Contains(text, words) {
				return false
			}
		}
		return true
	})
}

// What an error makes a slot wait is kept as well, with the errors.
func TestCoolingDownSurvivesItsConductor(t *testing.T) {
	s := newFixture(t, "fail")
	s.edit("min_uptime_secs = 1", "min_uptime_secs = 60") // a slow start is none either
	s.task()
	c := s.start()
	s.wait(c, "a second error", func(v conductor.View) bool {
		p, _ := executor(v)
		return p.State == session.CoolingDown && p.Errors == 2
	})
	if err := c.Detach(); err != nil {
		t.Fatal(err)
	}
	r, err := s.p.Registry()
	if err != nil || r.Agents[0].Wait == nil || r.Agents[0].Wait.Length != 4*time.Second {
		t.Fatalf("read: %v: %+v; want a wait of 4s", err, r.Agents[0])
	}
	r.Agents[0].Wait.Until, r.Agents[0].Wait.Length = time.Now().Add(time.Hour), time.Hour
	if err := s.p.SaveRegistry(r); err != nil {
		t.Fatal(err)
	}
	c = s.start()
	p, _ := executor(s.wait(c, "the wait", func(v conductor.View) bool {
		p, _ := executor(v)
		return p.State == session.CoolingDown
	}))
	if p.Errors != 2 || time.Until(p.Until) < 50*time.Minute {
		t.Errorf("the pane is %+v, want 2 errors and a wait of an hour", p)
	}
	s.close(c, false)
}

// By the clock on the wall alone, a wait gets no longer.
func TestWaitLeft(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	w := project.Wait{Until: now.Add(time.Hour), Length: time.Hour}
	for after, want := range map[time.Duration]time.Duration{
		0: time.Hour, 20 * time.Minute: 40 * time.Minute, time.Hour: 0, 48 * time.Hour: 0, -48 * time.Hour: time.Hour,
	} {
		if got := w.Left(project.Clock{Now: now.Add(after)}); got != want {
			t.Errorf("%v later: %v, want %v", after, got, want)
		}
	}
}

// Within one boot of the machine the clock on the wall may be set as anybody likes.
func TestWaitWhenTheClockIsSet(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	w := project.Clock{Now: now, Boot: "b", Up: 5 * time.Hour}.Wait(time.Hour)
	for _, set := range []time.Duration{0, time.Hour, 100 * time.Hour, -100 * time.Hour} {
		for passed, want := range map[time.Duration]time.Duration{
			0: time.Hour, 20 * time.Minute: 40 * time.Minute, 2 * time.Hour: 0,
		} {
			c := project.Clock{Now: now.Add(passed + set), Boot: "b", Up: 5*time.Hour + passed}
			if got := w.Left(c); got != want {
				t.Errorf("set by %v, %v later: %v, want %v", set, passed, got, want)
			}
			if end := w.End(c); !end.Equal(c.Now.Add(want)) && passed < time.Hour {
				t.Errorf("set by %v, %v later: it ends at %v", set, passed, end)
			}
		}
	}
	if got := w.Left(project.Clock{
		Now: now.Add(20 * time.Minute), Boot: "another", Up: time.Minute,
	}); got != 40*time.Minute {
		t.Errorf("after another boot: %v", got)
	}
	if c := project.ReadClock(); runtime.GOOS == "linux" && (c.Boot == "" || c.Up <= 0) {
		t.Errorf("the clock of the boot is %+v", c)
	}
}

// A vendor that does not say when its limit ends is asked again, each time later.
func TestLimitWithoutATime(t *testing.T) {
	s := newExhausted(t, "a while")
	s.task()
	c := s.start()
	for _, minutes := range []time.Duration{5, 10, 20} {
		p, _ := executor(s.wait(c, "a parked executor", func(v conductor.View) bool {
			p, _ := executor(v)
			return parked(v) && time.Until(p.Until) > (minutes-1)*time.Minute
		}))
		if !p.Estimated || time.Until(p.Until) > minutes*time.Minute || p.TotalErrors != 0 {
			t.Errorf("the pane is %+v, want an estimated wait without errors", p)
		}
		if minutes == 10 { // the next conductor knows how long it was
			if err := c.Detach(); err != nil {
				t.Fatal(err)
			}
			c = s.start()
		}
		if _, err := c.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	v := s.wait(c, "a word about it", func(v conductor.View) bool {
		return hasNotice(v, "does not say when that resets")
	})
	if v.State.World.Hold != nil {
		t.Errorf("the hold is %v, want none", v.State.World.Hold)
	}
	s.close(c, false)
}

// A request to resume reaches the conductor; where there is none it is carried out.
func TestResumeAll(t *testing.T) {
	s := newExhausted(t, "3 hours")
	s.task()
	c := s.start()
	s.wait(c, "a parked executor", parked)
	if err := c.Detach(); err != nil {
		t.Fatal(err)
	}
	if waited, err := conductor.ResumeAll(t.Context(), s.p); !waited || err != nil {
		t.Errorf("without a conductor: %v, %v", waited, err)
	}
	if waited, err := conductor.ResumeAll(t.Context(), s.p); waited || err != nil {
		t.Errorf("once more: %v, %v", waited, err)
	}
	c = s.start()
	first, _ := executor(s.wait(c, "a parked executor again", parked))
	s.write("refilled", "")
	if waited, err := conductor.ResumeAll(t.Context(), s.p); !waited || err != nil {
		t.Errorf("with a conductor, beside session %d: %v, %v", first.Session, waited, err)
	}
	s.wait(c, "the task to be complete", complete)
	s.close(c, false)
}

// A slot that gave up continues by the request, as it does by /resume.
func TestResumeAllAfterGivingUp(t *testing.T) {
	s := newFixture(t, "fail")
	s.edit("min_uptime_secs = 1", "min_uptime_secs = 60\nmax_consecutive_errors = 1")
	s.task()
	c := s.start()
	defer s.close(c, false)
	s.wait(c, "a hold", held)
	s.play("work")
	if _, err := s.p.Do(t.Context(), store.Call{}, core.Command{Kind: "resume", By: project.HumanActor()}); err != nil {
		t.Fatal(err)
	}
	if waited, err := conductor.ResumeAll(t.Context(), s.p); waited || err != nil {
		t.Errorf("ResumeAll = %v, %v; want that nothing waited", waited, err)
	}
	s.wait(c, "the task to be complete", complete)
}
