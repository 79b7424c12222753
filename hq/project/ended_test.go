package project

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"testing"
	"time"

	"ferrus/hq/core"
	"ferrus/machine"
)

func session(id, task string, tokens int) Ended {
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	return SessionRecord{
		Role: machine.Executor, AgentType: "coder", Name: "executor:coder:1", Slot: core.SlotExecutor,
		Mode: core.ModeWork, Task: task,
		Session: id, SessionSeq: 1, StartedAt: at, Exit: "done", Accepted: true,
	}.EndedNow(at.Add(time.Minute), &core.Usage{Input: tokens})
}

func (l *fixture) ended(task string) []Ended {
	l.Helper()
	all, err := l.Ended(task)
	if err != nil {
		l.Fatal(err)
	}
	return all
}

func TestEndedSessionsAreKept(t *testing.T) {
	t.Parallel()
	l := newFixture(t)
	if all := l.ended(""); len(all) != 0 {
		t.Errorf("before any: %+v", all)
	}
	a, b := session("aa", "t-1", 5), session("bb", "t-2", 7)
	b.Usage = nil
	for _, e := range []Ended{a, b} {
		if err := l.AddEnded(e); err != nil {
			t.Fatal(err)
		}
	}
	if got := l.ended(""); !reflect.DeepEqual(got, []Ended{a, b}) {
		t.Errorf("all sessions are %+v, want %+v", got, []Ended{a, b})
	}
	if got := l.ended("t-2"); !reflect.DeepEqual(got, []Ended{b}) {
		t.Errorf("of a task: %+v", got)
	}
	tally := SumUsage(l.ended(""))
	if s := tally.Roles[machine.Executor]; s.Sessions != 2 || s.Silent != 1 || s.Tokens() != 5 || tally.Total != s {
		t.Errorf("together they used %+v, want 5 tokens in 2 sessions, one silent", tally)
	}
}

// TestEndedStandsATornLine: a crash may leave half a line, and the next one is
// whole.
func TestEndedStandsATornLine(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	l := newFixture(t)
	a, b := session("aa", "t-1", 5), session("bb", "t-1", 7)
	if err := l.AddEnded(a); err != nil {
		t.Fatal(err)
	}
	file := l.Store.Path(EndedFile)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(data) {
		if err := os.WriteFile(file, append(bytes.Clone(data), data[:cut]...), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := l.ended(""); !reflect.DeepEqual(got, []Ended{a}) {
			t.Fatalf("torn at %d: %+v", cut, got)
		}
		if err := l.AddEnded(b); err != nil {
			t.Fatal(err)
		}
		if got := l.ended(""); !reflect.DeepEqual(got, []Ended{a, b}) {
			t.Fatalf("after a line torn at %d: %+v", cut, got)
		}
	}
}

func TestEndedTwiceCountsOnce(t *testing.T) {
	t.Parallel()
	l := newFixture(t)
	for _, tokens := range []int{5, 9} {
		if err := l.AddEnded(session("aa", "t-1", tokens)); err != nil {
			t.Fatal(err)
		}
	}
	if got := l.ended("t-1"); len(got) != 1 || got[0].Usage.Input != 9 {
		t.Errorf("the sessions are %+v, want one with 9 tokens", got)
	}
}

func TestEndedReadsTheEndOfALongFile(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it reads or writes large files")
	}
	l := newFixture(t)
	line := []byte(`{"session":"x","note":"` + fmt.Sprintf("%01000d", 0) + "\"}\n")
	if err := os.WriteFile(l.Store.Path(EndedFile), bytes.Repeat(line, 2*endedRead/len(line)), 0o600); err != nil {
		t.Fatal(err)
	}
	a := session("aa", "t-1", 5)
	if err := l.AddEnded(a); err != nil {
		t.Fatal(err)
	}
	if got := l.ended("t-1"); !reflect.DeepEqual(got, []Ended{a}) {
		t.Errorf("the sessions are %+v, want %+v", got, []Ended{a})
	}
}
