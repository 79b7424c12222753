package gate

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ferrus/agent/sandbox"
	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/hq/worktree"
	"ferrus/store"
)

// requireWalls skips a test where this machine has no namespace walls.
func requireWalls(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("short: it makes walls")
	}
	w, err := sandbox.Choose(t.Context(), sandbox.Auto, sandbox.Unshared)
	if err != nil || w.Kind != sandbox.Namespace {
		t.Skipf("no namespace walls here: %s %v", w.Reason, err)
	}
}

// newInside makes a project whose gate runs the commands inside a sandbox.
func newInside(t *testing.T, toml string, commands ...string) *fixture {
	t.Helper()
	l := &fixture{TB: t, out: t.TempDir()}
	var quoted []string
	for _, c := range commands {
		quoted = append(quoted, strconv.Quote(strings.ReplaceAll(c, "$OUT", l.out)))
	}
	l.Task = hqtest.NewProject(t, hqtest.Files{"main.go": "package main\n", "ferrus.toml": "[checks]\ncommands = [" +
		strings.Join(quoted, ", ") + "]\n" + strings.ReplaceAll(toml, "$OUT", l.out)})
	l.do(core.Command{Kind: "create_task", By: project.HumanActor(), Text: "do it"})
	l.do(core.Command{Kind: "claim", By: hqtest.Executor()})
	return l
}

func (l *fixture) gated() Record {
	l.Helper()
	ticket := l.check()
	l.ok(Run(l.Context(), l.Task, ticket, Options{}))
	r, err := Read(l.Task, ticket)
	l.ok(err)
	return r
}

func TestAGateRunsInside(t *testing.T) {
	requireWalls(t)
	l := newInside(t, "network = \"none\"\n", "echo forged > $OUT/forged || true", "cat $OUT/secret && exit 1 || true",
		"test -f main.go && echo built > built && echo x > /tmp/x && test -w $HOME && git log -1 --format=%s",
		"test \"$(cat /proc/net/dev | wc -l)\" = 3", "setsid sleep 1000 &")
	l.write(filepath.Join(l.out, "secret"), "secret")
	r := l.gated()
	if r.Verdict != checks.Pass {
		t.Fatalf("the gate ended with %s, want a pass\n%s", r.Why, r.Report)
	}
	if r.Sandbox.Kind != sandbox.Namespace || r.Sandbox.Network != sandbox.Unshared || len(r.Sandbox.Findings) > 0 {
		t.Errorf("the recorded sandbox is %+v, want namespaces without a network and findings", r.Sandbox)
	}
	if _, err := os.Stat(filepath.Join(l.out, "forged")); err == nil {
		t.Error("a command wrote outside")
	}
}

func TestWideningsReachTheGate(t *testing.T) {
	requireWalls(t)
	l := newInside(t, "[sandbox]\nwrite = [\"$OUT\"]\n", "echo it > $OUT/written")
	if r := l.gated(); r.Verdict != checks.Pass {
		t.Errorf("the gate ended with %s, want a pass\n%s", r.Why, r.Report)
	}
	if _, err := os.Stat(filepath.Join(l.out, "written")); err != nil {
		t.Error(err)
	}
}

func TestATaskCannotWidenItsSandbox(t *testing.T) {
	requireWalls(t)
	l := newInside(t, "", "! echo it > $OUT/written")
	l.write(filepath.Join(l.Dir, "ferrus.toml"), "[sandbox]\nmode = \"off\"\nwrite = ["+strconv.Quote(l.out)+"]\n")
	if r := l.gated(); r.Verdict != checks.Pass || r.Sandbox.Kind != sandbox.Namespace {
		t.Errorf("the gate ended with %s in %s, want a pass in namespaces\n%s", r.Why, r.Sandbox, r.Report)
	}
}

func TestSetupOfAWorktreeRunsInside(t *testing.T) {
	requireWalls(t)
	l := newInside(t, "", "true")
	d := core.Definition{Commands: []checks.Command{{Run: "echo forged > " + l.out + "/forged; echo made > made; " +
		"test -w $HOME && test -w $TMPDIR"}}}
	dir := l.Worktree("t-1").Top()
	l.ok(os.MkdirAll(dir, 0o755))
	l.ok(Setup(t.Context(), l.Task, "t-1", dir, d, nil))
	if _, err := os.Stat(filepath.Join(dir, "made")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(l.out, "forged")); err == nil {
		t.Error("setup wrote outside")
	}
}

// Setup and teardown commands run files that an agent may have edited. The git directory of the worktree stays
// the one that your git finds there.
func TestSetupKeepsTheGitOfAWorktree(t *testing.T) {
	requireWalls(t)
	l := newInside(t, "", "true")
	place := l.Worktree("t-1")
	_, err := worktree.Make(t.Context(), place, worktree.Options{})
	l.ok(err)
	git := filepath.Join(place.Top(), ".git")
	before, err := os.ReadFile(git)
	l.ok(err)
	d := core.Definition{Commands: []checks.Command{{Run: "git status --short && " +
		"for try in 'mv .git x' 'rm -f .git' 'ln -sf x .git' 'cp main.go .git'; " +
		"do $try && exit 1; done; echo made >made"}}}
	l.ok(Setup(t.Context(), l.Task, "t-1", place.Top(), d, nil))
	if after, err := os.ReadFile(git); err != nil || string(after) != string(before) {
		t.Errorf(".git is %q, was %q (%v)", after, before, err)
	}
}

// TestAGateInsideReadsAlternates has a repository use the objects of another one, as a clone with
// --reference does.
func TestAGateInsideReadsAlternates(t *testing.T) {
	requireWalls(t)
	l := newInside(t, "", "git log -1 --format=%s && git cat-file -e HEAD:main.go && git ls-tree -r HEAD")
	objects := filepath.Join(l.Dir, ".git", "objects")
	l.ok(os.Rename(objects, filepath.Join(l.out, "objects")))
	l.ok(os.MkdirAll(filepath.Join(objects, "info"), 0o700))
	l.write(filepath.Join(objects, "info", "alternates"), l.out+"/objects\n")
	if r := l.gated(); r.Verdict != checks.Pass {
		t.Errorf("the gate ended with %s, want a pass\n%s", r.Why, r.Report)
	}
}

// TestWallsThatFailBlameNoCommand has the walls fail while the gate runs: the verdict says why
// nothing was proven, and blames no command.
func TestWallsThatFailBlameNoCommand(t *testing.T) {
	t.Parallel()
	broken := filepath.Join(t.TempDir(), "broken")
	wrap := func(argv ...string) ([]string, error) {
		start := "test ! -e " + broken + " || { echo bwrap: no user namespaces >&2; exit 1; }; exec \"$@\""
		return append([]string{"/bin/sh", "-c", start, "sh"}, argv...), nil
	}
	run := func(command string) checks.Record {
		return checks.Run(t.Context(), checks.Options{Dir: t.TempDir(), Wrap: wrap,
			Commands: []checks.Command{{Run: command}, {Run: "true"}}})
	}
	if r := run("false"); r.Verdict != checks.Fail {
		t.Errorf("a command that fails: %s", r.Why)
	}
	r := run("touch " + broken)
	if want := "the sandbox no longer starts: bwrap: no user namespaces"; r.Verdict != checks.Unproven ||
		!strings.Contains(r.Why, want) {
		t.Errorf("walls that fail: %s", r.Why)
	}
}

// TestAGateAsksForHosts has a command ask its proxy for a host that nothing names, and reach a port
// that ferrus.toml names.
func TestAGateAsksForHosts(t *testing.T) {
	requireWalls(t)
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	const get = `bash -c 'exec 3<>/dev/tcp/127.0.0.1/%s; printf "GET %s HTTP/1.0\r\n\r\n" >&3; grep %q <&3'`
	l := newInside(t, "network = \"proxy\"\n[sandbox]\nports = [\""+port+"\"]\n",
		fmt.Sprintf(get, "61128", "http://new.test/", "403 Forbidden"), fmt.Sprintf(get, port, "/", "404 Not Found"))
	l.Heads = store.Heads(filepath.Join(t.TempDir(), "heads"))
	r := l.gated()
	if r.Verdict != checks.Pass || r.Sandbox.Network != sandbox.Proxied {
		t.Fatalf("the gate ended with %s in %s, want a pass with a proxy\n%s", r.Why, r.Sandbox, r.Report)
	}
	state, err := l.World()
	l.ok(err)
	if all := l.AskedHosts(state.World); len(all) != 1 || all[0].Host != "new.test" || all[0].By != "the gate" {
		t.Errorf("asked for %+v", all)
	}
}
