package conductor_test

import (
	"slices"
	"strings"
	"testing"

	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/store"
)

func endorsed(v conductor.View) bool { return v.State.World.AwaitsApproval() }

// TestReviewerIsWhoWasChosen: while a task is open, ferrus.toml names another reviewer and
// another program for it. The pinned one reviews, and the edit needs the human.
func TestReviewerIsWhoWasChosen(t *testing.T) {
	s := newScene(t, "work")
	s.task()
	s.edit("[hq.supervisor]\nagent = \"actor\"", "[hq.supervisor]\nagent = \"other\"\npermissions = \"bypass\"")
	s.edit("[agent.actor]\ncommand = [", "[agent.other]\ncommand = [\"true\"]\n[agent.actor]\ncommand = [\"false\", ")
	c := s.start()
	v := s.wait(c, "the pinned reviewer to accept", endorsed)
	if alarms := v.State.World.HumanAlarms(); len(alarms) == 0 || alarms[0].Rule != "settings-changed" {
		t.Errorf("alarms: %v", alarms)
	}
	if !slices.ContainsFunc(v.Notices, func(n conductor.Notice) bool {
		return strings.Contains(n.Text, "was edited")
	}) {
		t.Errorf("the human was not told: %s", describe(v))
	}
	s.close(c, false)
}

// TestModelChangesThePin: the human's own change counts at once, and is no alarm.
func TestModelChangesThePin(t *testing.T) {
	s := newScene(t, "sit")
	s.task()
	c := s.start()
	if err := c.SetModel("executor", "small"); err != nil {
		t.Fatal(err)
	}
	if err := c.SwitchAgent("supervisor", "nosuch"); err == nil {
		t.Error("an unknown agent was taken")
	}
	w := c.View().State.World
	v := s.wait(c, "the event", func(v conductor.View) bool { return len(v.Journal) > 0 && w.Task.Pin != nil })
	i := slices.IndexFunc(v.Journal, func(l store.Entry) bool { return l.Event == string(core.KindPin) })
	if w.Task.Pin.Executor.Model != "small" || i < 0 || v.Journal[i].By != "person" ||
		v.Journal[i].Why != "executor: actor (small), was actor (its default model)" {
		t.Errorf("%+v\n%s", w.Task.Pin, describe(v))
	}
	if v.State.World.Pinned().Config == "" {
		t.Error("the file has no hash")
	}
	s.close(c, false)
}
