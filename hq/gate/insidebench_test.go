package gate

import (
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"ferrus/agent/sandbox"
	"ferrus/checks"
	"ferrus/checks/git/gittest"
	"ferrus/hq/benchtest"
	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
)

// suites are projects with nothing to download: the program that runs their tests, its command, and their files.
var suites = []struct {
	name, program, command string
	files                  hqtest.Files
}{
	{"go", "go", "go vet ./... && go test ./...", hqtest.Files{
		"go.mod": "module m\n\ngo 1.21\n", ".gitignore": ".ferrus/\n",
		"m.go": "package m\n\nimport \"net/http\"\n\nfunc Client() *http.Client { return http.DefaultClient }\n",
		"m_test.go": "package m\n\nimport (\n\t\"net/http/httptest\"\n\t\"testing\"\n)\n\n" +
			"func TestClient(t *testing.T) {\n" +
			"\ts := httptest.NewServer(nil)\n\tdefer s.Close()\n\tif _, err := Client().Get(s.URL); err != nil {\n" +
			"\t\tt.Fatal(err)\n\t}\n}\n"}},
	{"node", "node", "node --test", hqtest.Files{".gitignore": ".ferrus/\n",
		"a.test.js": "const t = require('node:test'), a = require('assert');\n" +
			"for (let i = 0; i < 100; i++) t('t' + i, () => { a.equal(i, i); });\n"}},
	{"python", "python3", "python3 -m unittest -q", hqtest.Files{".gitignore": ".ferrus/\n__pycache__/\n",
		"test_a.py": "import unittest, json, http.client\nclass A(unittest.TestCase):\n" +
			"    def test(self):\n        for i in range(20000): self.assertEqual(json.loads(json.dumps(i)), i)\n"}},
	{"rust", "cargo", "cargo test -q --offline", hqtest.Files{".gitignore": ".ferrus/\ntarget/\n",
		"Cargo.toml": "[package]\nname = \"m\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
		"Cargo.lock": "version = 3\n\n[[package]]\nname = \"m\"\nversion = \"0.1.0\"\n",
		"src/lib.rs": "pub fn a() -> u32 { 1 }\n#[test]\nfn b() { assert_eq!(a(), 1); }\n"}},
}

// BenchmarkGate is the same tests in your shell with warm caches, as a gate outside and inside the sandbox,
// and as the first gate inside a new task whose base was checked in the background. Each runs after a change of
// one file. It reports milliseconds, and how many times the gate outside the ones inside took.
func BenchmarkGate(b *testing.B) {
	for _, s := range suites {
		if _, err := exec.LookPath(s.program); err != nil {
			continue
		}
		b.Run(s.name, func(b *testing.B) {
			if w, err := sandbox.Choose(b.Context(), sandbox.Auto, sandbox.Open); err != nil || w.Kind == sandbox.None {
				b.Skip("no walls here")
			}
			benchGate(b, s.command, s.files)
		})
	}
}

func benchGate(b *testing.B, command string, files hqtest.Files) {
	without, with := newSuite(b, command, files, "off"), newSuite(b, command, files, "auto")
	var shell, outside, inside, first []time.Duration
	without.shell(command) // it fills your caches
	for i := 0; b.Loop(); i++ {
		shell = append(shell, without.timed(i, func() { without.shell(command) }))
		outside = append(outside, without.timed(-1-i, without.gate))
		inside = append(inside, with.timed(i, with.gate))
		with.do(core.Command{Kind: "reset", By: project.HumanActor()})
		with.startTask(fmt.Sprint("base ", i))
		with.ok(RunBase(b.Context(), with.Task)) // while its first session reads
		first = append(first, with.timed(-1-i, with.gate))
	}
	middle := func(took []time.Duration) float64 { return benchtest.Milliseconds(took, 0.5) }
	b.Log("shell", shell, "outside", outside, "inside", inside, "first", first)
	b.ReportMetric(middle(shell), "shell-p50-ms")
	b.ReportMetric(middle(outside), "outside-p50-ms")
	b.ReportMetric(middle(inside)/middle(outside), "inside-x-outside")
	b.ReportMetric(middle(first)/middle(outside), "first-x-outside")
}

// newSuite makes a project whose gate runs a command, with a task whose base was checked.
func newSuite(b *testing.B, command string, files hqtest.Files, mode string) *fixture {
	files = maps.Clone(files)
	const config = "[checks]\ncommands = [%q]\nprotect = false\n[sandbox]\nmode = %q\n"
	files["ferrus.toml"] = fmt.Sprintf(config, command, mode)
	l := &fixture{TB: b, Task: hqtest.NewProject(b, files)}
	l.Lanes = b.TempDir()
	l.startTask("seed")
	l.ok(RunBase(b.Context(), l.Task))
	return l
}

// startTask commits a change and begins a task on it.
func (l *fixture) startTask(change string) {
	l.write(filepath.Join(l.Dir, "base.txt"), change)
	gittest.Commit(l.TB.(*testing.B), l.Dir)
	l.do(core.Command{Kind: "create_task", By: project.HumanActor(), Text: "do it"})
	l.do(core.Command{Kind: "claim", By: hqtest.Executor()})
}

func (l *fixture) timed(change int, run func()) time.Duration {
	l.write(filepath.Join(l.Dir, "change.txt"), strconv.Itoa(change))
	began := time.Now()
	run()
	return time.Since(began)
}

func (l *fixture) shell(command string) {
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = l.Dir
	if out, err := cmd.CombinedOutput(); err != nil {
		l.Fatalf("%v: %s", err, out)
	}
}

func (l *fixture) gate() {
	if r := l.run(l.check()); r.Verdict != checks.Pass {
		l.Fatalf("the gate ended with %s, want a pass: %s", r.Why, strings.TrimSpace(r.Report))
	}
}
