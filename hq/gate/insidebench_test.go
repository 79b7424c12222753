package gate

import (
	"fmt"
	"os"
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

// BenchmarkGate is the same tests in a shell of yours with warm caches, as a gate, and as the first gate of a new
// task whose base was checked in the background. Each runs after a change of one file. It reports milliseconds, and
// how many times the first the others took.
func BenchmarkGate(b *testing.B) {
	for _, s := range suites {
		if _, err := exec.LookPath(s.program); err != nil {
			continue
		}
		for _, off := range []bool{true, false} {
			b.Run(s.name+map[bool]string{true: "/no-walls", false: "/inside"}[off], func(b *testing.B) {
				w, err := sandbox.Choose(b.Context(), sandbox.Auto, sandbox.Open)
				if !off && (err != nil || w.Kind == sandbox.None) {
					b.Skip("no walls here")
				}
				benchGate(b, s.command, s.files, off)
			})
		}
	}
}

func benchGate(b *testing.B, command string, files hqtest.Files, off bool) {
	config := "[checks]\ncommands = [" + strconv.Quote(command) + "]\nprotect = false\n"
	if off {
		config += "[sandbox]\nmode = \"off\"\n"
	}
	files["ferrus.toml"], files["change.txt"] = config, ""
	l := &fixture{TB: b, Task: hqtest.NewProject(b, files)}
	l.Lanes = b.TempDir()
	l.ok(os.MkdirAll(filepath.Join(l.Dir, ".ferrus"), 0o755))
	l.startTask("seed")
	l.ok(RunBase(b.Context(), l.Task))
	var outside, inside, first []time.Duration
	l.shell(command) // it fills your caches
	for i := 0; b.Loop(); i++ {
		outside = append(outside, l.timed(i, func() { l.shell(command) }))
		inside = append(inside, l.timed(i, l.gate))
		l.do(core.Command{Kind: "reset", By: project.HumanActor()})
		l.startTask(fmt.Sprint("base ", i))
		l.ok(RunBase(b.Context(), l.Task)) // while its first session reads
		first = append(first, l.timed(-1-i, l.gate))
	}
	shell := benchtest.Milliseconds(outside, 0.5)
	b.ReportMetric(shell, "shell-p50-ms")
	b.ReportMetric(benchtest.Milliseconds(inside, 0.5), "gate-p50-ms")
	b.ReportMetric(benchtest.Milliseconds(inside, 0.5)/shell, "gate-x-shell")
	b.ReportMetric(benchtest.Milliseconds(first, 0.5)/shell, "first-x-shell")
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
		l.Fatalf("%s: %s", r.Why, strings.TrimSpace(r.Report))
	}
}
