package merge

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/checks/git/gittest"
	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/machine/merge"
	"ferrus/store"
	"ferrus/store/longtest"
)

// yours runs git as you do, with what you have configured.
func (f *fixture) yours(args ...string) string {
	f.Helper()
	c := exec.Command("git", args...)
	c.Dir = f.Dir
	out, err := c.CombinedOutput()
	if err != nil {
		f.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// land stages two items and merges them; each step of the merge is preceded by something that you do.
func (f *fixture) land(each func()) {
	f.Helper()
	f.stage(1, 2)
	f.o.stop = func() bool { each(); return false }
	f.complete()
	f.o.stop = nil
	f.reconcile()
	f.shows("#1 Landed, #2 Landed")
	if got := f.git("show", "main:file-a") + f.git("show", "main:file-b"); got != "ab" {
		f.Errorf("what landed is %q", got)
	}
}

// B.5 9: a stash, with what is staged and changed in your checkout, is after the landing what it was before.
func TestYourStashStays(t *testing.T) {
	t.Parallel()
	skipShort(t)
	f := newFixture(t)
	f.tasks(work{"file-a": "a"}, work{"file-b": "b"})
	hqtest.Write(t, f.Dir, "shared.txt", shared("1=stashed"))
	f.yours("stash")
	hqtest.Write(t, f.Dir, "shared.txt", shared("9=staged"))
	f.yours("add", "shared.txt")
	hqtest.Write(t, f.Dir, "shared.txt", shared("9=changed"))
	hqtest.Write(t, f.Dir, "mine", "untracked")
	present := func() string {
		return f.yours("stash", "list") + f.yours("status", "--porcelain") + f.yours("diff") +
			f.yours("diff", "--cached")
	}
	before := present()
	f.land(func() {})
	after := present()
	if before != after || !strings.Contains(after, "stash@{0}") {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	f.yours("reset", "--hard")
	f.yours("stash", "pop")
	if data, err := os.ReadFile(filepath.Join(f.Dir, "shared.txt")); err != nil || string(data) != shared("1=stashed") {
		t.Errorf("the stash has %q, %v", data, err)
	}
}

// B.5 9: git gc --prune=now with empty reflogs, before any one step, takes nothing away that lands.
func TestGarbageIsCollectedMeanwhile(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	first, every := sample(t, 9)
	for at := first + 1; ; at += every {
		f, step := newFixture(t), 0
		f.tasks(work{"file-a": "a"}, work{"file-b": "b"})
		f.land(func() {
			if step++; step == at {
				f.yours("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
				f.yours("gc", "--quiet", "--prune=now")
			}
		})
		f.yours("fsck", "--strict", "--no-dangling")
		if step < at || t.Failed() {
			t.Logf("a merge of two has %d steps", step)
			return
		}
	}
}

// B.5 9: as long as your git holds the index, your checkout is not moved; then it is.
func TestYourGitHoldsTheIndex(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	f := newFixture(t)
	f.tasks(work{"file-a": "a"}, work{"file-b": "b"})
	first, lock := f.git("rev-parse", "main"), filepath.Join(f.Dir, ".git", "index.lock")
	f.stage(1, 2)
	hqtest.Write(t, f.Dir, ".git/index.lock", "")
	if _, err := f.run(); err == nil && f.merge().Why == "" {
		t.Error("nothing says that the index is locked")
	}
	if f.git("rev-parse", "main") != first || f.has("file-a") {
		t.Error("the branch moved without its files")
	}
	f.ok(os.Remove(lock))
	f.complete()
	f.reconcile()
	f.shows("#1 Landed, #2 Landed")
	if dirty := f.yours("status", "--porcelain"); dirty != "" {
		t.Errorf("the checkout is not clean: %s", dirty)
	}
}

// B.5 9: core.hooksPath is a tracked directory, which an agent may have written: its hooks do not run.
func TestTrackedHooksDoNotRun(t *testing.T) {
	t.Parallel()
	skipShort(t)
	f := newFixture(t)
	ran := filepath.Join(t.TempDir(), "ran")
	hooks := work{}
	for _, name := range []string{"pre-commit", "commit-msg", "post-merge", "post-checkout", "reference-transaction",
		"post-commit", "pre-merge-commit", "post-index-change", "prepare-commit-msg", "post-rewrite", "update"} {
		hooks[".husky/"+name] = "#!/bin/sh\necho " + name + " >>" + ran + "\nexit 1\n"
	}
	f.commit(hooks)
	for name := range hooks {
		f.ok(os.Chmod(filepath.Join(f.Dir, name), 0o755))
	}
	f.git("commit", "-q", "-a", "-m", "executable")
	f.yours("config", "core.hooksPath", ".husky")
	f.tasks(work{"file-a": "a"}, work{"file-b": "b", ".husky/pre-push": "#!/bin/sh\nexit 1\n"})
	f.land(func() {})
	if out, err := os.ReadFile(ran); err == nil {
		t.Errorf("hooks ran: %s", out)
	}
}

// B.5 9: a submodule in your checkout, with your change, stays; the work beside it lands.
func TestASubmoduleStays(t *testing.T) {
	t.Parallel()
	skipShort(t)
	f := newFixture(t)
	other := t.TempDir()
	hqtest.Write(t, other, "lib.c", "1\n")
	gittest.Commit(t, other)
	f.yours("-c", "protocol.file.allow=always", "submodule", "add", "--quiet", other, "lib")
	f.git("commit", "-q", "-m", "a submodule")
	f.tasks(work{"file-a": "a"}, work{"file-b": "b"})
	hqtest.Write(t, f.Dir, "lib/lib.c", "mine\n")
	before := f.yours("status", "--porcelain") + f.yours("submodule", "status")
	f.land(func() {})
	if after := f.yours("status", "--porcelain") + f.yours("submodule", "status"); before != after {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	if data, err := os.ReadFile(filepath.Join(f.Dir, "lib/lib.c")); err != nil || string(data) != "mine\n" {
		t.Errorf("the submodule has %q, %v", data, err)
	}
}

// B.5 9: in a sparse checkout the work lands, and only what you chose is there.
func TestASparseCheckoutStaysSparse(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	f := newFixture(t)
	f.commit(work{"in/x": "x\n", "out/y": "y\n"})
	f.tasks(work{"file-a": "a", "out/new": "new"}, work{"file-b": "b", "out/y": "changed\n", "in/x": "changed\n"})
	f.yours("sparse-checkout", "set", "in")
	f.land(func() {})
	_, err := os.Stat(filepath.Join(f.Dir, "out"))
	data, reading := os.ReadFile(filepath.Join(f.Dir, "in/x"))
	f.ok(reading)
	if !errors.Is(err, os.ErrNotExist) || string(data) != "changed\n" || f.yours("status", "--porcelain") != "" {
		t.Errorf("out: %v, in/x: %q, status %q", err, data, f.yours("status", "--porcelain"))
	}
	if got := f.git("show", "main:out/y") + f.git("show", "main:out/new"); got != "changednew" {
		t.Errorf("main has %q", got)
	}
}

// B.5 9: a repository of 200,000 files.
func TestManyFiles(t *testing.T) {
	t.Parallel()
	if !longtest.On() {
		t.Skip("set FERRUS_LONG: it checks out 200,000 files three times")
	}
	f := newFixture(t)
	var in bytes.Buffer
	in.WriteString("commit refs/heads/main\ncommitter x <x@x> 0 +0000\ndata 4\nmany\nfrom refs/heads/main^0\n")
	for n := range 200_000 {
		text := fmt.Sprintf("file %d\n", n)
		fmt.Fprintf(&in, "M 100644 inline d%d/f%d\ndata %d\n%s", n/1000, n, len(text), text)
	}
	f.git("switch", "-q", "--detach")
	c := exec.Command("git", "fast-import", "--quiet")
	c.Dir, c.Stdin, c.Stderr = f.Dir, &in, os.Stderr
	f.ok(c.Run())
	f.git("switch", "-q", "main")
	f.tasks(work{"file-a": "a", "d7/f7001": "changed\n"}, work{"file-b": "b"})
	f.land(func() {})
	if dirty := f.yours("status", "--porcelain"); dirty != "" {
		t.Errorf("the checkout is not clean: %.200s", dirty)
	}
}

// B.5 10: git configuration that has a merge or a commit open an editor, which never ends, delays no landing.
func TestNoEditorIsAsked(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	f := newFixture(t)
	ran := filepath.Join(t.TempDir(), "ran")
	for _, key := range []string{"core.editor", "sequence.editor"} {
		f.git("config", key, "touch "+ran+"; sleep 1000 #")
	}
	f.git("config", "merge.ff", "false") // each merge is a commit, with a message to edit
	f.git("config", "commit.verbose", "true")
	f.tasks(work{"file-a": "a"}, work{"file-b": "b"}, work{"not-with-a": "c"})
	f.stage(1, 2, 3)
	f.complete()
	f.reconcile()
	f.shows("#3 Running, #1 Landed, #2 Landed")
	if _, err := os.Stat(ran); err == nil {
		t.Error("an editor was started")
	}
}

// B.5 10: a session that comes back after its task landed, or was reset, submits and is refused by its epoch and by
// its name; nothing is committed, and the branch stays.
func TestAZombieSubmits(t *testing.T) {
	t.Parallel()
	skipShort(t)
	f := newFixture(t)
	f.tasks(work{"file-a": "a"}, work{"file-b": "b"})
	f.stage(1)
	f.complete()
	hqtest.Do(t, f.of(2), core.Command{Kind: "reset", By: project.HumanActor()})
	f.reconcile()
	f.shows("#1 Landed, #2 Cancelled")
	head := f.git("rev-parse", "main")
	for n, why := range map[int]string{1: "landed", 2: "was reset"} {
		of := f.of(n)
		before, err := of.World()
		f.ok(err)
		for _, epoch := range []uint64{0, before.World.Epoch - 1, before.World.Epoch} {
			for _, kind := range []machine.Kind{"claim", "check", "submit", "consult", "heartbeat", "rejudge",
				"returned"} {
				_, err := of.Do(t.Context(), store.Call{}, core.Command{Kind: kind, By: hqtest.Executor(), Epoch: epoch,
					Text: "## Summary\nIt is done again.\n\n## How to verify manually\nLook.\n"})
				if !machine.IsRefusal(err) {
					t.Errorf("%s of epoch %d after the task %s: %v", kind, epoch, why, err)
				}
			}
		}
		_, err = of.Do(t.Context(), store.Call{}, core.Command{Kind: "submit", By: hqtest.Executor(),
			Epoch: before.World.Epoch - 1, Text: "again"})
		if r := machine.AsRefusal(err); n == 2 && (r == nil || r.Code != machine.Stale) {
			t.Errorf("submit of the epoch before: %v", err)
		}
		if after, err := of.World(); err != nil || after.Seq != before.Seq {
			t.Errorf("the task %s, and its record went from %d to %d, %v", why, before.Seq, after.Seq, err)
		}
	}
	f.complete()
	f.reconcile()
	f.shows("#1 Landed, #2 Cancelled")
	if f.git("rev-parse", "main") != head {
		t.Error("the branch moved")
	}
}

// You take back what has landed before that is recorded: the next process finds it in the reflog, and does not land it
// again.
func TestYouTakeALandingBack(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it lands a task")
	}
	f := newFixture(t)
	f.tasks(work{"file-a": "a"}, work{"file-b": "b"})
	f.stage(1)
	first := f.git("rev-parse", "main")
	f.o.stop = func() bool { return f.git("rev-parse", "main") != first }
	if _, err := f.run(); !errors.Is(err, errStopped) || f.merge().State != merge.StateMoving {
		t.Fatalf("the merge is %+v, %v", f.merge(), err)
	}
	f.git("reset", "-q", "--hard", first)
	f.restart()
	f.complete()
	f.reconcile()
	f.shows("#1 Landed, #2 Parked")
	if f.git("rev-parse", "main") != first {
		t.Errorf("it landed again: %s", f.git("log", "--oneline", "main"))
	}
	if got := f.git("show", "refs/ferrus/rescued/"+f.item(1).Task+":file-a"); got != "a" {
		t.Errorf("its work is kept as %q", got)
	}
	f.stage(2)
	f.complete()
	f.shows("#1 Landed, #2 Landed")
	if f.has("file-a") || !f.has("file-b") {
		t.Errorf("main has %s", f.git("ls-tree", "--name-only", "main"))
	}
}

// A git that was killed while it moved the branch leaves a lock: the next attempt removes it, wherever the branch is.
func TestAKilledGitLeavesALock(t *testing.T) {
	longtest.OnlyCI(t)
	t.Parallel()
	skipShort(t)
	for _, name := range []string{"index", "HEAD", "ORIG_HEAD", "packed-refs", "refs/heads/main", "elsewhere"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.tasks(work{"file-a": "a"})
			lock := name
			if name == "elsewhere" {
				f.git("switch", "-q", "-c", "other")
				lock = "refs/heads/main"
			}
			f.stage(1)
			f.o.stop = func() bool { return f.merge().State == merge.StateMoving }
			if _, err := f.run(); !errors.Is(err, errStopped) {
				t.Fatal(err)
			}
			hqtest.Write(t, f.Dir, ".git/"+lock+".lock", "")
			f.restart()
			f.complete()
			f.shows("#1 Landed")
		})
	}
}

// A lock that all worktrees share may belong to a git that lives in any of them.
func TestALockOfALivingGitStays(t *testing.T) {
	t.Parallel()
	skipShort(t)
	f := newFixture(t)
	f.tasks(work{"file-a": "a"})
	other := filepath.Join(t.TempDir(), "other")
	f.git("worktree", "add", "-q", "--detach", other)
	f.stage(1)
	f.o.stop = func() bool { return f.merge().State == merge.StateMoving }
	if _, err := f.run(); !errors.Is(err, errStopped) {
		t.Fatal(err)
	}
	hqtest.Write(t, f.Dir, ".git/packed-refs.lock", "")
	lives := exec.Command("git", "cat-file", "--batch")
	lives.Dir = other
	in, err := lives.StdinPipe()
	f.ok(err)
	f.ok(lives.Start())
	f.restart()
	if _, err := f.run(); err == nil || !strings.Contains(err.Error(), "a git command is running in "+other) {
		t.Errorf("the answer is %v", err)
	}
	f.ok(in.Close())
	f.ok(lives.Wait())
	f.complete()
	f.shows("#1 Landed")
}
