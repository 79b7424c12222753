package merge

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ferrus/hq/project"
	"ferrus/hq/queue"
)

// mergeEnv has this program merge what is staged in a project, until it is killed or all is done.
const mergeEnv = "FERRUS_TEST_MERGE"

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
	m := New(p, q)
	for {
		next, err := m.Advance(context.Background(), Options{Batch: 4})
		if err != nil || len(next.Prove)+len(next.Pulls) == 0 && next.Busy == "" {
			return err
		}
		for _, n := range next.Pulls {
			if err := m.Sync(context.Background(), n, Options{every: time.Hour}); err != nil {
				return err
			}
		}
		for _, target := range next.Prove {
			if err := m.Prove(context.Background(), target, Options{Batch: 4}); err != nil {
				return err
			}
		}
	}
}

// B.5 4: a process is killed at any time (kill -9), and a second one starts: no commit is lost, nothing
// lands twice, the branch is never red, and no worktree is left.
func TestKilledAtAnyTime(t *testing.T) {
	t.Parallel()
	if os.Getenv("FERRUS_LONG") == "" {
		t.Skip("set FERRUS_LONG: it kills 200 processes")
	}
	const kills = 200
	for killed := 0; killed < kills; {
		seed := rand.Uint64()
		r := rand.New(rand.NewPCG(seed, 2))
		f := newFixture(t)
		first := f.git("rev-parse", "main")
		f.tasks(work{"file-a": "a"}, work{"not-with-a": "b"}, work{"file-c": "c"})
		f.stage(1, 2, 3)
		for life := 0; ; life++ {
			c := exec.Command(os.Args[0])
			c.Env = append(os.Environ(), mergeEnv+"="+f.Dir)
			c.Stderr = os.Stderr
			f.ok(c.Start())
			timer := time.AfterFunc(time.Duration(50+r.IntN(100+50*life))*time.Millisecond, func() { c.Process.Kill() })
			err := c.Wait()
			timer.Stop()
			f.proven(first, fmt.Sprintf("seed %d, after life %d", seed, life))
			if m := f.merge(); m.Data.Held != "" { // three runners of one gate died
				f.ok(f.m.Decide(t.Context(), project.HumanActor(), "main", Resume, f.o))
			}
			var died *exec.ExitError
			if err == nil && !strings.Contains(f.states(), "Staged") {
				break
			}
			if err != nil && (!errors.As(err, &died) || died.ExitCode() >= 0) {
				t.Fatalf("seed %d, life %d: %v", seed, life, err)
			}
			killed++
		}
		f.reconcile()
		if s := f.states(); strings.Count(s, "Landed") != 2 || f.item(2).Landed != "" ||
			f.git("rev-list", "--count", first+"..main") != "2" || f.git("status", "--porcelain") != "" ||
			strings.Count(f.git("worktree", "list"), "worktrees") != 1 {
			t.Fatalf("seed %d: %s\n%s\n%s", seed, s, f.git("status", "--porcelain"), f.git("worktree", "list"))
		}
		t.Logf("%d processes killed", killed)
	}
}

// A process dies while gh opens a pull request, and gh lives on: the next process waits for it, and opens none.
func TestKilledWhileGHRuns(t *testing.T) {
	t.Parallel()
	skipShort(t)
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
	if os.Getenv("FERRUS_LONG") == "" {
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
			t.Fatalf("seed %d: %s: %+v", seed, f.states(), i.Pull)
		}
		t.Logf("%d processes killed", killed)
	}
}
