package lane

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/checks"
	"ferrus/checks/git"
	"ferrus/checks/git/gittest"
)

// fixture is a repository with a base, and a lane.
type fixture struct {
	testing.TB
	dir  string
	lane Lane
	base string // tree
	head string // commit
	job  Job
}

func newFixture(t testing.TB, files map[string]string) *fixture {
	t.Helper()
	f := &fixture{TB: t, dir: t.TempDir(), lane: Lane(filepath.Join(t.TempDir(), "lane"))}
	f.write(".gitignore", ".ferrus/\nout/\n")
	for name, content := range files {
		f.write(name, content)
	}
	gittest.Commit(t, f.dir)
	f.head = f.repo().Head(t.Context())
	f.base = f.tree()
	f.job = Job{Commit: f.head, Base: f.base, Run: f.run}
	return f
}

func (f *fixture) repo() checks.Repo {
	return checks.Repo{Workspace: f.dir, Private: filepath.Join(f.dir, ".ferrus", "git")}
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) write(name, content string) {
	f.Helper()
	file := filepath.Join(f.dir, filepath.FromSlash(name))
	f.must(os.MkdirAll(filepath.Dir(file), 0o755))
	f.must(os.WriteFile(file, []byte(content), 0o644))
}

func (f *fixture) tree() string {
	f.Helper()
	tree, err := f.repo().Tree(f.Context())
	f.must(err)
	return tree.Hash
}

func (f *fixture) run(ctx context.Context, p *Place, commands []checks.Command) checks.Record {
	return checks.Run(ctx, checks.Options{Dir: p.Dir, Env: p.Env, Commands: commands})
}

// prepare brings the lane to the present tree of the worktree.
func (f *fixture) prepare() *Place {
	f.Helper()
	f.job.Repo, f.job.Tree = f.repo(), f.tree()
	p, err := f.lane.Prepare(f.Context(), f.job)
	f.must(err)
	return p
}

// sh returns what a script printed in a place.
func (f *fixture) sh(p *Place, script string) string {
	f.Helper()
	r := f.run(f.Context(), p, []checks.Command{{Run: script}})
	if r.Verdict != checks.Pass {
		f.Fatalf("%s: %s, want a pass\n%v", script, r.Why, r.Commands)
	}
	return strings.Join(r.Commands[0].Tail, "\n")
}

// The lane has the tree that was hashed, wherever the worktree is by now.
func TestCommandsRunOnTheTree(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs several gates")
	}
	f := newFixture(t, map[string]string{"a.txt": "base\n", "sub/b.txt": "b\n"})
	f.write("a.txt", "new\n")
	f.write("out/ignored", "x")
	p := f.prepare()
	f.write("a.txt", "later\n")
	if got := f.sh(p, "cat a.txt; find . -type f | sort"); got != "new\n./.git\n./.gitignore\n./a.txt\n./sub/b.txt" {
		t.Errorf("the lane has:\n%s", got)
	}
	f.sh(p, "echo worse >a.txt; echo x >c.txt; mkdir -p out; echo y >out/z; rm sub/b.txt;"+
		"cp .gitignore x; echo z >.gitignore; cat x >.gitignore; rm x")
	changed, restored, err := p.Changed(t.Context())
	if f.must(err); !slices.Equal(changed, []string{"a.txt", "sub/b.txt"}) ||
		!slices.Equal(restored, []string{".gitignore"}) {
		t.Errorf("changed: %v, restored: %v", changed, restored)
	}
	f.write("a.txt", "new\n")
	p = f.prepare()
	if got := f.sh(p, "cat a.txt; ls; ls sub"); got != "new\na.txt\nsub\nb.txt" {
		t.Errorf("after the first gate the lane has:\n%s", got)
	}
}

// The commands see none of the user's configuration, and no program of a worktree.
func TestEnvironment(t *testing.T) {
	f := newFixture(t, map[string]string{"bin/tool": "#!/bin/sh\necho tree\n"})
	f.must(os.Chmod(filepath.Join(f.dir, "bin", "tool"), 0o755))
	for name, value := range map[string]string{"SECRET_TOKEN": "s", "NODE_OPTIONS": "--require=x", "LC_ALL": "C.UTF-8",
		"LET_IN": "yes", "GOFLAGS": "-toolexec=x", "BASH_ENV": "x"} {
		t.Setenv(name, value)
	}
	f.job.Path = "bin:" + filepath.Join(f.dir, "bin") + ":/usr/bin:/bin"
	f.job.Env = []string{"LET_IN", "SET=it", "NOT_THERE"}
	p := f.prepare()
	got := f.sh(p, "env | sort; command -v tool")
	for _, want := range []string{"LC_ALL=C.UTF-8", "LET_IN=yes", "SET=it", "GOENV=off", "GOFLAGS=-modcacherw",
		"HOME=" + f.lane.join("home"), "PATH=" + p.Top + "/bin:/usr/bin:/bin", p.Top + "/bin/tool"} {
		if !strings.Contains("\n"+got+"\n", "\n"+want+"\n") {
			t.Errorf("the workspace lacks %s", want)
		}
	}
	for _, bad := range []string{"SECRET_TOKEN", "NODE_OPTIONS", "toolexec", "BASH_ENV", "NOT_THERE", f.dir + "/bin"} {
		if strings.Contains(got, bad) {
			t.Errorf("the workspace has %s:\n%s", bad, got)
		}
	}
}

// Commands that call git see a clean checkout of a commit on top of the base, and the user's tags;
// their changes there have no effect outside.
func TestGitInALane(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	f := newFixture(t, map[string]string{"a.txt": "a"})
	f.must(git.In(f.dir).Do(t.Context(), "tag", "v1.0"))
	f.write("a.txt", "b")
	f.write("new.txt", "n")
	p := f.prepare()
	if got := f.sh(p, "git status --porcelain; git describe --tags HEAD~; git diff --name-only HEAD~"); got !=
		"v1.0\na.txt\nnew.txt" {
		t.Errorf("git says:\n%s", got)
	}
	f.sh(p, "git commit -q --allow-empty -m x && git tag evil && git update-ref refs/heads/main HEAD && "+
		"git config core.fsmonitor 'touch evil' && git config alias.status '!touch evil'")
	if got := f.sh(f.prepare(), "git status --porcelain; git tag; git rev-parse main"); got != "v1.0\n"+f.head {
		t.Errorf("the next gate sees:\n%s", got)
	}
	if got, err := git.In(f.dir).Output(t.Context(), "tag"); err != nil || got != "v1.0" {
		t.Errorf("the user's tags: %q, %v", got, err)
	}
}

// A command may leave a process that cleared its environment and left its session.
func TestNoProcessOutlivesItsGate(t *testing.T) {
	t.Parallel()
	f := newFixture(t, map[string]string{"a.txt": "a"})
	p := f.prepare()
	alive := filepath.Join(t.TempDir(), "alive")
	f.sh(p, "env -i setsid sh -c 'exec 3>>a.txt; cd /; echo $$ >"+alive+"; exec sleep 1000' >/dev/null 2>&1 & "+
		"while ! test -s "+alive+"; do sleep 0.01; done")
	if _, _, err := p.Changed(t.Context()); err != nil {
		t.Fatal(err)
	}
	pid, err := os.ReadFile(alive)
	f.must(err)
	// One that is ending has no program, even while its files are being closed.
	if program, err := os.Readlink("/proc/" + strings.TrimSpace(string(pid)) + "/exe"); err == nil {
		t.Errorf("process %s lives and runs %s", pid, program)
	}
}

// A repository without a commit has no branches and no base.
func TestNoCommit(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	f.must(os.RemoveAll(filepath.Join(f.dir, ".git")))
	f.must(git.In(f.dir).Do(t.Context(), "init", "-q"))
	f.job.Commit, f.job.Base = "", ""
	if got := f.sh(f.prepare(), "git status --porcelain; ls -A"); got != ".git\n.gitignore" {
		t.Errorf("the workspace is %q, want only .git and .gitignore", got)
	}
}

func TestSubmodulesHaveTheirFiles(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	other := t.TempDir()
	f := newFixture(t, nil)
	f.must(os.WriteFile(filepath.Join(other, "lib.txt"), []byte("lib\n"), 0o644))
	gittest.Commit(t, other)
	f.must(git.In(f.dir).Do(t.Context(), "-c", "protocol.file.allow=always", "submodule", "--quiet",
		"add", other, "lib"))
	p := f.prepare()
	if got := f.sh(p, "cat lib/lib.txt"); got != "lib" || len(p.Missing) != 0 {
		t.Errorf("lib.txt is %q, missing are %v; want lib and none", got, p.Missing)
	}
}

func TestALaneOfOthersIsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	f.must(os.MkdirAll(string(f.lane), 0o700))
	f.must(os.Chmod(string(f.lane), 0o777))
	f.job.Repo, f.job.Tree = f.repo(), f.base
	if _, err := f.lane.Prepare(t.Context(), f.job); err == nil ||
		!strings.Contains(err.Error(), "only you can write") {
		t.Errorf("got %v, want that only you may write", err)
	}
}

// A machine behind a proxy that opens TLS says so by variables, and by npm's and pip's files for all users.
func TestCertificatesOfTheMachineCount(t *testing.T) {
	f := newFixture(t, nil)
	names := []string{"NODE_EXTRA_CA_CERTS", "PIP_CERT", "REQUESTS_CA_BUNDLE", "CARGO_HTTP_CAINFO", "GIT_SSL_CAINFO"}
	for _, name := range names {
		t.Setenv(name, "/etc/ssl/"+name)
	}
	p := f.prepare()
	for _, name := range names {
		if !slices.Contains(p.Env, name+"=/etc/ssl/"+name) {
			t.Errorf("commands lack %s", name)
		}
	}
	for _, entry := range p.Env {
		if strings.HasPrefix(entry, "npm_config_globalconfig=") || strings.HasPrefix(entry, "PIP_CONFIG_FILE=") {
			t.Errorf("%s hides what the machine needs", entry)
		}
	}
}

// Nothing that a gate leaves affects the next one: neither a source file whose time was set back,
// so that a build cache takes it for the old one, nor a file with the size and time of the real
// one.
func TestTimesOfFilesDecideNothing(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	f := newFixture(t, map[string]string{"a.txt": "good", "b.txt": "b"})
	p := f.prepare()
	f.sh(p, "touch -r a.txt old; printf evil >a.txt; touch -r old a.txt; rm old; chmod +x b.txt; touch -d @0 b.txt")
	if got := f.sh(f.prepare(), "cat a.txt; test -x b.txt || echo plain"); got != "goodplain" {
		t.Errorf("after a gate that changed files and put their times back: %q", got)
	}
	// The worktree of the agent has such a file too: the tree has its content.
	info, err := os.Stat(filepath.Join(f.dir, "a.txt"))
	f.must(err)
	f.write("a.txt", "next")
	f.must(os.Chtimes(filepath.Join(f.dir, "a.txt"), info.ModTime(), info.ModTime()))
	if got := f.sh(f.prepare(), "cat a.txt"); got != "next" {
		t.Errorf("a file of the same size and time: %q", got)
	}
}

// The agent's node_modules reach no gate, and a gate's changes to the node_modules that setup made
// do not reach the next gate.
func TestModulesOfTheWorktreeReachNoGate(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	f := newFixture(t, map[string]string{".gitignore": ".ferrus/\nnode_modules/\n", "package-lock.json": "1"})
	f.job.Setup = setup("mkdir -p node_modules/.bin && echo good >node_modules/.bin/jest")
	f.job.Key = []string{"package-lock.json"}
	for range 2 {
		f.write("node_modules/.bin/jest", "evil")
		f.write("node_modules/other/index.js", "evil")
		p := f.prepare()
		if got := f.sh(p, "cat node_modules/.bin/jest; ls node_modules"); got != "good" {
			t.Errorf("the gate has %q", got)
		}
		f.sh(p, "echo evil >node_modules/.bin/jest; mkdir -p node_modules/evil; "+
			"ln -s $PWD/node_modules node_modules/.bin/x")
	}
}
