package gate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/checks"
	"ferrus/checks/git"
	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
)

// pin starts a new task with more in its [checks].
func (l *fixture) pin(checks string) {
	l.Helper()
	file := filepath.Join(l.Dir, "ferrus.toml")
	text, err := os.ReadFile(file)
	l.ok(err)
	l.write(file, strings.Replace(string(text), "[checks]\n", "[checks]\n"+checks+"\n", 1))
	l.do(core.Command{Kind: "reset", By: project.HumanActor()})
	l.do(core.Command{Kind: "create_task", By: project.HumanActor(), Text: "do it"})
	l.do(core.Command{Kind: "claim", By: hqtest.Executor()})
}

// A background process swaps a file while the commands run, and puts it back.
func TestTheGateRunsOnWhatItHashed(t *testing.T) {
	t.Parallel()
	l := newFixture(t, "touch $OUT/started; while ! test -f $OUT/go; do sleep 0.02; done; cat main.go >$OUT/seen")
	ticket := l.check()
	ran := make(chan error, 1)
	go func() { ran <- Run(l.Context(), l.Task, ticket, Options{}) }()
	l.until("a start", func() bool { _, err := os.Stat(filepath.Join(l.out, "started")); return err == nil })
	l.write(filepath.Join(l.Dir, "main.go"), "package swapped\n")
	l.write(filepath.Join(l.out, "go"), "")
	l.ok(<-ran)
	seen, err := os.ReadFile(filepath.Join(l.out, "seen"))
	l.ok(err)
	if g := l.world().Gate; string(seen) != "package main\n" || g.Verdict != checks.Pass {
		t.Errorf("the commands saw %q: %s", seen, g.Verdict)
	}
}

// A red gate names the ignored files that it lacked; setup creates them.
func TestIgnoredFilesAreMadeBySetup(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	l := newFixture(t, "test -f deps/lib")
	l.write(filepath.Join(l.Dir, ".gitignore"), ".ferrus/\ndeps/\n")
	l.ok(os.Mkdir(filepath.Join(l.Dir, "deps"), 0o755))
	l.write(filepath.Join(l.Dir, "deps", "lib"), "")
	if r := l.run(l.check()); r.Verdict != checks.Fail || !strings.Contains(r.Report, "git ignores: deps/. If") {
		t.Errorf("%s, want a failure whose report names deps/:\n%s", r.Why, r.Report)
	}
	l.pin(`setup = ["mkdir -p deps && touch deps/lib"]`)
	if r := l.run(l.check()); r.Verdict != checks.Pass {
		t.Errorf("%s, want a pass:\n%s", r.Why, r.Report)
	}
	l.pin(`allow_none = true`)
	file := filepath.Join(l.Dir, "ferrus.toml")
	text, err := os.ReadFile(file)
	l.ok(err)
	l.write(file, strings.Replace(string(text), "mkdir -p deps && touch deps/lib", "echo no network; exit 3", 1))
	l.pin(`protect = true`)
	l.write(filepath.Join(l.Dir, "go.sum"), "")
	if r := l.run(l.check()); r.Why != "FAIL: setup: echo no network; exit 3" ||
		!strings.Contains(r.Report, "no network") {
		t.Errorf("%s, want a failed setup whose report says no network:\n%s", r.Why, r.Report)
	}
}

func TestIncludedFilesComeFromTheCheckout(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs several gates")
	}
	l := newFixture(t, "cat .env")
	l.write(filepath.Join(l.Dir, ".gitignore"), ".ferrus/\n.env\n")
	l.write(filepath.Join(l.Dir, ".worktreeinclude"), ".env\n")
	for _, value := range []string{"A=1", "A=2"} {
		l.write(filepath.Join(l.Dir, ".env"), value)
		if r := l.run(l.check()); r.Verdict != checks.Pass || r.Commands[0].Tail[0] != value {
			t.Errorf("%s, want a pass that prints %s:\n%s", r.Why, value, r.Report)
		}
		l.write(filepath.Join(l.Dir, "main.go"), "package "+value)
	}
}

// A session's changes to included files, or to their list, reach no gate.
func TestIncludedFilesAreNotTheSessions(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs several gates")
	}
	t.Parallel()
	l := newFixture(t, "cat .env")
	l.write(filepath.Join(l.Dir, ".gitignore"), ".ferrus/\n.env\n")
	l.write(filepath.Join(l.Dir, ".worktreeinclude"), ".env\n")
	l.write(filepath.Join(l.Dir, ".env"), "A=1")
	file, err := os.ReadFile(filepath.Join(l.Dir, "ferrus.toml"))
	l.ok(err)
	l.write(filepath.Join(l.Dir, "ferrus.toml"), string(file)+"[hq]\nworkspace = \"worktree\"\n")
	l.ok(git.In(l.Dir).Do(t.Context(), "add", "-A"))
	l.ok(git.In(l.Dir).Do(t.Context(), "commit", "-qm", "include"))
	l.pin("protect = true")
	work := l.Workspace(l.world())
	if work == l.Dir {
		t.Fatal("the task has no worktree of its own")
	}
	l.write(filepath.Join(work, ".env"), "A=forged")
	l.write(filepath.Join(work, ".worktreeinclude"), "none\n")
	if r := l.run(l.check()); r.Verdict != checks.Pass || r.Commands[0].Tail[0] != "A=1" {
		t.Errorf("%s, want a pass that prints A=1:\n%s", r.Why, r.Report)
	}
}

func TestWhereLanesAre(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	t.Setenv("HOME", "")
	t.Setenv("XDG_CACHE_HOME", cache)
	if got := LanesDir(dir); got != filepath.Join(cache, "ferrus", "gates") {
		t.Errorf("lanes are in %s, want them in the cache", got)
	}
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	if got := LanesDir(dir); strings.HasPrefix(got, dir) {
		t.Errorf("in the project: %s", got)
	}
	t.Setenv("XDG_CACHE_HOME", "")
	if got := LanesDir(dir); !strings.HasPrefix(got, os.TempDir()) {
		t.Errorf("without a home: %s", got)
	}
}
