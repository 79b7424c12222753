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

// TestStoppedBeforeEveryStep ends a landing before each of its steps, as kill -9
// would: what comes next finds the work landed, or returned, or everything unchanged.
func TestStoppedBeforeEveryStep(t *testing.T) {
	longtest.OnlyCI(t)
	t.Parallel()
	every := 15 // a sample; FERRUS_LONG has them all
	if longtest.On() {
		every = 1
	}
	conflict := "1\n2\n3\n4\n5\n6\n7\n8\n9 on main\n"
	for name, c := range map[string]struct {
		workspace, file, text string
		keep                  bool
		least                 int // steps there are at least
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
						t.Errorf("only %d steps: %v", n, err)
					}
					return
				}
				l.again(n)
				l.wantAnEnd(before, fmt.Sprintf("%s, stopped before step %d", name, n))
			}
		})
	}
}

// again recovers, and is itself stopped a few times over it.
func (l *fixture) again(n int) {
	l.Helper()
	for m := 0; m < 3; m++ {
		lock, err := l.Store.TryLock(project.LandLock)
		l.ok(err)
		steps := 0
		_, err = recoverLocked(l.Context(), l.Task, lock, func() bool { steps++; return steps > m*2 })
		if err != nil && !errors.Is(err, errStopped) {
			l.Fatalf("step %d: %v", n, err)
		}
		l.ok(lock.Close())
	}
	_, err := Recover(l.Context(), l.Task)
	if err != nil {
		l.Fatalf("step %d: %v", n, err)
	}
}

// wantAnEnd demands one of the ends that there may be.
func (l *fixture) wantAnEnd(before, when string) {
	l.Helper()
	switch w := l.world(); {
	case w.Task.Landed != nil:
		l.home(when)
	case w.State == "Addressing":
		if exists(l.Store.Path(RecordFile)) {
			l.Errorf("%s: the record is left", when)
		}
		if l.gitIn(l.in(), "rev-parse", "HEAD") != l.git("rev-parse", "main") {
			l.Errorf("%s: the worktree is not at main", when)
		}
		if refs := l.git("for-each-ref", "refs/ferrus/rescued"); refs != "" {
			l.Errorf("%s: what no other process wrote is kept: %s", when, refs)
		}
	default:
		l.same(before, when)
	}
}

// TestRescue ends the process when the files of a change that returns have been written, and has it done again: what
// another process wrote there meanwhile is kept on a ref, and what ferrus wrote is not.
func TestRescue(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "mine\n"} {
		if testing.Short() && text == "" {
			continue // nothing is kept
		}
		l := newFixture(t, "worktree").startTask().work()
		l.main("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9 on main\n")
		l.approve()
		file := filepath.Join(l.in(), "a.txt")
		_, err := l.land(Options{stop: func() bool {
			now, _ := os.ReadFile(file)
			return bytes.Contains(now, []byte("<<<<<<<"))
		}})
		if !errors.Is(err, errStopped) {
			t.Fatalf("it ended with %v", err)
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
			t.Errorf("what is kept of %q is %q", text, got)
		}
	}
}
