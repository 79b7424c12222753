package budgets

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"ferrus/checks/git/gittest"
	"ferrus/hq/benchtest"
	"ferrus/hq/hqtest"
	"ferrus/hq/land"
)

// landing measures how long a landing blocks a branch that is checked out: how long git holds the
// locks that refuse other git commands there. It also reports how long the whole landing takes,
// from the first look at the checkout.
func landing(b *testing.B) {
	p := hqtest.NewProject(b, hqtest.Files{"ferrus.toml": "[checks]\ncommands = [\"true\"]\n", "a.txt": "0\n"})
	git := func(args ...string) string { return gittest.Run(b, p.Dir, args...) }
	branch, old := git("branch", "--show-current"), git("rev-parse", "HEAD")
	if err := os.WriteFile(filepath.Join(p.Dir, "a.txt"), []byte("1\n"), 0o644); err != nil {
		b.Fatal(err)
	}
	git("commit", "-q", "-a", "-m", "tip")
	tip := git("rev-parse", "HEAD")
	var blocked, whole []time.Duration
	for range repeats {
		git("reset", "-q", "--hard", old)
		locked := watchLocks(filepath.Join(p.Dir, ".git"), "index.lock", "HEAD.lock", "refs/heads/"+branch+".lock")
		began := time.Now()
		m := land.Move{Main: p, Branch: branch, Old: old, Tip: tip}
		hqtest.Must(b, m.Forward(b.Context()))
		whole = append(whole, time.Since(began))
		blocked = append(blocked, locked())
	}
	budget{"a landing blocks the branch", "ms", 50, false}.report(b, benchtest.Milliseconds(blocked, 0.5),
		"the whole landing", benchtest.Milliseconds(whole, 0.5))
}

// watchLocks polls for files. The function that it returns stops that, and returns the time from
// the first sight of one of them to the last.
func watchLocks(dir string, names ...string) (end func() time.Duration) {
	stop, result := make(chan struct{}), make(chan time.Duration)
	go func() {
		var first, last time.Time
		for {
			select {
			case <-stop:
				result <- last.Sub(first)
				return
			default:
			}
			for _, name := range names {
				if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
					if last = time.Now(); first.IsZero() {
						first = last
					}
				}
			}
		}
	}()
	return func() time.Duration { close(stop); return <-result }
}
