package land

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/hq/project"
	"ferrus/store/longtest"
)

// TestStoppedBeforeEveryStep interrupts a landing before each of its steps, like kill -9. Recovery
// must find the work landed, returned, or everything unchanged.
func TestStoppedBeforeEveryStep(t *testing.T) {
	longtest.OnlyCI(t)
	t.Parallel()
	every := 15 // a sample; FERRUS_LONG runs all
	if longtest.On() {
		every = 1
	}
	conflict := "1\n2\n3\n4\n5\n6\n7\n8\n9 on main\n"
	for name, c := range map[string]struct {
		workspace, file, text string
		keep                  bool
		least                 int // the minimum number of steps
	}{
		"here":          {"here", "", "", false, 5},
		"straight":      {"worktree", "", "", false, 7},
		"merged":        {"worktree", "b.txt", "b\n", false, 8},
		"conflict kept": {"worktree", "a.txt", conflict, true, 2},
		"conflict":      {"worktree", "a.txt", conflict, false, 9},
		"red":           {"worktree", "red", "x\n", false, 10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newFixture(t, c.workspace).startTask().work()
			if c.file != "" {
				l.main(c.file, c.text)
			}
			restore, before := l.approve().save(), l.picture()
			for n := 0; ; n += every {
				if n > 0 {
					restore()
				}
				steps := 0
				_, err := l.land(Options{Keep: c.keep, stop: func() bool { steps++; return steps > n }})
				if !errors.Is(err, errStopped) {
					if n < c.least {
						t.Errorf("only %d steps, want at least %d: %v", n, c.least, err)
					}
					return
				}
				l.again(n)
				l.wantAnEnd(before, fmt.Sprintf("%s, stopped before step %d", name, n))
			}
		})
	}
}

// again recovers, and interrupts the recovery itself a few times.
func (l *fixture) again(n int) {
	l.Helper()
	for m := 0; m < 3; m++ {
		lock, err := l.Store.TryLock(project.LandLock)
		l.ok(err)
		steps := 0
		_, err = recoverLocked(l.Context(), l.Task, lock, func() bool { steps++; return steps > m*2 })
		if err != nil && !errors.Is(err, errStopped) {
			l.Fatalf("stopped before step %d: %v", n, err)
		}
		l.ok(lock.Close())
	}
	_, err := Recover(l.Context(), l.Task)
	if err != nil {
		l.Fatalf("step %d: recover: %v", n, err)
	}
}

// wantAnEnd checks that one of the permitted outcomes holds.
func (l *fixture) wantAnEnd(before, when string) {
	l.Helper()
	switch w := l.world(); {
	case w.Task.Landed != nil:
		l.home(when)
	case w.State == "Addressing":
		if exists(l.Store.Path(RecordFile)) {
			l.Errorf("%s: the landing's record still exists", when)
		}
		if l.gitIn(l.in(), "rev-parse", "HEAD") != l.git("rev-parse", "main") {
			l.Errorf("%s: the worktree is not at main's tip", when)
		}
		if refs := l.git("for-each-ref", "refs/ferrus/rescued"); refs != "" {
			l.Errorf("%s: refs were kept though no other process wrote anything: %s", when, refs)
		}
	default:
		l.same(before, when)
	}
}

// TestRescue stops the landing once it has written the files of a change that goes back, and
// repeats it: changes that another process wrote meanwhile are kept on a ref, and ferrus's own are
// not.
func TestRescue(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it lands a task")
	}
	for _, text := range []string{"", "mine\n"} {
		l := newFixture(t, "worktree").startTask().work()
		l.main("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9 on main\n")
		l.approve()
		file := filepath.Join(l.in(), "a.txt")
		_, err := l.land(Options{stop: func() bool {
			now, _ := os.ReadFile(file)
			return bytes.Contains(now, []byte("<<<<<<<"))
		}})
		if !errors.Is(err, errStopped) {
			t.Fatalf("the landing ended with %v, want errStopped", err)
		}
		want := ""
		if text != "" {
			l.ok(os.WriteFile(filepath.Join(l.in(), "new.txt"), []byte(text), 0o644))
			want = strings.TrimSpace(text)
		}
		_, err = Recover(t.Context(), l.Task)
		l.ok(err)
		got := ""
		if l.git("for-each-ref", "refs/ferrus/rescued") != "" {
			got = l.git("show", "refs/ferrus/rescued/"+l.world().Task.ID+":new.txt")
		}
		if got != want {
			t.Errorf("for %q the kept refs are %q, want %q", text, got, want)
		}
	}
}
