package land

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/checks"
	"ferrus/checks/git"
	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/store/exectest"
)

// fixture is a project with a task in a worktree, or in the project directory.
type fixture struct {
	*testing.T
	*project.Task
	task string
}

// newFixture makes a fixture whose checks fail while a file named red exists.
func newFixture(t *testing.T, workspace string) *fixture {
	t.Helper()
	l := &fixture{T: t, Task: hqtest.NewProject(t, hqtest.Files{
		"ferrus.toml": "[checks]\ncommands = [\"test ! -e red\"]\n[hq]\nworkspace = \"" + workspace + "\"\n",
		".gitignore":  ".ferrus/\nignored\n",
		"a.txt":       "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
		"gone.txt":    "gone\n",
		"ignored":     "ignored\n",
	})}
	for _, hook := range []string{"pre-commit", "post-checkout", "post-merge", "pre-rebase", "reference-transaction"} {
		hook = filepath.Join(l.Dir, ".git", "hooks", hook)
		l.ok(exectest.WriteFile(hook, []byte("#!/bin/sh\ntouch "+l.Dir+"/hook-ran\nexit 1\n"), 0o755))
	}
	return l
}

func (l *fixture) ok(err error) {
	l.Helper()
	if err != nil {
		l.Fatal(err)
	}
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (l *fixture) gitIn(dir string, args ...string) string {
	l.Helper()
	out, err := git.In(dir).Output(l.Context(), args...)
	l.ok(err)
	return out
}

// git runs git in the human's checkout.
func (l *fixture) git(args ...string) string { l.Helper(); return l.gitIn(l.Dir, args...) }

func (l *fixture) world() core.World { l.Helper(); return hqtest.World(l, l.Task) }

func (l *fixture) do(c core.Command) core.Result { l.Helper(); return hqtest.Do(l, l.Task, c) }

// in returns the directory that the task's agents work in.
func (l *fixture) in() string { return l.Workspace(l.world()) }

// startTask creates the task.
func (l *fixture) startTask() *fixture {
	l.Helper()
	l.do(core.Command{Kind: "create_task", By: project.HumanActor(), Text: "# Do it well\n"})
	l.task = l.world().Task.ID
	return l
}

// writeSpec writes a specification of two milestones, and returns its path.
func (l *fixture) writeSpec() string {
	l.Helper()
	written, err := l.WriteSpec("# Stages\n\n- [ ] #1.0 First\n  - ID: m1.0\n- [ ] #1.1 Second\n  - ID: m1.1\n")
	l.ok(err)
	return written.Path
}

// startMilestone creates the task of the first milestone.
func (l *fixture) startMilestone(spec string) {
	l.Helper()
	s := core.Selection{SelectedSpec: spec, SelectedMilestone: "m1.0", PendingTaskSpec: spec,
		PendingTaskMilestone: "m1.0"}
	l.do(core.Command{Kind: "select", By: project.HumanActor(), Select: &s})
	l.do(core.Command{Kind: "create_task", By: core.Actor{Role: machine.Supervisor, ID: "supervisor:x:3",
		Session: "p", Mode: core.ModeTask}, Text: "# Do it well\n"})
	l.task = l.world().Task.ID
}

// approve takes the workspace's changes through the loop to Complete.
func (l *fixture) approve() *fixture {
	l.Helper()
	return l.approveAs("## Summary\nIt is done.\n\n## How to verify manually\nLook.\n")
}

// approveAs is approve with the executor's words for its submission.
func (l *fixture) approveAs(submission string) *fixture {
	l.Helper()
	by := hqtest.Executor()
	l.do(core.Command{Kind: "claim", By: by})
	ticket := l.do(core.Command{Kind: "check", By: by}).Ticket
	tree, err := l.Work(l.world()).Tree(l.Context())
	l.ok(err)
	l.do(core.Command{Kind: "checked", By: project.FerrusActor(), Ticket: ticket,
		Gate: &core.GateResult{Verdict: checks.Pass, Tree: tree.Hash}})
	l.do(core.Command{Kind: "submit", By: by, Text: submission})
	l.do(core.Command{Kind: "approve", By: project.HumanActor()})
	return l
}

// save returns a function that restores the current files in the same place, because the repository
// and its worktrees refer to each other by path.
func (l *fixture) save() (restore func()) {
	l.Helper()
	copied := l.TempDir()
	cp := func(from, to string) {
		l.Helper()
		l.ok(os.RemoveAll(to))
		out, err := exec.Command("cp", "-a", from, to).CombinedOutput()
		if err != nil {
			l.Fatalf("copy %s: %v\n%s", from, err, out)
		}
	}
	cp(l.Dir, filepath.Join(copied, "project"))
	return func() { l.Helper(); cp(filepath.Join(copied, "project"), l.Dir) }
}

// work plays the executor.
func (l *fixture) work() *fixture {
	l.Helper()
	put(l.T, l.in(), "a.txt", "1\n2\n3\n4\n5\n6\n7\n8\nnine\n")
	put(l.T, l.in(), "new.txt", "new\n")
	l.ok(os.Remove(filepath.Join(l.in(), "gone.txt")))
	return l
}

// main adds a commit to the branch in the human's checkout.
func (l *fixture) main(name, text string) {
	l.Helper()
	put(l.T, l.Dir, name, text)
	l.git("add", "-A")
	l.git("commit", "-q", "-m", "main moves on")
}

// land lands the task and returns the error, if any. It fails if a hook of the repository ran.
func (l *fixture) land(o Options) (Done, error) {
	l.Helper()
	d, err := Land(l.Context(), l.Task, "", o)
	if _, gone := os.Stat(filepath.Join(l.Dir, "hook-ran")); gone == nil {
		l.Fatal("a hook of the repository ran")
	}
	return d, err
}

// picture returns everything that a landing could change, byte for byte: the files of the checkout
// and the worktree, their indexes, and the branches.
func (l *fixture) picture() string {
	l.Helper()
	var all []string
	take := func(root string) {
		for name, what := range hqtest.Contents(l, root) {
			all = append(all, filepath.Join(root, name)+" "+what)
		}
	}
	take(l.Dir)
	indexes := []string{filepath.Join(l.Dir, ".git", "index")}
	if own := l.Worktree(l.task).Top(); l.task != "" && exists(own) {
		take(own)
		indexes = append(indexes, filepath.Join(l.Dir, ".git", "worktrees", l.task, "index"))
	}
	for _, index := range indexes {
		data, err := os.ReadFile(index)
		l.ok(err)
		all = append(all, fmt.Sprintf("%s %x", index, sha256.Sum256(data)))
	}
	slices.Sort(all)
	refs := l.git("for-each-ref", "--format=%(refname) %(objectname)") + "\n" + l.git("symbolic-ref", "HEAD")
	return strings.Join(append(all, refs), "\n")
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// same checks that nothing differs from a picture.
func (l *fixture) same(before, when string) {
	l.Helper()
	if now := l.picture(); now != before {
		l.Errorf("%s: something changed:\n%s\n\nbefore:\n%s", when, now, before)
	}
	if exists(l.Store.Path(RecordFile)) {
		l.Errorf("%s: the landing's record still exists", when)
	}
}

// home checks that the work is on main: in the files, the index and the history.
func (l *fixture) home(when string) {
	l.Helper()
	if got := l.git("show", "main:new.txt"); got != "new" {
		l.Errorf("%s: main has new.txt with %q, want new", when, got)
	}
	if dirty := l.git("status", "--porcelain"); dirty != "" {
		l.Errorf("%s: the checkout is not clean: %s", when, dirty)
	}
	w := l.world()
	if w.Task.Landed == nil || w.Task.Landed.Commit != l.git("rev-parse", "main") || w.Task.Landed.Onto != "main" {
		l.Errorf("%s: the task does not record the landing: %+v", when, w.Task.Landed)
	}
	if w.Task.Workspace != nil && (exists(l.Worktree(l.task).Top()) || l.git("branch", "--list", "ferrus/*") != "") {
		l.Errorf("%s: the worktree or its branch still exists", when)
	}
	if exists(l.Store.Path(RecordFile)) {
		l.Errorf("%s: the landing's record still exists", when)
	}
}

func refusal(err error) string {
	var r *RefusedError
	if errors.As(err, &r) {
		return r.What
	}
	return ""
}
