package adopt_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/hq/adopt"
	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/store/memtemp"
)

func TestMain(m *testing.M) {
	if os.Getenv(roleEnv) != "" {
		play()
		return
	}
	os.Exit(memtemp.M{Tests: m}.Run())
}

// fixture is a project, and a home directory in which no client has run.
type fixture struct {
	*testing.T
	*project.Task
	home string
}

func newFixture(t *testing.T, toml ...string) *fixture {
	t.Helper()
	f := &fixture{T: t, home: t.TempDir()}
	for _, name := range []string{"CLAUDE_CONFIG_DIR", "CODEX_HOME"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", f.home)
	f.Task = hqtest.NewProject(t, hqtest.Files{
		"ferrus.toml": "[checks]\ncommands = [\"true\"]\n" + strings.Join(toml, "\n"),
		"a.txt":       "a\n", "b.txt": "b\n", "sub/c.txt": "c\n",
		".gitignore": ".ferrus/\n*.log\n"}, "codex", "claude-code")
	f.git(f.Dir, "branch", "-M", "main")
	return f
}

func (f *fixture) ok(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) git(dir string, args ...string) string {
	f.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@localhost",
		"-c", "core.hooksPath=/dev/null"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		f.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// began returns a worktree on the branch fix/retry-fetch, with a commit and with files that are
// staged, changed after staging, modified, deleted, untracked, executable, ignored, and a link.
func (f *fixture) began(dir string) string {
	f.Helper()
	f.ok(os.WriteFile(filepath.Join(dir, "new.txt"), []byte("committed\n"), 0o644))
	f.git(dir, "add", "new.txt")
	f.git(dir, "commit", "-qm", "begin to retry")
	hqtest.Write(f, dir, "staged.txt", "staged\n")
	hqtest.Write(f, dir, "a.txt", "a, staged\n")
	f.git(dir, "add", "staged.txt", "a.txt")
	hqtest.Write(f, dir, "a.txt", "a, and then changed\n")
	f.ok(os.Remove(filepath.Join(dir, "b.txt")))
	hqtest.Write(f, dir, "sub/untracked name.sh", "#!/bin/sh\n")
	f.ok(os.Chmod(filepath.Join(dir, "sub/untracked name.sh"), 0o755))
	f.ok(os.Symlink("a.txt", filepath.Join(dir, "link")))
	hqtest.Write(f, dir, "debug.log", "ignored\n")
	return dir
}

func (f *fixture) linked() string {
	f.Helper()
	dir := filepath.Join(f.TempDir(), "fetch retry")
	f.git(f.Dir, "worktree", "add", "-q", "-b", "fix/retry-fetch", dir)
	return f.began(dir)
}

// state returns every file of a checkout and its git directory, and git's status. Objects and
// ferrus's refs do not belong to the checkout, so they are left out.
func (f *fixture) state(dir string) map[string]string {
	f.Helper()
	all := hqtest.Contents(f, dir)
	for _, of := range []string{f.git(dir, "rev-parse", "--absolute-git-dir"),
		f.git(dir, "rev-parse", "--path-format=absolute", "--git-common-dir")} {
		f.ok(filepath.WalkDir(of, func(name string, e fs.DirEntry, err error) error {
			below, _ := filepath.Rel(of, name)
			if slices.Contains([]string{"worktrees", "objects", "refs/ferrus", "refs/heads/ferrus",
				"logs/refs/heads/ferrus"}, below) {
				return filepath.SkipDir
			}
			if err == nil && e.Type().IsRegular() {
				var data []byte
				data, err = os.ReadFile(name)
				all[of+"/"+below] = string(data)
			}
			return err
		}))
	}
	return all
}

func (f *fixture) same(dir string, before map[string]string) {
	f.Helper()
	after := f.state(dir)
	if maps.Equal(before, after) {
		return
	}
	for name := range after {
		if after[name] != before[name] {
			f.Errorf("%s: %q, want it unchanged as %q", name, after[name], before[name])
		}
	}
	for name := range before {
		if _, there := after[name]; !there {
			f.Errorf("%s was removed", name)
		}
	}
}

func (f *fixture) adopt(dir, text string) queue.Item {
	f.Helper()
	item, err := adopt.Adopt(f.Context(), f.Task, dir, adopt.Options{}, text)
	f.ok(err)
	return item
}

// startTask gives the items their turn, and returns one item's task.
func (f *fixture) startTask(n int) *project.Task {
	f.Helper()
	one, err := startTasks(f.Context(), f.Task, n)
	f.ok(err)
	return one
}

// startTasks runs ferrus's steps, and returns one item's task.
func startTasks(ctx context.Context, p *project.Task, n int) (*project.Task, error) {
	q, err := queue.OpenOrCreate(ctx, p)
	if err != nil {
		return nil, err
	}
	c := queue.ConditionsOf(p)
	c.Memory = ""
	for {
		begin, err := q.Reconcile(ctx, c)
		if err != nil {
			return nil, err
		}
		if len(begin) == 0 {
			break
		}
		if err := q.Start(ctx, begin[0]); err != nil {
			return nil, err
		}
	}
	s, err := q.Load()
	if err != nil {
		return nil, err
	}
	at := s.World.Index(n)
	if at < 0 {
		return nil, fmt.Errorf("there is no #%d", n)
	}
	return q.Task(s.World.Items[at])
}

func (f *fixture) refused(dir string, o adopt.Options, words ...string) {
	f.Helper()
	before := f.git(f.Dir, "for-each-ref")
	_, err := adopt.Adopt(f.Context(), f.Task, dir, o, "Continue")
	if refusal := (*adopt.RefusedError)(nil); !errors.As(err, &refusal) || refusal.Fix == "" {
		f.Fatalf("%s: %v, want a refusal with a hint", dir, err)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			f.Errorf("got %q, want %q in it", err, w)
		}
	}
	if after := f.git(f.Dir, "for-each-ref"); after != before {
		f.Errorf("a refusal changed the refs: %s", after)
	}
}

// Work that was begun by hand becomes the task's work as a whole: with the same HEAD, index and
// files, and with the base that git computes. The directory stays unchanged.
func TestAdoptTakesEverything(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	places := map[string]func(*fixture) string{
		"a linked worktree": (*fixture).linked,
		"a directory below": func(f *fixture) string { return filepath.Join(f.linked(), "sub") },
		"a detached HEAD": func(f *fixture) string {
			dir := f.linked()
			f.git(dir, "checkout", "-q", "--detach")
			return dir
		},
		"a clone": func(f *fixture) string {
			dir := filepath.Join(f.TempDir(), "clone")
			f.git(f.Dir, "clone", "-q", f.Dir, dir)
			f.git(dir, "checkout", "-qb", "fix/retry-fetch")
			return f.began(dir)
		},
		"the checkout": func(f *fixture) string {
			f.git(f.Dir, "checkout", "-qb", "fix/retry-fetch")
			return f.began(f.Dir)
		},
	}
	for name, make := range places {
		for _, workspace := range []string{"worktree", "here"} {
			t.Run(name+", workspace "+workspace, func(t *testing.T) {
				f := newFixture(t, "[hq]\nworkspace = \""+workspace+"\"\n")
				base := f.git(f.Dir, "rev-parse", "HEAD")
				dir := make(f)
				top := f.git(dir, "rev-parse", "--show-toplevel")
				if top == f.Dir {
					base = f.git(f.Dir, "rev-parse", "HEAD") // its branch is the target
				} else {
					hqtest.Write(t, f.Dir, "later.txt", "main continues\n")
					f.git(f.Dir, "add", "later.txt")
					f.git(f.Dir, "commit", "-qm", "later")
				}
				hqtest.Write(t, top, "stashed.txt", "stashed\n")
				f.git(top, "add", "stashed.txt")
				f.git(top, "stash", "push", "-q", "--", "stashed.txt")
				before, status := f.state(top), f.git(top, "status", "--porcelain")
				item := f.adopt(dir, "Retry fetch")
				f.same(top, before)
				one := f.startTask(item.N)
				f.same(top, before)
				w := hqtest.World(t, one)
				work := one.Workspace(w)
				if w.Task == nil || w.Task.Base.Commit != base {
					t.Fatalf("the base is %+v, want %s", w.Task, base)
				}
				if got := f.git(work, "status", "--porcelain"); got != status {
					t.Errorf("git status says\n%s\nwant\n%s", got, status)
				}
				if got, want := f.git(work, "rev-parse", "HEAD"), f.git(top, "rev-parse", "HEAD"); got != want {
					t.Errorf("HEAD is %s, want %s", got, want)
				}
				got, want := hqtest.Contents(t, work), hqtest.Contents(t, top)
				delete(want, "debug.log") // git ignores it
				delete(want, ".git")      // it contains its own path
				delete(got, ".git")
				if !maps.Equal(got, want) {
					t.Errorf("the files are\n%v\nwant\n%v", got, want)
				}
				info, err := os.Stat(filepath.Join(work, "sub/untracked name.sh"))
				if err != nil || info.Mode().Perm()&0o100 == 0 {
					t.Errorf("the script is not executable: %v", err)
				}
				if refs := f.git(f.Dir, "for-each-ref", "refs/ferrus/adopted"); refs != "" {
					t.Errorf("the snapshot's ref still exists after the task started: %s", refs)
				}
			})
		}
	}
}

// A directory that cannot become a task is refused with the reason and a way out.
func TestAdoptRefuses(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it gives tasks their worktrees")
	}
	f := newFixture(t, "[hq]\nworkspace = \"worktree\"\n")
	dir := f.linked()
	none := adopt.Options{Agent: adopt.NoAgent}
	f.refused(filepath.Join(dir, "gone"), none, "there is no ")
	f.refused(filepath.Join(dir, "a.txt"), none, "is not a directory")
	f.refused(t.TempDir(), none, "is not in a git repository")

	strange := t.TempDir()
	f.git(strange, "init", "-q")
	f.refused(strange, none, "no commit")
	f.git(strange, "commit", "-q", "--allow-empty", "-m", "x")
	f.refused(strange, none, "no commit in common")

	f.refused(dir, adopt.Options{Agent: "claud"}, `unknown agent "claud"`)
	f.refused(dir, adopt.Options{Agent: "copilot"}, "cannot continue a session of copilot")
	f.refused(dir, adopt.Options{Agent: "codex"}, "codex has had no session")

	fresh := filepath.Join(t.TempDir(), "fresh")
	f.git(f.Dir, "worktree", "add", "-q", "-b", "fresh", fresh)
	f.refused(fresh, none, "there is nothing in")

	f.git(fresh, "commit", "-q", "--allow-empty", "-m", "x")
	for mark, words := range map[string]string{"MERGE_HEAD": "a merge", "rebase-merge": "a rebase",
		"CHERRY_PICK_HEAD": "a cherry-pick"} {
		file := filepath.Join(f.git(fresh, "rev-parse", "--absolute-git-dir"), mark)
		f.ok(os.WriteFile(file, []byte(strings.Repeat("1", 40)+"\n"), 0o644))
		f.refused(fresh, none, words+" is in progress")
		f.ok(os.Remove(file))
	}
	hqtest.Write(t, fresh, "new.txt", "not as there\n")
	f.git(fresh, "add", "new.txt")
	f.git(fresh, "commit", "-qm", "ours")
	_ = exec.Command("git", "-C", fresh, "merge", "fix/retry-fetch").Run() // it conflicts
	f.refused(fresh, none, "a merge is in progress")
	f.ok(os.Remove(filepath.Join(f.git(fresh, "rev-parse", "--absolute-git-dir"), "MERGE_HEAD")))
	f.refused(fresh, none, "unresolved conflicts")

	item := f.adopt(dir, "Retry fetch")
	f.refused(dir, none, "is already adopted", item.Name())
	one := f.startTask(item.N)
	f.refused(one.Workspace(hqtest.World(t, one)), none, "is the worktree of the task t-1-retry-fetch")
	q, err := queue.Open(f.Task)
	f.ok(err)
	f.ok(q.Cancel(t.Context(), project.HumanActor(), item.N))
	if again := f.adopt(dir, "Retry fetch, again"); again.N != 2 {
		t.Errorf("adopted again after the cancellation: %+v, want #2", again)
	}
}

// A task that works in your checkout prevents the adoption of the checkout, and of nothing else.
func TestAdoptWithATaskHere(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	f := newFixture(t, "[hq]\nworkspace = \"here\"\n")
	dir := f.linked()
	hqtest.Do(t, f.Task, core.Command{Kind: core.KindCreateTask, By: project.HumanActor(), Text: "Work here"})
	hqtest.Write(t, f.Dir, "a.txt", "changed by the task\n")
	f.refused(f.Dir, adopt.Options{}, "a task works in", "Work here")
	before := f.state(f.Dir)
	item := f.adopt(dir, "Retry fetch")
	one := f.startTask(item.N)
	if w := hqtest.World(t, one); w.State != "Executing" || one.Workspace(w) == f.Dir {
		t.Errorf("the task is %s in %s, want Executing in its own worktree", w.State, one.Workspace(w))
	}
	if w := hqtest.World(t, f.Task); w.State != "Executing" || w.Task.Title != "Work here" {
		t.Errorf("the task here is %s, want Executing as before", w.State)
	}
	f.same(f.Dir, before)
}
