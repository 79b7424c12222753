package merge

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/checks/git"
	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/store/exectest"
	"ferrus/store/longtest"
)

// picture returns what a checkout has, byte for byte: its files, the index, HEAD and the
// stash.
func (f *fixture) picture(dir string) map[string]string {
	f.Helper()
	all := hqtest.Contents(f, dir)
	delete(all, ".git") // of a linked worktree
	g := git.In(dir)
	for name, args := range map[string][]string{
		"the index": {"ls-files", "--stage"}, "HEAD": {"rev-parse", "--symbolic-full-name", "HEAD"},
		"the stash": {"for-each-ref", "refs/stash"}} {
		out, err := g.Output(f.Context(), args...)
		f.ok(err)
		all[name] = out
	}
	return all
}

// differences names what two pictures differ in.
func differences(a, b map[string]string) (names []string) {
	for name := range a {
		if a[name] != b[name] {
			names = append(names, name)
		}
	}
	for name := range b {
		if _, had := a[name]; !had {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// The table of the guide: where the branch is checked out decides what a landing changes there, byte
// for byte, and what waits names what is in the way.
func TestWhereTheBranchIsCheckedOut(t *testing.T) {
	longtest.OnlyCI(t)
	t.Parallel()
	skipShort(t)
	moved := []string{"file-a", "shared.txt", "the index"}
	for name, c := range map[string]struct {
		prepare func(f *fixture) // once it is staged
		changed []string         // what differs in the checkout afterwards
		waits   string           // what it waits for; empty: it lands
		after   func(f *fixture) // has it land
	}{
		"here, clean": {func(*fixture) {}, moved, "", nil},
		"here, with changes elsewhere": {func(f *fixture) {
			hqtest.Write(f, f.Dir, "check.sh", "staged\n"+script)
			f.git("add", "check.sh")
			hqtest.Write(f, f.Dir, "check.sh", "staged\nand not\n"+script)
			hqtest.Write(f, f.Dir, "untracked", "mine")
		}, moved, "", nil},
		"here, with changes in the way": {func(f *fixture) {
			hqtest.Write(f, f.Dir, "shared.txt", "mine\n")
		}, nil, "shared.txt", func(f *fixture) { f.git("checkout", "-q", "shared.txt") }},
		"here, an untracked file in the way": {func(f *fixture) {
			hqtest.Write(f, f.Dir, "file-a", "mine\n")
		}, nil, "file-a", func(f *fixture) { f.ok(os.Remove(filepath.Join(f.Dir, "file-a"))) }},
		"here, during a merge": {func(f *fixture) {
			head := []byte(f.git("rev-parse", "HEAD") + "\n")
			f.ok(os.WriteFile(filepath.Join(f.Dir, ".git", "MERGE_HEAD"), head, 0o644))
		}, nil, "is in progress", func(f *fixture) { f.ok(os.Remove(filepath.Join(f.Dir, ".git", "MERGE_HEAD"))) }},
		"a rebase of it is under way": {func(f *fixture) {
			c := exec.Command("git", "rebase", "-q", "--root", "--exec", "false")
			c.Dir = f.Dir
			if out, err := c.CombinedOutput(); err == nil || f.git("branch", "--show-current") != "" {
				f.Fatalf("no rebase is under way: %s", out)
			}
		}, nil, "a rebase of main is under way", func(f *fixture) { f.git("rebase", "--abort") }},
		"here, a task works there": {func(f *fixture) {
			toml, err := os.ReadFile(filepath.Join(f.Dir, "ferrus.toml"))
			f.ok(err)
			hqtest.Write(f, f.Dir, "ferrus.toml", strings.Replace(string(toml), `"worktree"`, `"here"`, 1))
			hqtest.Do(f, f.Task, core.Command{Kind: "create_task", By: project.HumanActor(), Text: "# Here\n"})
		}, nil, "works in this checkout", func(f *fixture) {
			hqtest.Do(f, f.Task, core.Command{Kind: "reset", By: project.HumanActor()})
		}},
		"not checked out":        {func(f *fixture) { f.git("switch", "-q", "-c", "other") }, nil, "", nil},
		"a detached HEAD":        {func(f *fixture) { f.git("switch", "-q", "--detach") }, nil, "", nil},
		"protected on the forge": {func(f *fixture) { f.protect() }, moved, "", nil},
		"in another worktree": {func(f *fixture) {
			f.git("switch", "-q", "-c", "other")
			f.git("worktree", "add", "-q", filepath.Join(f.TempDir(), "elsewhere"), "main")
		}, nil, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			hqtest.Write(t, f.Dir, "shared.txt", "stashed\n")
			f.git("stash", "-q")
			f.tasks(work{"file-a": "a", "shared.txt": "1\n2\n3\n4\n5\n6\n7\n8\nnine\n"})
			f.stage(1)
			c.prepare(f)
			first, before := f.git("rev-parse", "main"), f.picture(f.Dir)
			f.complete()
			if c.waits != "" {
				if m := f.merge(); m.State != "Proven" || !strings.Contains(m.Why, c.waits) {
					t.Fatalf("the merge is %+v, and should wait for %q", m, c.waits)
				}
				if d := differences(before, f.picture(f.Dir)); len(d) > 0 || f.git("rev-parse", "main") != first {
					t.Errorf("while it waits, these changed: %q", d)
				}
				c.after(f)
				f.complete()
				f.shows("#1 Landed")
				return
			}
			f.shows("#1 Landed")
			if got := f.git("rev-list", "--count", first+"..main"); got != "1" {
				t.Errorf("main has %s new commits", got)
			}
			if d := differences(before, f.picture(f.Dir)); !slices.Equal(d, c.changed) {
				t.Errorf("these changed: %q, and should: %q", d, c.changed)
			}
			if name == "in another worktree" {
				list := f.git("worktree", "list", "--porcelain")
				_, dir, _ := strings.Cut(list, "\n\nworktree ")
				dir, _, _ = strings.Cut(dir, "\n")
				if out, err := git.In(dir).Output(t.Context(), "status", "--porcelain"); err != nil || out != "" {
					t.Errorf("%s is not at main: %s %v", dir, out, err)
				}
			}
			if name == "protected on the forge" && f.git("ls-remote", "origin", "main")[:len(first)] != first {
				t.Error("the forge has another commit")
			}
		})
	}
}

// protect gives the repository a remote that refuses every push to main.
func (f *fixture) protect() {
	f.Helper()
	bare := filepath.Join(f.TempDir(), "forge.git")
	f.git("clone", "-q", "--bare", f.Dir, bare)
	hook := filepath.Join(bare, "hooks", "pre-receive")
	f.ok(os.MkdirAll(filepath.Dir(hook), 0o755))
	f.ok(exectest.WriteFile(hook, []byte("#!/bin/sh\nexit 1\n"), 0o755))
	f.git("remote", "add", "origin", bare)
}

// A project in a worktree of a bare repository lands like any other: also where its branch is checked
// out nowhere.
func TestInABareRepository(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	f := newFixture(t)
	bare, dir := filepath.Join(t.TempDir(), "bare.git"), filepath.Join(t.TempDir(), "project")
	f.git("clone", "-q", "--bare", f.Dir, bare)
	out, err := exec.Command("git", "-C", bare, "worktree", "add", "-q", dir, "main").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	hqtest.Must(t, exec.Command("git", "-C", bare, "config", "user.name", "you").Run())
	hqtest.Must(t, exec.Command("git", "-C", bare, "config", "user.email", "you@example.com").Run())
	f.Task = hqtest.Open(t, dir, "one", "two")
	f.q, err = queue.OpenOrCreate(t.Context(), f.Task)
	f.ok(err)
	f.m = New(f.Task, f.q)
	f.tasks(work{"file-a": "a"}, work{"file-b": "b"})
	f.stage(1)
	f.complete() // checked out, there
	f.shows("#1 Landed, #2 Parked")
	f.git("switch", "-q", "--detach")
	before := f.picture(dir)
	f.stage(2)
	f.complete()
	f.shows("#1 Landed, #2 Landed")
	if d := differences(before, f.picture(dir)); len(d) > 0 || !f.has("file-b") {
		t.Errorf("these changed: %q", d)
	}
}

// What was staged without you moves the branch of your checkout only when you say so.
func TestWithoutYourLandACheckoutIsNotMoved(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	f := newFixture(t)
	f.o.Auto = true
	f.tasks(work{"file-a": "a"})
	before := f.picture(f.Dir)
	f.complete()
	if m := f.merge(); m.State != "Proven" || !strings.Contains(m.Why, "/land lands it") {
		t.Fatalf("the merge is %+v", m)
	}
	if d := differences(before, f.picture(f.Dir)); len(d) > 0 {
		t.Errorf("these changed: %q", d)
	}
	_, _, err := StageTask(t.Context(), f.of(1), "")
	f.ok(err)
	f.complete()
	f.shows("#1 Landed")

	f.tasks(work{"file-y": "y"}, work{"file-z": "z"}) // a landing brings what is proven before it along
	f.complete()
	_, _, err = StageTask(t.Context(), f.of(3), "")
	f.ok(err)
	f.git("commit", "-q", "--allow-empty", "-m", "mine") // the batch is built again, and you said it once
	f.complete()
	f.shows("#1 Landed, #2 Landed, #3 Landed")

	by := func(n int) string {
		lines, err := f.of(n).Store.Journal(0)
		f.ok(err)
		return lines[len(lines)-1].By
	}
	if got := by(1); got != project.HumanActor().ID {
		t.Errorf("#1 was landed by %s", got)
	}
	f.o.Follow = true
	f.tasks(work{"file-b": "b"})
	f.complete()
	f.shows("#1 Landed, #2 Landed, #3 Landed, #4 Landed")
	if got := by(4); got != project.FerrusActor().ID {
		t.Errorf("#4 was landed by %s", got)
	}
}

// A checked-out branch is not moved by update-ref alone: the checkout would appear to revert
// everything that landed.
func TestACheckoutFollowsItsBranch(t *testing.T) {
	t.Parallel()
	skipShort(t)
	f := newFixture(t)
	f.tasks(work{"file-a": "a"})
	f.stage(1)
	f.complete()
	hqtest.Write(t, f.Dir, "shared.txt", "mine\n")
	f.git("commit", "-q", "-a", "-m", "mine")
	data, err := os.ReadFile(filepath.Join(f.Dir, "file-a"))
	if err != nil || !bytes.Equal(data, []byte("a")) || !f.has("file-a") {
		t.Errorf("your next commit took back what landed: %v", err)
	}
}
