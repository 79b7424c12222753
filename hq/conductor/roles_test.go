package conductor_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/hq/conductor"
	"ferrus/hq/conductor/notice"
	"ferrus/hq/core"
	"ferrus/hq/pair"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/store"
)

func endorsed(v conductor.View) bool { return v.State.World.AwaitsApproval() }

// TestReviewerIsWhoWasChosen: while a task is open, ferrus.toml names another reviewer and
// another program for it. The pinned one reviews, and the edit needs the human.
func TestReviewerIsWhoWasChosen(t *testing.T) {
	s := newFixture(t, "work")
	s.task()
	s.edit("[hq.supervisor]\nagent = \"actor\"", "[hq.supervisor]\nagent = \"other\"\npermissions = \"bypass\"")
	s.edit("[agent.actor]\ncommand = [", "[agent.other]\ncommand = [\"true\"]\n[agent.actor]\ncommand = [\"false\", ")
	c := s.start()
	v := s.wait(c, "the pinned reviewer to accept", endorsed)
	if alarms := v.State.World.HumanAlarms(); len(alarms) == 0 || alarms[0].Rule != "settings-changed" {
		t.Errorf("the alarms are %v, want settings-changed", alarms)
	}
	s.wait(c, "a notice of the edit", func(v conductor.View) bool {
		return slices.ContainsFunc(v.Notices, func(n notice.Notice) bool {
			return strings.Contains(n.Text, "was edited")
		})
	})
	s.close(c, false)
}

// TestModelChangesThePin: the human's own change counts at once, and is no alarm.
func TestModelChangesThePin(t *testing.T) {
	s := newFixture(t, "sit")
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
		t.Errorf("the pin is %+v, want the model small and an entry about it\n%s", w.Task.Pin, describe(v))
	}
	if v.State.World.Pinned().Config == "" {
		t.Error("the file has no hash")
	}
	s.close(c, false)
}

// TestUntrustedStartsNothing: neither a request nor the task starts a program of ferrus.toml
// that is not trusted, also without check commands.
func TestUntrustedStartsNothing(t *testing.T) {
	s := newFixture(t, "work")
	s.edit(`commands = ["test -f work.txt"]`, "commands = []\nallow_none = true")
	s.p.Trusts = &project.TrustStore{File: filepath.Join(t.TempDir(), "trust.json")}
	c := s.start()
	untrusted := new(*project.UntrustedError)
	err := c.Want(core.Request{Kind: core.ModeTask, Role: machine.Supervisor, Text: "do it"})
	if !errors.As(err, untrusted) || !strings.Contains(strings.Join((*untrusted).Lines, "\n"), "agent.actor.command") {
		t.Errorf("a session was asked for: %v", err)
	}
	if _, err := c.Pair(t.Context(), pair.Request{Options: pair.Options{Task: "x"}}); !errors.As(err, untrusted) {
		t.Errorf("a pair was started: %v", err)
	}
	s.task()
	v := s.wait(c, "the task", func(v conductor.View) bool { return v.State.World.State == "Executing" })
	if r, err := s.p.Registry(); err != nil || slices.ContainsFunc(r.Agents, func(e project.SessionRecord) bool {
		return e.PID != 0
	}) {
		t.Errorf("something started: %+v, %v\n%s", r, err, describe(v))
	}
	if err := c.Trust(t.Context(), v.Gate.Untrusted); err != nil {
		t.Fatal(err)
	}
	s.wait(c, "Complete", complete)
	s.close(c, false)
}
