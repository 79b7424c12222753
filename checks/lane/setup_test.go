package lane

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/checks"
)

func setup(run string) []checks.Command { return []checks.Command{{Run: run}} }

// The setup output of the base serves every tree with the same key files, whatever a gate's
// commands did to it.
func TestSetupRunsOnTheBaseOnce(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs several gates")
	}
	f := newFixture(t, map[string]string{"package-lock.json": "1",
		"install.sh": "mkdir -p out && cp install.sh out/tool\n"})
	runs := filepath.Join(t.TempDir(), "runs")
	f.job.Setup = setup("sh install.sh && echo run >>" + runs)
	f.write("install.sh", "mkdir -p out && echo evil >out/tool\n")
	p := f.prepare()
	want := "mkdir -p out && cp install.sh out/tool"
	if got := f.sh(p, "cat out/tool"); got != want {
		t.Errorf("setup made %q", got)
	}
	f.sh(p, "echo evil >out/tool; echo evil >out/other; touch -d @0 out/tool")
	f.write("a.txt", "more work")
	if got := f.sh(f.prepare(), "cat out/*"); got != want {
		t.Errorf("the next gate has %q", got)
	}
	if data, _ := os.ReadFile(runs); string(data) != "run\n" {
		t.Errorf("setup ran: %q", data)
	}

	// Another key: setup runs on the tree itself, and for that tree alone.
	f.write("package-lock.json", "2")
	if got := f.sh(f.prepare(), "cat out/tool"); got != "evil" {
		t.Errorf("the task's own setup made %q", got)
	}
	f.write("install.sh", "mkdir -p out && echo good >out/tool\n")
	if got := f.sh(f.prepare(), "cat out/tool"); got != "good" {
		t.Errorf("output of another tree was used: %q", got)
	}
	f.write("package-lock.json", "1")
	if got := f.sh(f.prepare(), "cat out/tool"); got != want {
		t.Errorf("the base's output was replaced by %q", got)
	}
}

func TestSetupThatFailsSaysSo(t *testing.T) {
	t.Parallel()
	f := newFixture(t, map[string]string{"go.sum": "1"})
	f.job.Setup = setup("test -f ready")
	p := f.prepare()
	if p.Setup == nil || p.Setup.Verdict != checks.Fail || p.Setup.Why != "FAIL: setup: test -f ready" {
		t.Errorf("the setup is %+v, want FAIL of test -f ready", p.Setup)
	}
	f.write("ready", "")
	if p = f.prepare(); p.Setup != nil { // The base is still broken, and the task repairs it.
		t.Errorf("the setup is %+v, want none", p.Setup)
	}
}

func TestKeyFiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		key           []string
		file, project string
		want          bool
	}{
		{nil, "go.sum", ".", true},
		{nil, "web/package-lock.json", ".", true},
		{nil, "requirements-dev.txt", ".", true},
		{nil, "main.go", ".", false},
		{[]string{"deps.txt"}, "go.sum", ".", false},
		{[]string{"deps.txt"}, "a/deps.txt", ".", true},
		{[]string{"a/deps.txt"}, "deps.txt", ".", false},
		{[]string{"a/*.txt"}, "sub/a/deps.txt", "sub", true},
		{[]string{"a/*.txt"}, "a/deps.txt", "sub", false},
	} {
		if got := (Job{Key: c.key}).dependsOn(c.file, c.project); got != c.want {
			t.Errorf("%v depends on %s in %s: %v, want %v", c.key, c.file, c.project, got, c.want)
		}
	}
	// Without any key file, setup depends on the whole tree.
	f := newFixture(t, map[string]string{"gen.sh": "echo 1 >made"})
	f.job.Setup = setup("sh gen.sh")
	f.prepare()
	f.write("gen.sh", "echo 2 >made")
	if got := f.sh(f.prepare(), "cat made"); got != "2" {
		t.Errorf("made is %q, want 2", got)
	}
}

// Files that a gate leaves in its home, its caches and its temporary directory do not reach the
// next gate; files that the base left there do.
func TestHomeAndCachesAreThoseOfTheBase(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	f := newFixture(t, nil)
	p := f.prepare()
	f.sh(p, `mkdir -p "$GOCACHE" && echo good >"$GOCACHE/entry" && echo x >"$TMPDIR/x"`)
	f.must(p.SaveBase(t.Context()))
	p = f.prepare()
	if got := f.sh(p, `cat "$GOCACHE/entry"; ls -A "$TMPDIR"`); got != "good" {
		t.Errorf("the caches of the base: %q", got)
	}
	f.sh(p, `echo evil >"$GOCACHE/entry"; echo evil >"$GOCACHE/other"; echo 'alias ls=true' >"$HOME/.profile"`)
	if got := f.sh(f.prepare(), `cat "$GOCACHE"/*; ls -A "$HOME"`); got != "good\n.cache" {
		t.Errorf("after another gate: %q", got)
	}
}

// npm exits at once if the user's and the system's configuration are the same file.
func TestNpmRuns(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs npm")
	}
	f := newFixture(t, map[string]string{"package.json": `{"name": "a", "scripts": {"test": "echo tested"}}`})
	p := f.prepare()
	value := func(name string) (found string) {
		for _, entry := range p.Env {
			if v, ok := strings.CutPrefix(entry, name+"="); ok {
				found = v
			}
		}
		return found
	}
	if user, global := value("npm_config_userconfig"), value("npm_config_globalconfig"); user == global {
		t.Fatalf("both are %q", user)
	}
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not installed")
	}
	if got := f.sh(p, "npm test --silent"); got != "tested" {
		t.Errorf("npm says %q", got)
	}
}
