package merge

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/agent/sandbox"
	"ferrus/hq/hqtest"
	"ferrus/hq/land"
	"ferrus/hq/project"
	"ferrus/store/exectest"
	"ferrus/store/longtest"
)

// walled skips a test of hooks where no sandbox could run them.
func walled(t *testing.T) {
	t.Helper()
	w, err := sandbox.Chosen(t.Context(), sandbox.Auto, sandbox.Unshared)
	hqtest.Must(t, err)
	if w.Kind == sandbox.None || w.Kind == "" {
		t.Skip("no landlock walls here")
	}
}

// hook writes a hook of the repository.
func (f *fixture) hook(name, script string) {
	f.Helper()
	path := filepath.Join(f.Dir, ".git", "hooks", name)
	f.ok(os.MkdirAll(filepath.Dir(path), 0o755))
	f.ok(exectest.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755))
}

// message is of the commit that main is at.
func (f *fixture) message() string { f.Helper(); return f.git("log", "-1", "--format=%B", "main") }

// [merge] message sets the message of the landed commit.
func TestATemplateWordsWhatLands(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it lands a task")
	}
	f := newFixture(t, `[merge]`, `message = "feat: {title} ({task})\n\n{summary}\n\n{trailers}"`)
	f.tasks(work{"file-a": "a"})
	f.stage(1)
	f.complete()
	f.shows("#1 Landed")
	id := f.item(1).Task
	if want := "feat: Task 1 (" + id + ")\n\nIt is done: 1.\n\nFerrus-Task: " + id; f.message() != want {
		t.Errorf("the message is\n%s\nand should be\n%s", f.message(), want)
	}
}

// The hooks of the repository write the message, in git's order, and see the branch, index and
// files of the commit. Their other changes have no effect.
func TestHooksWordTheMessage(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	walled(t)
	f := newFixture(t)
	f.git("config", "format.signOff", "true")
	f.hook("prepare-commit-msg", `test "$2" = message || exit 3
echo "Branch: $(git symbolic-ref --short HEAD)" >>"$1"
echo evil >check.sh
`)
	f.hook("commit-msg", `grep -q '^Signed-off-by: ' "$1" || exit 4
git diff --cached --name-only | grep -qx file-a || exit 5
test "$(cat file-a)" = a || exit 6
printf 'Change-Id: I1\033[31m\n' >>"$1"
for at in `+f.Dir+` "$HOME" /tmp; do echo evil >"$at/from-a-hook"; done 2>/dev/null
rm -rf file-a `+f.Dir+`/shared.txt 2>/dev/null
exit 0
`)
	f.tasks(work{"file-a": "a"})
	first, before := f.git("rev-parse", "main"), f.picture(f.Dir)
	f.stage(1)
	if d := differences(before, f.picture(f.Dir)); len(d) > 0 {
		t.Errorf("the hooks changed %q", d)
	}
	f.complete()
	f.shows("#1 Landed")
	want := "Task 1\n\nIt is done: 1.\n\nSigned-off-by: " + f.git("log", "-1", "--format=%cn <%ce>", "main") +
		"\nBranch: main\nChange-Id: I1"
	if got := f.message(); got != want {
		t.Errorf("the message is\n%s\nand should be\n%s", got, want)
	}
	if got := f.git("diff", "--name-only", first, "main"); got != "file-a" {
		t.Errorf("these files landed: %s", got)
	}
}

// A hook that refuses keeps the work from being staged, and says why. One that changes the index or the branch is
// refused: a hook has no say in the content.
func TestHooksRefuse(t *testing.T) {
	skipShort(t)
	t.Parallel()
	walled(t)
	f := newFixture(t)
	f.tasks(work{"file-a": "a"})
	first := f.git("rev-parse", "main")
	for _, test := range []struct{ script, want string }{
		{"printf 'no ticket\\n\\033]0;x\\007in the subject\\n' >&2; exit 1", "no ticket; in the subject"},
		{"echo x >evil; git add evil", "the index"},
		{"git rm -q --cached shared.txt", "the index"},
		{"git symbolic-ref HEAD refs/heads/other", "HEAD"},
		{"git update-ref refs/heads/main $(git commit-tree -m x $(git write-tree))", "the branch"},
		{"rm \"$1\"", "no message"},
		{": >\"$1\"", "empty message"},
		{"ln -sf /etc/passwd \"$1\"", "no message"},
	} {
		f.hook("commit-msg", test.script+"\n")
		err := Stage(t.Context(), f.q, f.item(1), project.HumanActor(), "")
		off := (*land.RefusedError)(nil)
		if !errors.As(err, &off) || !strings.Contains(off.What, test.want) ||
			strings.ContainsAny(off.What, "\x1b\x07\n") {
			t.Errorf("%s: got %v, and should say %q", test.script, err, test.want)
		}
	}
	f.shows("#1 Parked")
	if f.git("rev-parse", "main") != first || f.git("for-each-ref", "refs/ferrus/staged") != "" {
		t.Error("something was committed")
	}
	f.o.Auto = true // without you it is the executor who gets to know
	f.hook("commit-msg", "echo no ticket >&2; exit 1\n")
	f.complete()
	f.reconcile()
	s, err := f.of(1).World()
	f.ok(err)
	text, err := f.of(1).Store.ReadText(s, "REVIEW.md")
	f.ok(err)
	if s.World.State != "Addressing" || !strings.Contains(text, "the hook commit-msg refuses the commit: no ticket") ||
		!strings.Contains(text, "```\nno ticket\n```") {
		t.Errorf("the task is %s, and its executor reads\n%s", s.World.State, text)
	}
}

// A hook of the worktree, which a session may have written, is not run, and that is recorded; [merge] hooks = false
// runs none.
func TestHooksOfTheTree(t *testing.T) {
	skipShort(t)
	t.Parallel()
	for name, prepare := range map[string]func(f *fixture){
		"a path in the tree": func(f *fixture) {
			f.git("add", ".husky")
			f.git("commit", "-q", "-m", "a hook")
			f.git("config", "core.hooksPath", ".husky")
		},
		"an absolute one": func(f *fixture) { f.git("config", "core.hooksPath", filepath.Join(f.Dir, ".husky")) },
		"a link to it": func(f *fixture) {
			f.ok(os.RemoveAll(filepath.Join(f.Dir, ".git", "hooks")))
			f.ok(os.Symlink(filepath.Join(f.Dir, ".husky"), filepath.Join(f.Dir, ".git", "hooks")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.hook("../../.husky/commit-msg", "touch "+f.Dir+"/ran; exit 1\n")
			prepare(f)
			f.tasks(work{"file-a": "a"})
			f.stage(1)
			lines, err := f.journal()
			f.ok(err)
			want := "for main; the hook commit-msg was not run: it is in"
			if all := strings.Join(lines, "\n"); !strings.Contains(all, want) {
				t.Errorf("the journal does not say that the hook did not run:\n%s", all)
			}
			if _, err := os.Stat(filepath.Join(f.Dir, "ran")); err == nil {
				t.Error("the hook ran")
			}
		})
	}
	f := newFixture(t, "[merge]\nhooks = false")
	f.hook("commit-msg", "exit 1\n")
	f.tasks(work{"file-a": "a"})
	f.stage(1)
	f.shows("#1 Staged")
}

// Commands of yours take time: a hook of a commit message that hangs, or [hq] teardown, keeps no other task from
// landing, since no step of a merge waits for them.
func TestHooksKeepNobodyWaiting(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	walled(t)
	f := newFixture(t)
	toml, err := os.ReadFile(filepath.Join(f.Dir, "ferrus.toml"))
	f.ok(err)
	hqtest.Write(t, f.Dir, "ferrus.toml",
		strings.Replace(string(toml), "[sandbox]", "teardown = [\"true\"]\n[sandbox]", 1))
	f.tasks(work{"file-a": "a"}, work{"file-b": "b"})
	f.stage(1)
	f.o.Auto = true
	f.hook("commit-msg", "echo no ticket >&2; exit 1\n")
	next, err := f.m.Advance(t.Context(), f.o)
	f.ok(err)
	if f.shows("#1 Landed, #2 Parked"); f.item(1).Staged == nil ||
		!slices.Equal(slices.Sorted(slices.Values(next.Slow)), []int{1, 2}) {
		t.Errorf("next is %+v: %+v", next, f.item(1).Staged)
	}
	for _, n := range next.Slow {
		f.ok(f.m.Continue(t.Context(), n, f.o))
	}
	if f.item(1).Staged != nil {
		t.Error("#1 is not cleared away")
	}
	if w := hqtest.World(t, f.of(2)); w.State != "Addressing" {
		t.Errorf("#2 is %s", w.State)
	}
	f.ok(os.Remove(filepath.Join(f.Dir, ".git", "hooks", "commit-msg")))
	f.git("checkout", "-q", "ferrus.toml")
	f.o.Auto, f.o.Apart = false, true // so is a worktree of many files
	f.tasks(work{"file-c": "c"})
	f.stage(3)
	next, err = f.m.Advance(t.Context(), f.o)
	if f.ok(err); !slices.Equal(next.Slow, []int{3}) || f.item(3).Landed == "" {
		t.Errorf("next is %+v: %s", next, f.states())
	}
	f.damage(2)
	f.m.noteSlow(2, "its record is damaged", true)
	next = Next{Refused: map[int]string{}}
	if f.m.postpone(2, &next); len(next.Slow) > 0 || next.Refused[2] == "" || next.PollAt.IsZero() {
		t.Errorf("what has failed is tried again at once: %+v", next)
	}
}
