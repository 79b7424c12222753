package land

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ferrus/store/longtest"
)

// A landing either lands the work and leaves everything else in the checkout unchanged, or it
// changes no byte of files, indexes and branches, whatever the branch and the human did in the
// meantime.
func TestLandingIsWholeOrNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it plays random landings")
	}
	t.Parallel()
	landings := 4
	if longtest.On() {
		landings = 12
	}
	for range landings {
		seed := uint64(time.Now().UnixNano())
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 0))
			l := newFixture(t, []string{"worktree", "worktree", "here"}[r.IntN(3)])
			if r.IntN(4) == 0 {
				l.mess(r, l.Dir)
			}
			l.startTask()
			for range 1 + r.IntN(3) {
				l.mess(r, l.in())
			}
			if l.in() != l.Dir {
				for range r.IntN(3) {
					l.mess(r, l.Dir)
					l.git("add", "-A")
					l.git("commit", "-q", "--allow-empty", "-m", "main moves on")
				}
				if r.IntN(2) == 0 {
					l.mess(r, l.Dir)
				}
				if r.IntN(3) == 0 {
					l.git("add", "-A")
				}
			}
			l.approve()
			l.whole(r.IntN(3) == 0)
		})
	}
}

// mess makes a random change.
func (l *fixture) mess(r *rand.Rand, dir string) {
	l.Helper()
	switch name := fmt.Sprintf("f%d.txt", r.IntN(4)); r.IntN(5) {
	case 0:
		put(l.T, dir, name, fmt.Sprintln(r.IntN(9)))
	case 1:
		_ = os.Remove(filepath.Join(dir, "gone.txt"))
	case 2:
		if r.IntN(3) == 0 {
			put(l.T, dir, "red", "red\n")
		}
	default:
		text, err := os.ReadFile(filepath.Join(dir, "a.txt"))
		l.ok(err)
		lines := strings.Split(string(text), "\n")
		lines[r.IntN(9)] = fmt.Sprintf("changed %d", r.IntN(3))
		put(l.T, dir, "a.txt", strings.Join(lines, "\n"))
	}
}

// whole lands and checks that one of the two outcomes holds.
func (l *fixture) whole(changes bool) {
	l.Helper()
	before, tip := l.picture(), l.git("rev-parse", "main")
	dirty := l.git("status", "--porcelain")
	own := l.in() != l.Dir
	d, err := l.land(Options{Keep: true, Changes: changes})
	if err != nil {
		l.Logf("not landed: %v", err)
		l.same(before, "not landed")
		return
	}
	if d.Commit != l.git("rev-parse", "main") || l.git("merge-base", tip, "main") != tip {
		l.Errorf("main is at %s, want a descendant of %s: %+v", l.git("rev-parse", "main"), tip, d)
	}
	now := l.git("status", "--porcelain")
	if own && now != dirty || !own && now != "" {
		l.Errorf("the checkout's changes are\n%s\nwant\n%s", now, dirty)
	}
	if l.world().Task.Landed == nil || exists(l.Store.Path(RecordFile)) || own && exists(l.Worktree(l.task).Top()) {
		l.Errorf("the landing left something behind: %+v, %+v", d, l.world().Task)
	}
}
