//go:build e2e

package e2e

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ferrus/agent"
	"ferrus/agent/sandbox"
	"ferrus/hq/clients/model"
	"ferrus/hq/core"
	"ferrus/hq/host/hosttest"
	"ferrus/hq/project"
	"ferrus/store"
)

// setup says which clients take part, and how.
type setup struct {
	supervisor, executor string
	model                string // for both; empty: a name that no client knows
	interactive          bool   // the executor and the reviewers use their own screens
	permissions          string // for both; empty: auto
	more                 string // lines of ferrus.toml
	script               func(model.Conversation) model.Action
}

// fixture is a repository with two clients, a scripted model and ferrus. Unlike package hqtest, it
// is set up by the real program, as a user does.
type fixture struct {
	t      testing.TB
	ferrus string
	root   string // contains everything else
	dir    string // the repository
	env    []string
	server *model.Server
	script func(model.Conversation) model.Action // lets a test change it before ferrus runs

	lenient  bool          // the model may complain
	patience time.Duration // time limit for ferrus; 0: a screen's limit
}

// built is the current ferrus, built once per run.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "ferrus-e2e-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "ferrus")
	if out, err := exec.Command("go", "build", "-o", path, "ferrus").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	sandbox.Main(os.Args[1:])
	if err := os.Setenv("TMPDIR", os.TempDir()); err != nil { // on disk, because the clients write nothing below /dev
		panic(err)
	}
	if latest() {
		if err := putNodeOnPath(); err != nil {
			panic(err)
		}
	}
	code := hosttest.M{Tests: m}.Run()
	if path, err := built(); err == nil {
		os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

func newFixture(t testing.TB, s setup) *fixture {
	t.Helper()
	ferrus, err := built()
	if err != nil {
		t.Fatal(err)
	}
	if s.script == nil {
		s.script = model.LoopScript
	}
	server, err := model.Start(s.script)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	root := t.TempDir()
	b := &fixture{t: t, ferrus: ferrus, root: root, dir: filepath.Join(root, "greeter"), server: server}
	b.surround(clientOf(s.supervisor), clientOf(s.executor))
	b.repository(s)
	littered := litter()
	t.Cleanup(func() {
		b.alone()
		b.clean(littered)
	})
	return b
}

// surround sets up the environment: of the user's only PATH.
func (b *fixture) surround(all ...client) {
	b.t.Helper()
	home, tmp := filepath.Join(b.root, "home"), filepath.Join(b.root, "tmp")
	var path []string
	b.env = []string{"HOME=" + home, "TMPDIR=" + tmp, "TERM=xterm-256color", "LANG=C.UTF-8", "XDG_CACHE_HOME=" +
		filepath.Join(b.root, "cache"),
		"NODE_COMPILE_CACHE=" + compiled(b.t)}
	for _, c := range all {
		path = append(path, c.install(b.t))
		b.env = append(b.env, c.prepare(b.t, home, b.server.URL, b.dir)...)
	}
	b.env = append(b.env, "PATH="+strings.Join(append(path, os.Getenv("PATH")), string(os.PathListSeparator)))
	if err := os.MkdirAll(tmp, 0o755); err != nil {
		b.t.Fatal(err)
	}
}

func (b *fixture) repository(s setup) {
	b.t.Helper()
	write(b.t, filepath.Join(b.dir, "README.md"), "# Greeter\n")
	for _, name := range []string{s.supervisor, s.executor} {
		if p, ok := protocol[name]; ok && !strings.Contains(s.more, "[agent."+name+"]") {
			s.more += fmt.Sprintf("[agent.%s]\nacp = [%q, %q]\n", name, p.command[0], p.command[1])
		}
	}
	write(b.t, filepath.Join(b.dir, "ferrus.toml"), fmt.Sprintf(`[checks]
commands = ["grep -qx 'hello ferrus' greeting.txt"]
[hq.supervisor]
agent = %q
model = %q
interactive = %v
permissions = %[4]q
[hq.executor]
agent = %[5]q
model = %[2]q
interactive = %[3]v
permissions = %[4]q
%[6]s
`, s.supervisor, s.model, s.interactive, cmp.Or(s.permissions, "auto"), s.executor, s.more))
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"},
		{"-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-qm", "start"}} {
		if out, err := exec.Command("git", append([]string{"-C", b.dir}, args...)...).CombinedOutput(); err != nil {
			b.t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	if code, out := b.run("init", "--yes"); code != 0 {
		b.t.Fatalf("ferrus init: exit %d\n%s", code, out)
	}
}

// world returns the task's state on disk.
func (b *fixture) world() core.World {
	b.t.Helper()
	d, err := store.Open[core.World](b.dir)
	if err != nil {
		b.t.Fatal(err)
	}
	s, err := d.Load()
	if err != nil {
		b.t.Fatal(err)
	}
	return s.World
}

// runScenario runs the loop to its question, answers it, and runs the loop to its end.
func (b *fixture) runScenario() {
	b.t.Helper()
	code, out := b.run("run", model.TaskText)
	if code != 3 || !strings.Contains(out, "Which mark ends the last line?") {
		b.t.Fatalf("no question for the human: exit %d\n%s\n%s", code, out, b.evidence())
	}
	b.finish()
}

// finish answers the open question and runs the loop to its end.
func (b *fixture) finish() {
	b.t.Helper()
	if code, out := b.run("answer", "!"); code != 0 {
		b.t.Fatalf("answer: exit %d\n%s", code, out)
	}
	if code, out := b.run("run"); code != 0 {
		b.t.Fatalf("the loop ended with exit %d, want 0\n%s\n%s", code, out, b.evidence())
	}
	b.verify()
}

// verify checks the result.
func (b *fixture) verify() {
	b.t.Helper()
	if _, out := b.run("status", "--json"); !strings.Contains(out, `"Complete"`) {
		b.t.Errorf("the task is not Complete:\n%s", out)
	}
	work := b.dir
	if trees, _ := filepath.Glob(filepath.Join(b.dir, ".ferrus", "worktrees", "*", "README.md")); len(trees) == 1 {
		work = filepath.Dir(trees[0])
	}
	text, err := os.ReadFile(filepath.Join(work, "greeting.txt"))
	if err != nil || string(text) != "hello ferrus\ngoodbye!\n" {
		b.t.Errorf("greeting.txt is %q, %v; want two greetings", text, err)
	}
	_, log := b.run("log")
	b.t.Log("the journal:\n" + log)
	for _, event := range []string{"FAIL", "consult", "respond_consult", "reject", "ask_human", "answer", "approve"} {
		if !strings.Contains(log, event) {
			b.t.Errorf("the journal lacks %s:\n%s", event, log)
		}
	}
	for _, mode := range []core.Mode{core.ModeWork, core.ModeResume, core.ModeReview, core.ModeConsult} {
		if !b.had(mode) {
			b.t.Errorf("no session in mode %s", mode)
		}
	}
	if complaints := b.server.Complaints(); len(complaints) > 0 && !b.lenient {
		b.t.Errorf("the model's complaints:\n%s", strings.Join(complaints, "\n"))
	}
}

// had reports whether a session in the given mode has ended.
func (b *fixture) had(mode core.Mode) bool {
	b.t.Helper()
	return slices.ContainsFunc(b.ended(), func(e project.Ended) bool { return e.Mode == mode })
}

// ended returns the sessions that have ended.
func (b *fixture) ended() []project.Ended {
	b.t.Helper()
	p, err := project.Open(b.dir, agent.Names()...)
	if err != nil {
		b.t.Fatal(err)
	}
	sessions, err := p.Ended("")
	if err != nil {
		b.t.Fatal(err)
	}
	return sessions
}

// evidence returns what helps to diagnose a loop that stops early.
func (b *fixture) evidence() string {
	var s strings.Builder
	fmt.Fprintf(&s, "complaints: %q\nrequests: %d\n", b.server.Complaints(), len(b.server.Requests()))
	logs, _ := filepath.Glob(filepath.Join(b.dir, ".ferrus", "logs", "*"))
	own, _ := filepath.Glob(filepath.Join(b.dir, ".ferrus", "tasks", "*", "logs", "*"))
	logs = append(logs, own...)
	for _, path := range logs {
		text, _ := os.ReadFile(path)
		fmt.Fprintf(&s, "--- %s\n%s\n", filepath.Base(path), text[max(0, len(text)-3000):])
	}
	return s.String()
}
