package merge

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/machine/merge"
	"ferrus/store/longtest"
)

// mergeEnv has this program stage and merge what is approved in a project, until it is killed or all is done. killEnv
// names the phase in which it kills itself, after so many microseconds: "moving 1200".
const (
	mergeEnv = "FERRUS_TEST_MERGE"
	killEnv  = "FERRUS_TEST_KILL"
)

// The phases in which a process is killed.
const (
	staging  = "staging"
	proving  = "proving"
	moving   = "moving"
	cleaning = "cleaning"
)

// mergeIn is that program.
func mergeIn(dir string) error {
	p, err := project.Open(dir, "one", "two")
	if err != nil {
		return err
	}
	q, err := queue.Open(p)
	if err != nil {
		return err
	}
	phase, after, _ := strings.Cut(os.Getenv(killEnv), " ")
	micros, _ := strconv.Atoi(after)
	armed := false
	arm := func() {
		if !armed {
			armed = true
			time.AfterFunc(time.Duration(micros)*time.Microsecond, func() {
				syscall.Kill(os.Getpid(), syscall.SIGKILL) //nolint:errcheck // it cannot be refused
			})
		}
	}
	m, o := New(p, q), Options{Batch: 4, Apart: true} // as a conductor has it
	o.stop = func() bool {
		if s, err := q.Load(); err == nil && phase != "" && phaseOf(s.World) == phase {
			arm()
		}
		return false
	}
	for {
		if phase == "" {
			// What is staged is all.
		} else if err := stageApproved(q, func() {
			if phase == staging {
				arm()
			}
		}); err != nil {
			return err
		}
		next, err := m.Advance(context.Background(), o)
		if err != nil {
			return err
		}
		if len(next.Prove)+len(next.Pulls)+len(next.Slow) == 0 && next.Busy == "" {
			if next.PollAt.IsZero() || len(next.Refused) == 0 {
				return nil
			}
			time.Sleep(time.Until(next.PollAt)) // what cannot be cleared away yet is tried again
		}
		for _, n := range next.Pulls {
			if err := m.Sync(context.Background(), n, Options{every: time.Hour}); err != nil {
				return err
			}
		}
		for _, n := range next.Slow {
			if err := m.Continue(context.Background(), n, o); err != nil {
				return err
			}
		}
		for _, target := range next.Prove {
			if err := m.Prove(context.Background(), target, o); err != nil {
				return err
			}
		}
	}
}

// stageApproved stages every item that is parked, and was not returned.
func stageApproved(q *queue.Queue, before func()) error {
	s, err := q.Load()
	if err != nil {
		return err
	}
	for _, i := range s.World.Items {
		if i.IsParked() && i.Returned == "" {
			before()
			if err := Stage(context.Background(), q, i, project.HumanActor(), ""); err != nil {
				return err
			}
		}
	}
	return nil
}

// phaseOf returns in which phase a merge is.
func phaseOf(d queue.Document) string {
	m := d.MergeOf("main")
	for _, i := range d.Items {
		if i.IsLanded() && i.Staged != nil {
			return cleaning
		}
	}
	switch m.State {
	case merge.StateProving:
		return proving
	case merge.StateProven, merge.StateMoving:
		return moving
	case merge.StateReturning:
		return cleaning
	}
	return ""
}

// mostLives is how many processes are killed in a row.
const mostLives = 6

// life runs one process, and reports whether it was killed.
func (f *fixture) life(phase string, micros int) (killed bool) {
	f.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), mergeEnv+"="+f.Dir, fmt.Sprintf("%s=%s %d", killEnv, phase, micros))
	c.Stderr = os.Stderr
	err := c.Run()
	if died := (*exec.ExitError)(nil); errors.As(err, &died) && died.ExitCode() < 0 {
		return true
	}
	f.ok(err)
	return false
}

// B.5 4: a process is killed (kill -9) while it stages, proves, moves or clears away, and another one starts: no
// commit is lost, nothing lands twice, the branch is never red, and no worktree is left.
func TestKilledInEachPhase(t *testing.T) {
	longtest.OnlyCI(t)
	t.Parallel()
	skipShort(t)
	kills := 1 // FERRUS_LONG has 200 of each
	if longtest.On() {
		kills = 200
	}
	for _, phase := range []string{staging, proving, moving, cleaning} {
		t.Run(phase, func(t *testing.T) {
			t.Parallel()
			killed, seed := 0, rand.Uint64()
			r := rand.New(rand.NewPCG(seed, 2))
			for round := 0; killed < kills; round++ {
				f := newFixture(t)
				first := f.git("rev-parse", "main")
				f.tasks(work{"file-a": "a"}, work{"not-with-a": "b"}, work{"file-c": "c"})
				for life := 0; ; life++ {
					in := phase
					if life >= mostLives || killed >= kills {
						in = "none" // this one ends the round
					}
					died := f.life(in, r.IntN(40_000*(life+1)))
					when := fmt.Sprintf("seed %d, round %d, after life %d", seed, round, life)
					f.proven(first, when)
					if m := f.merge(); m.Data.Held != "" { // three runners of one gate died
						f.ok(f.m.Decide(t.Context(), project.HumanActor(), "main", Resume, f.o))
					} else if !died {
						break
					}
					if died {
						killed++
					}
				}
				f.reconcile()
				if s := f.states(); strings.Count(s, "Landed") != 2 || f.item(2).Landed != "" ||
					f.git("rev-list", "--count", first+"..main") != "2" || f.git("status", "--porcelain") != "" ||
					strings.Count(f.git("worktree", "list"), "worktrees") != 1 {
					t.Fatalf("seed %d, round %d: %s\n%s\n%s", seed, round, s, f.git("status", "--porcelain"),
						f.git("worktree", "list"))
				}
				t.Logf("%d processes killed while %s", killed, phase)
			}
		})
	}
}

// A process dies while gh opens a pull request, and gh lives on: the next process waits for it, and opens none.
func TestKilledWhileGHRuns(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	f := newPullFixture(t)
	f.tasks(work{"file-a": "a"})
	f.stage(1)
	hold := filepath.Join(t.TempDir(), "hold")
	for _, name := range []string{".began", ".ends"} {
		f.ok(syscall.Mkfifo(hold+name, 0o600))
	}
	f.forge(func(all *fakeForge) { all.Hold = hold })
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), mergeEnv+"="+f.Dir)
	f.ok(c.Start())
	_, err := os.ReadFile(hold + ".began")
	f.ok(err)
	f.ok(c.Process.Kill())
	_ = c.Wait() // it was killed
	next, err := f.m.Advance(t.Context(), f.o)
	f.ok(os.WriteFile(hold+".ends", nil, 0o600))
	if err != nil || len(next.Pulls) > 0 || next.Busy == "" {
		t.Fatalf("while gh runs: %+v, %v", next, err)
	}
	for next.Busy != "" {
		next, err = f.m.Advance(t.Context(), f.o)
		f.ok(err)
	}
	f.sync()
	if pulls, calls := f.opened(); pulls != 1 || calls != 1 || f.item(1).Pull.ID != "1" {
		t.Errorf("%d pull requests, opened %d times; %+v", pulls, calls, f.item(1).Pull)
	}
}

// A process that looks after a pull request is killed at any time (kill -9), also while gh runs, and a second one
// starts: there is one pull request, and the work lands once.
func TestPullKilledAtAnyTime(t *testing.T) {
	t.Parallel()
	if !longtest.On() {
		t.Skip("set FERRUS_LONG: it kills 100 processes")
	}
	for killed := 0; killed < 100; {
		seed := rand.Uint64()
		r := rand.New(rand.NewPCG(seed, 3))
		f := newPullFixture(t)
		f.tasks(work{"file-a": "a"})
		f.stage(1)
		f.forge(func(all *fakeForge) { all.Slow = true })
		live := func() {
			for life := 0; ; life++ {
				c := exec.Command(os.Args[0])
				c.Env = append(os.Environ(), mergeEnv+"="+f.Dir)
				c.Stderr = os.Stderr
				f.ok(c.Start())
				after := time.Duration(20+r.IntN(100+40*life)) * time.Millisecond
				timer := time.AfterFunc(after, func() { c.Process.Kill() })
				err := c.Wait()
				timer.Stop()
				var died *exec.ExitError
				if err == nil {
					return
				}
				if !errors.As(err, &died) || died.ExitCode() >= 0 {
					t.Fatalf("seed %d, life %d: %v", seed, life, err)
				}
				killed++
			}
		}
		live()
		if pulls, calls := f.opened(); pulls != 1 || calls != 1 {
			t.Fatalf("seed %d: %d pull requests, opened %d times", seed, pulls, calls)
		}
		commit := f.mergeThere("squash")
		live()
		f.restart()
		f.reconcile()
		if i := f.item(1); i.Landed != commit {
			t.Fatalf("seed %d: %s: %+v, want the pull request's commit landed", seed, f.states(), i.Pull)
		}
		t.Logf("%d processes killed", killed)
	}
}
