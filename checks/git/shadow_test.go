package git_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ferrus/checks/git"
	"ferrus/checks/git/gittest"
	"ferrus/hq/benchtest"
)

// inside runs a script as a session does that sees the shadow as its .git.
func inside(t *testing.T, top string, s git.Shadow, script string) string {
	t.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = top
	cmd.Env = append(git.Environment(), "GIT_DIR="+s.Dir, "GIT_WORK_TREE="+top, "HOME="+t.TempDir(),
		"GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return strings.TrimSpace(string(out))
}

// shadowed returns a repository with a remote that has a password, a worktree of it, and its
// shadow.
func shadowed(t *testing.T) (repo, top string, r git.Repository, dir string) {
	t.Helper()
	repo, top, dir = t.TempDir(), filepath.Join(t.TempDir(), "w"), t.TempDir()
	write(t, repo, "a.txt", "base\n")
	gittest.Commit(t, repo)
	g := git.In(repo)
	for _, args := range [][]string{
		{"tag", "v1"}, {"remote", "add", "origin", "https://me:hunter2@example.com/x.git"},
		{"config", "filter.evil.clean", "touch evil; cat"}, {"worktree", "add", "-q", "-b", "work", top},
	} {
		if err := g.Do(t.Context(), args...); err != nil {
			t.Fatal(err)
		}
	}
	r, err := git.Locate(top)
	if err != nil {
		t.Fatal(err)
	}
	return repo, top, r, dir
}

func write(t testing.TB, dir, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Every git command that agents use works in a shadow, and the repository is not changed.
func TestShadowWorksAndTheRepositoryDoesNotChange(t *testing.T) {
	t.Parallel()
	repo, top, r, dir := shadowed(t)
	s, err := r.Shadow(t.Context(), dir, false)
	if err != nil {
		t.Fatal(err)
	}
	state := func() string {
		out, err := git.In(repo).Output(t.Context(), "count-objects", "-v")
		refs, err2 := git.In(repo).Output(t.Context(), "for-each-ref")
		index, err3 := os.ReadFile(filepath.Join(r.Dir, "index"))
		head, err4 := os.ReadFile(filepath.Join(r.Dir, "HEAD"))
		for _, err := range []error{err, err2, err3, err4} {
			if err != nil {
				t.Fatal(err)
			}
		}
		return fmt.Sprint(out, refs, index, head)
	}
	before := state()
	got := inside(t, top, s, `
		test -z "$(git status --short)"
		test "$(git branch --show-current)" = work
		echo changed >a.txt && git restore a.txt && test "$(cat a.txt)" = base
		echo two >b.txt && git add b.txt && git commit -qm two
		echo three >>b.txt && git stash -q && git stash pop -q
		git diff --stat >/dev/null && git blame a.txt >/dev/null && git log --oneline v1 >/dev/null
		git switch -qc other && git commit -qam three && git switch -q work && git merge -q other
		git rebase -q HEAD~1 && git tag v2 && git cherry-pick --quit
		git log --format=%s`)
	if got != "three\ntwo\nbase" {
		t.Errorf("the log inside:\n%s", got)
	}
	if after := state(); after != before {
		t.Errorf("the repository changed:\n%.300s\n%.300s", before, after)
	}
	if out := inside(t, top, s, "git remote -v; git config --list; grep -r hunter2 "+s.Dir+" || true; "+
		"git push -q origin HEAD 2>&1 && echo pushed || true"); strings.Contains(out, "hunter2") ||
		strings.Contains(out, "evil") || strings.Contains(out, "pushed") {
		t.Errorf("inside there is:\n%s", out)
	}
	if link, err := os.ReadFile(s.Link); string(link) != "gitdir: "+s.Dir+"\n" {
		t.Errorf("the link has %q, %v", link, err)
	}
}

// A session finds what an earlier session of its slot committed, until the branch moves outside.
func TestShadowIsKeptUntilTheBranchMoves(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	_, top, r, dir := shadowed(t)
	make := func(fresh bool) git.Shadow {
		t.Helper()
		s, err := r.Shadow(t.Context(), dir, fresh)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	log := "git log --format=%s"
	s := make(false)
	inside(t, top, s, "echo b >b.txt; git add b.txt; git commit -qm two")
	if got := inside(t, top, make(false), log); got != "two\nbase" {
		t.Errorf("the next session sees %q", got)
	}
	inside(t, top, s, "mkdir -p $(git rev-parse --git-dir)/closed/in; chmod 0 $(git rev-parse --git-dir)/closed")
	t.Cleanup(func() { _ = exec.Command("chmod", "-R", "u+rwx", dir).Run() })
	if got := inside(t, top, make(true), log); got != "base" {
		t.Errorf("a fresh one has %q", got)
	}
	inside(t, top, s, "echo c >c.txt; git add c.txt; git commit -qm three")
	if err := git.In(top).Do(t.Context(), "commit", "-q", "--allow-empty", "-m", "outside"); err != nil {
		t.Fatal(err)
	}
	if got := inside(t, top, make(false), log); got != "outside\nbase" {
		t.Errorf("after a commit outside it has %q", got)
	}
}

// Files that your global git configuration ignores are ignored inside as well, without your home.
func TestShadowIgnoresWhatYouIgnore(t *testing.T) {
	t.Parallel()
	repo, top, r, dir := shadowed(t)
	file := filepath.Join(t.TempDir(), "ignore")
	write(t, filepath.Dir(file), "ignore", "*.mine\n")
	if err := git.In(repo).Do(t.Context(), "config", "core.excludesFile", file); err != nil {
		t.Fatal(err)
	}
	s, err := r.Shadow(t.Context(), dir, false)
	if err != nil {
		t.Fatal(err)
	}
	write(t, top, "x.mine", "")
	write(t, top, "y.txt", "")
	if got := inside(t, top, s, "git status --short"); got != "?? y.txt" {
		t.Errorf("git status says %q, want y.txt untracked", got)
	}
}

// BenchmarkShadow makes a shadow of a repository of 2,000 and of 200,000 files, and works in it as an agent does.
// It reports how long that took, and how many times what it takes with the repository's own git directory.
func BenchmarkShadow(b *testing.B) {
	for _, count := range []int{2000, 200_000} {
		b.Run(fmt.Sprintf("files=%d", count), func(b *testing.B) { benchShadow(b, count) })
	}
}

func benchShadow(b *testing.B, count int) {
	r := repositoryOf(b, count)
	steps := []struct {
		name string
		args []string
	}{
		{"status", []string{"status", "--short"}}, {"add", []string{"add", "-A"}},
		{"commit", []string{"commit", "-q", "-m", "more"}}, {"restore", []string{"restore", "."}},
	}
	took := map[string][]time.Duration{}
	work := func(i int, gitDir, where string) {
		for j, step := range steps {
			if j%3 == 0 { // before status, for add and commit; and before restore
				write(b, r.Top, "d000/f0.txt", fmt.Sprintln(where, i, j))
			}
			g := git.Git{Dir: r.Top, Env: append(git.Environment(), "GIT_DIR="+gitDir, "GIT_WORK_TREE="+r.Top,
				"GIT_ALTERNATE_OBJECT_DIRECTORIES="+filepath.Join(r.Common, "objects"))}
			start := time.Now()
			if out, err := g.Output(b.Context(), step.args...); err != nil {
				b.Fatalf("git %v: %v\n%s", step.args, err, out)
			}
			took[where+step.name] = append(took[where+step.name], time.Since(start))
		}
	}
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		s, err := r.Shadow(b.Context(), b.TempDir(), true)
		if err != nil {
			b.Fatal(err)
		}
		took["make"] = append(took["make"], time.Since(start))
		work(i, s.Dir, "inside ")
		work(i, r.Dir, "outside ")
	}
	b.ReportMetric(benchtest.Milliseconds(took["make"], 0.5), "make-p50-ms")
	for _, step := range steps {
		inside := benchtest.Milliseconds(took["inside "+step.name], 0.5)
		b.ReportMetric(inside, step.name+"-p50-ms")
		b.ReportMetric(inside/benchtest.Milliseconds(took["outside "+step.name], 0.5), step.name+"-x-outside")
	}
}

// repositoryOf returns a repository with some files in one commit.
func repositoryOf(b *testing.B, count int) git.Repository {
	repo := b.TempDir()
	for i := range count {
		dir := filepath.Join(repo, fmt.Sprintf("d%03d", i%500))
		if i < 500 {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				b.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.txt", i)), fmt.Appendln(nil, i), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	gittest.Commit(b, repo)
	r, err := git.Locate(repo)
	if err != nil {
		b.Fatal(err)
	}
	return r
}
