package adopt_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ferrus/agent"
	"ferrus/hq/adopt"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/store"
	"ferrus/store/exectest"
	"ferrus/store/longtest"
)

// roleEnv tells this program to adopt instead of running its tests; it has the project and the
// directory.
const roleEnv = "FERRUS_ADOPT_PLAYER"

// play adopts a directory and starts the task.
func play() {
	dir, from, _ := strings.Cut(os.Getenv(roleEnv), "\n")
	ctx := context.Background()
	p, err := project.Open(dir, agent.Names()...)
	if err == nil {
		_, err = adopt.Adopt(ctx, p, from, adopt.Options{}, "Retry fetch")
	}
	if err == nil {
		_, err = startTasks(ctx, p, 1)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// killer is a git that kills its caller at one of its calls: a file has the number of calls left.
const killer = `#!/bin/sh
n=$(cat '%[1]s')
echo $((n - 1)) >'%[1]s'
[ "$n" != 0 ] || kill -9 $PPID
exec '%[2]s' "$@"
`

// killedAt plays and kills at the given git call. It returns false if there were fewer calls.
func (f *fixture) killedAt(call int, dir string) bool {
	f.Helper()
	bin := f.TempDir()
	git, err := exec.LookPath("git")
	f.ok(err)
	count := filepath.Join(bin, "count")
	f.ok(os.WriteFile(count, []byte(fmt.Sprintln(call)), 0o600))
	f.ok(exectest.WriteFile(filepath.Join(bin, "git"), fmt.Appendf(nil, killer, count, git), 0o755))
	self, err := os.Executable()
	f.ok(err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), roleEnv+"="+f.Dir+"\n"+dir,
		"PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err == nil {
		return false
	}
	exit := (*exec.ExitError)(nil)
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		f.Fatalf("at call %d: %v, want that it was killed\n%s", call, err, out)
	}
	return true
}

// If it is killed before any git call, an adoption has happened once or not at all: either nothing
// is queued and it can be repeated, or the one task starts with everything. The directory is
// unchanged.
func TestKilledWhileAdopting(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	step := 7 // reaching a call takes a tenth of a second
	if longtest.On() {
		step = 1
	}
	for call := 0; ; call += step {
		f := newFixture(t, "[hq]\nworkspace = \"worktree\"\n")
		dir := f.linked()
		f.held(dir)
		before, status := f.state(dir), f.git(dir, "status", "--porcelain")
		killed := f.killedAt(call, dir)
		f.same(dir, before)
		n := 0
		if q, err := queue.Open(f.Task); err == nil {
			s, err := q.Load()
			f.ok(err)
			n = len(s.World.Items)
		} else if !errors.Is(err, store.ErrNone) {
			t.Fatal(err)
		}
		switch {
		case n == 0 && !killed:
			t.Fatal("nothing was adopted")
		case n == 0:
			f.adopt(dir, "Retry fetch")
		case n > 1:
			t.Fatalf("at call %d: %d tasks, want at most one", call, n)
		}
		one := f.startTask(1)
		w := hqtest.World(t, one)
		if w.Task == nil {
			t.Fatalf("at call %d: the task has not started", call)
		}
		if got := f.git(one.Workspace(w), "status", "--porcelain"); got != status {
			t.Errorf("at call %d: git status says\n%s\nwant\n%s", call, got, status)
		}
		if _, err := os.Stat(f.Conversation(one.ID)); err != nil {
			t.Errorf("at call %d: the conversation's copy: %v", call, err)
		}
		f.same(dir, before)
		if !killed {
			t.Logf("an adoption calls git at most %d times", call)
			return
		}
	}
}
