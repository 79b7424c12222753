package project

import (
	"fmt"
	"path/filepath"
	"testing"

	"ferrus/hq/advice"
	"ferrus/store"
)

// TestHostsAreAskedOnce has two openings of a project, as two processes have it, ask for hosts
// and answer.
func TestHostsAreAskedOnce(t *testing.T) {
	f := newFixture(t)
	f.Heads = store.Heads(filepath.Join(t.TempDir(), "heads"))
	other, err := Open(f.Dir)
	if err != nil {
		t.Fatal(err)
	}
	other.Heads = f.Heads
	ask := func(host string, want bool) {
		t.Helper()
		if got := f.Reaches("executor:demo:1", host); got != want {
			t.Errorf("%s is reached: %v", host, got)
		}
	}
	list := func() []advice.AskedHost {
		t.Helper()
		state, err := other.World()
		if err != nil {
			t.Fatal(err)
		}
		return other.AskedHosts(state.World)
	}
	for range 3 {
		ask("one.test", false)
	}
	ask("two.test", false)
	if all := list(); len(all) != 2 || all[0].Host != "one.test" || all[0].By != "executor:demo:1" {
		t.Errorf("asked for are %+v, want 2, first one.test by executor:demo:1", all)
	}
	for host, answer := range map[string]advice.HostAnswer{"one.test": advice.HostTask, "two.test": advice.HostNo,
		"three.test": advice.HostAlways} {
		if _, err := other.AnswerHost(host, answer); err != nil {
			t.Fatal(err)
		}
	}
	ask("one.test", true)
	ask("two.test", false)
	ask("three.test", true)
	if _, err := other.AnswerHost("x y", advice.HostAlways); err == nil {
		t.Error("a host that is none is accepted")
	}
	for i := range 2 * maxAskedHosts {
		ask(fmt.Sprintf("flood%d.test", i), false)
	}
	if n := len(list()); n != maxAskedHosts {
		t.Errorf("%d hosts are kept", n)
	}
}

// TestAlwaysAnswersOtherTasks has two tasks ask for a host before it is always allowed in one of them.
func TestAlwaysAnswersOtherTasks(t *testing.T) {
	f := newFixture(t)
	f.Heads = store.Heads(filepath.Join(t.TempDir(), "heads"))
	other, err := f.MakeTask(t.Context(), "t-1-first")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range []*Task{other, f.Task} {
		if task.Reaches("executor:demo:1", "one.test") {
			t.Fatal("the host is reached before it is allowed")
		}
	}
	before, err := other.World()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.AnswerHost("one.test", advice.HostAlways); err != nil {
		t.Fatal(err)
	}
	if !other.Reaches("executor:demo:1", "one.test") {
		t.Error("the other task does not reach the host that is always allowed")
	}
	after, err := other.World()
	if err != nil || after.Seq == before.Seq {
		t.Errorf("the journal of the other task is at seq %d, %v; want a note, which its HQ sees", after.Seq, err)
	}
	for _, a := range other.AskedHosts(after.World) {
		if a.Answer == "" {
			t.Errorf("the other task still asks: %+v", a)
		}
	}
}

// TestAnswersCountAsYouWriteThem answers for hosts in other spellings than a program asks for, and several times.
func TestAnswersCountAsYouWriteThem(t *testing.T) {
	f := newFixture(t)
	f.Heads = store.Heads(filepath.Join(t.TempDir(), "heads"))
	for _, step := range []struct {
		host    string
		answer  advice.HostAnswer
		asked   string
		reaches bool
	}{
		{"One.TEST.", advice.HostTask, "one.test", true}, {"ONE.test:443", advice.HostNo, "one.test", false},
		{"*.two.test", advice.HostTask, "a.two.test", true}, {"a.two.test", advice.HostNo, "a.two.test", false},
		{"b.two.test", advice.HostAlways, "b.two.test", true}, {"*.two.test", advice.HostNo, "b.two.test", false},
		{"c.test:8443", advice.HostTask, "c.test", false},
	} {
		if _, err := f.AnswerHost(step.host, step.answer); err != nil {
			t.Fatal(err)
		}
		if got := f.Reaches("executor:demo:1", step.asked); got != step.reaches {
			t.Errorf("after %s %s, %s is reached: %v", step.answer, step.host, step.asked, got)
		}
		if got, want := f.Refuses(step.asked), step.answer == advice.HostNo; got != want {
			t.Errorf("after %s %s, %s is refused: %v", step.answer, step.host, step.asked, got)
		}
	}
}
