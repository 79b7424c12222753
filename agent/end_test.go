package agent

import (
	"context"
	"crypto/rand"
	"strings"
	"syscall"
	"testing"
	"time"

	"ferrus/agent/process"
)

func TestKilledBySignal(t *testing.T) {
	s, screen, _ := play(t, "hang")
	screen.await(t, "ready")
	if err := s.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if exit := done(t, s); exit.Code != -1 || exit.Signal != syscall.SIGTERM {
		t.Errorf("the exit is %+v, want SIGTERM", exit)
	}
}

func TestEndInterruptsFirst(t *testing.T) {
	s, screen, _ := play(t, "hang")
	screen.await(t, "ready")
	if exit := End(t.Context(), s, 10*time.Second); exit.Signal != syscall.SIGINT || exit.Err != nil {
		t.Errorf("the exit is %+v, want SIGINT without an error", exit)
	}
}

func TestEndKillsWhatIgnoresSignals(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	s, screen, _ := play(t, "stone")
	screen.await(t, "ready")
	if exit := End(t.Context(), s, 50*time.Millisecond); exit.Signal != syscall.SIGKILL || exit.Err != nil {
		t.Errorf("the exit is %+v, want SIGKILL without an error", exit)
	}
}

func TestEndDoesNotWaitWithoutPatience(t *testing.T) {
	s, screen, _ := play(t, "stone")
	screen.await(t, "ready")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	before := time.Now()
	if exit := End(ctx, s, time.Hour); exit.Signal != syscall.SIGKILL {
		t.Errorf("the exit is %+v, want SIGKILL", exit)
	}
	if took := time.Since(before); took > 20*time.Second {
		t.Errorf("End took %v, want at most 20s", took)
	}
}

func TestEndFindsGrandchildrenOfAnEndedSession(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	s, screen, _ := play(t, "litter")
	screen.await(t, "ready")
	if exit := done(t, s); exit.Code != 0 {
		t.Errorf("the exit is %+v, want code 0", exit)
	}
	if left := living(t, s); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
	End(t.Context(), s, 0)
	if left := living(t, s); len(left) != 0 {
		t.Errorf("processes are still alive: %v", left)
	}
}

func TestEndFindsDescendantsWithoutMark(t *testing.T) {
	s, screen, _ := play(t, "unmarked")
	screen.await(t, "ready")
	kin := living(t, s)
	if len(kin) != 2 {
		t.Errorf("the family is %v, want 2 processes", kin)
	}
	End(t.Context(), s, 0)
	for _, p := range kin {
		if now, err := process.Lookup(p.PID); err == nil && now.Same(p) && !now.Zombie {
			t.Errorf("still alive: %v", p)
		}
	}
}

// living returns what a session runs now.
func living(t *testing.T, s *Session) process.Table {
	t.Helper()
	all, err := s.living()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestKillTree(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	mark := marker + rand.Text()
	s, screen, _ := play(t, "litter", func(inv *Invocation) { inv.Env = append(inv.Env, mark) })
	screen.await(t, "ready")
	done(t, s)
	if err := KillTree(s.PID(), marker+"another"); err != nil {
		t.Fatal(err)
	}
	if left := living(t, s); len(left) != 1 {
		t.Fatalf("another session's mark: %v", left)
	}
	if err := KillTree(s.PID(), process.SessionID(strings.TrimPrefix(mark, marker))); err != nil {
		t.Fatal(err)
	}
	if left := living(t, s); len(left) != 0 {
		t.Errorf("still alive: %v", left)
	}
}

func TestKillTreeSparesAReusedNumber(t *testing.T) {
	s, screen, _ := play(t, "hang")
	screen.await(t, "ready")
	if err := KillTree(s.PID(), marker+"of a dead conductor"); err != nil {
		t.Fatal(err)
	}
	if len(living(t, s)) != 1 {
		t.Error("a process of another session was ended")
	}
}

func TestEndDuringFlood(t *testing.T) {
	s, screen, _ := play(t, "flood")
	screen.await(t, "dull")
	s.Attach(t.Context()) // and its output is not read
	End(t.Context(), s, 0)
	done(t, s)
}

func TestKillTreeOfALivingLeader(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	s, screen, _ := play(t, "unmarked")
	screen.await(t, "ready")
	all, err := processes()
	if err != nil {
		t.Fatal(err)
	}
	leader, _ := all.Find(s.PID())
	nonce := leader.Env[process.NonceEnv]
	if err := KillTree(s.PID(), process.SessionID(nonce)); err != nil {
		t.Fatal(err)
	}
	if exit := done(t, s); exit.Signal != syscall.SIGTERM {
		t.Errorf("the exit is %+v, want SIGTERM", exit)
	}
	if left := living(t, s); len(left) != 0 {
		t.Errorf("still alive: %v", left)
	}
}
