package land

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/checks/git"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/store/exectest"
	"ferrus/store/longtest"
)

// Nothing that a session commits on its task's branch, or tells git about its history, changes what
// lands: one commit with the approved change, on the branch's current tip.
func TestHistoryOfTheTasksBranchDoesNotLand(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it lands a task for each attack")
	}
	t.Parallel()
	for name, attack := range map[string]func(l *fixture){
		"a merge that drops the branch": func(l *fixture) {
			l.main("b.txt", "b\n")
			l.gitIn(l.in(), "add", "-A")
			l.gitIn(l.in(), "commit", "-q", "-m", "by the agent")
			l.gitIn(l.in(), "merge", "-q", "-s", "ours", "-m", "merge", "main")
		},
		"commits without an approval": func(l *fixture) {
			put(l.T, l.in(), "evil.txt", "evil\n")
			l.gitIn(l.in(), "add", "-A")
			l.gitIn(l.in(), "commit", "-q", "-m", "evil")
			l.ok(os.Remove(filepath.Join(l.in(), "evil.txt")))
			l.gitIn(l.in(), "commit", "-q", "-a", "-m", "not evil")
			l.main("b.txt", "b\n")
		},
		"another history": func(l *fixture) {
			l.gitIn(l.in(), "update-ref", "refs/heads/"+l.Worktree(l.task).Branch(),
				l.gitIn(l.in(), "commit-tree", "-m", "root", "HEAD^{tree}"))
			l.main("b.txt", "b\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newFixture(t, "worktree").startTask().work()
			attack(l)
			old := l.git("rev-parse", "main")
			l.approve()
			if _, err := l.land(Options{}); err != nil {
				t.Fatal(err)
			}
			l.home(name)
			if got := l.git("show", "main:b.txt"); got != "b" {
				t.Errorf("main has b.txt with %q, want b", got)
			}
			if got := l.git("rev-list", "--parents", "-n", "1", "main"); got != l.git("rev-parse", "main")+" "+old {
				t.Errorf("main and its parents are %s, want one commit on %s", got, old)
			}
		})
	}
}

// In your checkout a session can move the branch that the work lands on. The plan says so.
func TestThePlanShowsWhatASessionDidToTheBranch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		do, want string
	}{
		{"", "onto     main"},
		{"commit -q --allow-empty -m evil", "onto     main, which got 1 commit since the task started"},
		{"update-ref refs/heads/main ROOT",
			"onto     main, which was rewritten: it no longer has HEAD, where the task started"},
	} {
		l := newFixture(t, "here").startTask().work()
		head, root := l.git("rev-parse", "HEAD"), l.git("commit-tree", "-m", "root", "HEAD^{tree}")
		if c.do != "" {
			l.git(strings.Fields(strings.ReplaceAll(c.do, "ROOT", root))...)
		}
		l.approve()
		plan, err := PlanLanding(t.Context(), l.Task, "", Options{})
		l.ok(err)
		want := strings.ReplaceAll(c.want, "HEAD", head[:12])
		if lines := plan.Lines(); plan.Off != nil || !slices.Contains(lines, want) {
			t.Errorf("%s: %q, %v, want %q", c.do, lines, plan.Off, want)
		}
	}
}

// If you revert the commit that a task started from, landing the task does not bring it back.
func TestACommitThatWasTakenBackStaysAway(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it lands a task")
	}
	t.Parallel()
	l := newFixture(t, "worktree")
	l.main("secret.txt", "secret\n")
	l.startTask().work()
	l.git("reset", "-q", "--hard", "HEAD~1")
	l.approve()
	if _, err := l.land(Options{}); err != nil {
		t.Fatal(err)
	}
	l.home("taken back")
	if got := l.git("log", "--format=%s", "--", "secret.txt"); got != "" {
		t.Errorf("the reverted commit is back: %s", got)
	}
}

func lfsPointer(content string) (oid, text string) {
	sum := sha256.Sum256([]byte(content))
	oid = hex.EncodeToString(sum[:])
	return oid, fmt.Sprintf("%soid sha256:%s\nsize %d\n", git.PointerPrefix, oid, len(content))
}

// keepLFS stores content under the name of a git LFS object.
func (l *fixture) keepLFS(oid, content string) string {
	l.Helper()
	dir := filepath.Join(l.Dir, ".git", "lfs", "objects", oid[:2], oid[2:4])
	l.ok(os.MkdirAll(dir, 0o755))
	put(l.T, dir, oid, content)
	return filepath.Join(dir, oid)
}

// If the work contains a git LFS pointer, its checkout must not stay the pointer.
func TestPointersThatWereSwapped(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	newLFS := func(t *testing.T) *fixture {
		l := newFixture(t, "worktree")
		_, old := lfsPointer("good")
		put(t, l.Dir, ".gitattributes", "*.bin filter=lfs -text\n")
		put(t, l.Dir, "old.bin", old)
		put(t, l.Dir, "ferrus.toml",
			"[checks]\ncommands = [\"! grep -q evil *.bin\"]\n[hq]\nworkspace = \"worktree\"\n")
		l.git("add", "-A")
		l.git("commit", "-q", "-m", "lfs")
		return l.startTask().work()
	}
	oid, evil := lfsPointer("evil")
	t.Run("the content is there", func(t *testing.T) {
		t.Parallel()
		l := newLFS(t)
		l.keepLFS(oid, "evil")
		put(t, l.in(), "old.bin", evil)
		l.approve()
		var failed *FailedError
		if _, err := l.land(Options{Keep: true}); !errors.As(err, &failed) ||
			!strings.Contains(failed.What, "the checks failed on main") {
			t.Errorf("got %v, want failed checks on main", err)
		}
	})
	t.Run("the content is missing", func(t *testing.T) {
		t.Parallel()
		l := newLFS(t)
		put(t, l.in(), "old.bin", evil)
		before := l.approve().picture()
		if _, err := l.land(Options{}); !strings.Contains(refusal(err), "old.bin is a pointer") {
			t.Errorf("got %v, want a refusal that old.bin is a pointer", err)
		}
		l.same(before, "refused")
	})
	t.Run("the content was there before", func(t *testing.T) {
		t.Parallel()
		l := newLFS(t)
		oid, _ := lfsPointer("new")
		object := l.keepLFS(oid, "evil")
		put(t, l.in(), "new.bin", "new")
		if _, err := l.approve().land(Options{}); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(object); err != nil || string(got) != "new" {
			t.Errorf("the LFS object is %q, %v; want new", got, err)
		}
	})
}

// Checks that could not run prove nothing about the work, so it does not go back to the executor.
func TestChecksThatCouldNotRunRefuseTheLanding(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it lands a task")
	}
	t.Parallel()
	l := newFixture(t, "worktree")
	l.main("ferrus.toml", "[checks]\ncommands = []\n[hq]\nworkspace = \"worktree\"\n")
	l.startTask().work()
	l.main("b.txt", "b\n")
	before := l.approve().picture()
	if _, err := l.land(Options{}); !strings.Contains(refusal(err), "the checks could not run") {
		t.Errorf("got %v, want a refusal because the checks could not run", err)
	}
	l.same(before, "refused")
	if got := l.world().State; got != "Complete" {
		t.Errorf("the task is %s, want Complete", got)
	}
}

// If a milestone's specification is in the repository, its ticked box is part of the tree that the
// checks run on, and of the commit.
func TestATickIsProvenAndLands(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it lands a task")
	}
	t.Parallel()
	l := newFixture(t, "worktree")
	spec := l.writeSpec()
	l.git("add", "-A")
	l.git("commit", "-q", "-m", "stages")
	l.startMilestone(spec)
	if _, err := l.work().approve().land(Options{}); err != nil {
		t.Fatal(err)
	}
	l.home("ticked")
	if got := l.git("show", "main:"+spec); !strings.Contains(got, "- [x] #1.0") {
		t.Errorf("the commit lacks the ticked box:\n%s", got)
	}
	names, err := l.Store.List("checks")
	l.ok(err)
	proven := ""
	for _, name := range names {
		if strings.HasPrefix(name, "land_") {
			data, err := l.Store.ReadFile("checks/" + name)
			l.ok(err)
			proven += string(data)
		}
	}
	if !strings.Contains(proven, l.git("rev-parse", "main^{tree}")) {
		t.Errorf("the checks did not run on the tree that landed: %s", proven)
	}
}

// Changes that were uncommitted when the task started land with it.
func TestCarriedChangesLand(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it lands a task")
	}
	t.Parallel()
	l := newFixture(t, "worktree")
	put(t, l.Dir, "carried.txt", "carried\n")
	l.do(core.Command{Kind: "create_task", By: project.HumanActor(), Text: "# Do it well\n", Changes: true})
	l.task = l.world().Task.ID
	l.work().approve()
	l.ok(os.Remove(filepath.Join(l.Dir, "carried.txt")))
	if _, err := l.land(Options{}); err != nil {
		t.Fatal(err)
	}
	l.home("carried")
	if got := l.git("show", "main:carried.txt"); got != "carried" {
		t.Errorf("main has carried.txt with %q, want carried", got)
	}
}

// A git that cannot merge trees is refused before anything changes.
func TestAnOldGitIsRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it prepares a task")
	}
	l := newFixture(t, "worktree").startTask().work().approve()
	bin := t.TempDir()
	l.ok(exectest.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\ncase \" $* \" in *' --version '*) "+
		"echo git version 2.37.9;; *) PATH=${PATH#*:}; exec git \"$@\";; esac\n"), 0o755))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	plan, err := PlanLanding(t.Context(), l.Task, "", Options{})
	if err != nil || !strings.Contains(plan.Why, "needs git 2.38, and this is 2.37") {
		t.Errorf("the plan says %q, %v; want that it needs git 2.38", plan.Why, err)
	}
}
