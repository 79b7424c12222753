package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"ferrus/checks/testnames"
	"ferrus/hq/hqtest"
	"ferrus/store/longtest"
)

// rememberedGo are tests whose go is the one of ./rememberedgo.
type rememberedGo struct{ Tests interface{ Run() int } }

// Run runs the tests and returns their exit code.
func (m rememberedGo) Run() int {
	dir, err := os.MkdirTemp("", "remembered-go-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // what stays is in the folder for such
	if err := putGo(dir); err != nil {
		panic(err)
	}
	return m.Tests.Run()
}

// putGo puts the go of the tests on PATH, with its files in a directory.
func putGo(dir string) error {
	env, err := goEnv()
	if err != nil {
		return err
	}
	realGo, err := exec.LookPath("go")
	if err != nil {
		return err
	}
	bin, outputs := filepath.Join(dir, "bin"), keptOutputs(env["GOVERSION"], dir)
	build := exec.Command(realGo, "build", "-o", filepath.Join(bin, "go"), "./rememberedgo")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build the go of the tests: %w\n%s", err, out)
	}
	if err := os.MkdirAll(outputs, 0o700); err != nil {
		return err
	}
	forgetUnused(outputs)
	for name, value := range map[string]string{"GOCACHE": env["GOCACHE"], "XDG_CACHE_HOME": filepath.Join(dir, "cache"),
		"PATH": bin + string(os.PathListSeparator) + os.Getenv("PATH")} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(bin, "go.txt"), []byte(realGo+"\n"+outputs), 0o600)
}

// keptOutputs returns the folder that keeps the outputs of a version of go: in your cache, as go
// keeps test results, or in a temporary directory if there is no cache.
func keptOutputs(version, temporary string) string {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = temporary
	}
	return filepath.Join(cache, "ferrus-test", "go", version)
}

// forgetUnused removes outputs that no test has used for a month.
func forgetUnused(outputs string) {
	files, _ := os.ReadDir(outputs) // what cannot be read stays
	for _, f := range files {
		if info, err := f.Info(); err == nil && time.Since(info.ModTime()) > 30*24*time.Hour {
			os.Remove(filepath.Join(outputs, f.Name())) //nolint:errcheck // the next run tries again
		}
	}
}

// goIn runs the go of the tests on a folder, and returns its output and its exit code.
func goIn(dir string) (string, int) {
	c := exec.Command("go", "test", "-json", "./...")
	c.Dir = dir
	out, _ := c.CombinedOutput() // the code is what counts
	return string(out), c.ProcessState.ExitCode()
}

// TestGoOnce checks that the go of these tests prints what the real one prints, the first time and
// the second.
func TestGoOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs go")
	}
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": fmt.Sprintf("module once // %d\n", time.Now().UnixNano()),
		"once_test.go": "package once\n\nimport \"testing\"\n\nfunc TestOnce(t *testing.T) { t.Error(\"it " +
			"says no\") }\n"} {
		hqtest.Write(t, dir, name, text)
	}
	first, code := goIn(dir)
	if again, twice := goIn(dir); again != first || twice != code || code != 1 ||
		!strings.Contains(first, "it says no") {
		t.Errorf("%d: %s\n%d: %s", code, first, twice, again)
	}
	if err := os.Remove(filepath.Join(dir, "once_test.go")); err != nil {
		t.Fatal(err)
	}
	if out, code := goIn(dir); strings.Contains(out, "it says no") {
		t.Errorf("of another source: %d: %s", code, out)
	}
}

// TestGoOnceForCanaries checks that sources that differ only in the names of the gate's own tests
// count as one, and that go still prints their names.
func TestGoOnceForCanaries(t *testing.T) {
	longtest.OnlyCI(t)
	t.Parallel()
	dir := t.TempDir()
	hqtest.Write(t, dir, "go.mod", fmt.Sprintf("module canary // %d\n", time.Now().UnixNano()))
	hqtest.Write(t, dir, "m_test.go", "package canary\n\nimport \"testing\"\n\nfunc TestMine(*testing.T) {}\n")
	var first string
	for i := range 2 {
		c := testnames.NewCanary(testnames.Go, "m_test.go", "canary")
		text := c.Write("package canary\n")
		hqtest.Write(t, dir, c.Path, text)
		out, code := goIn(dir)
		if err := os.Remove(filepath.Join(dir, c.Path)); err != nil {
			t.Fatal(err)
		}
		names, found := regexp.MustCompile("Test[A-Z][a-z]{8}").FindAllString(text, 2), out
		for i, name := range names {
			if !strings.Contains(out, name) {
				t.Errorf("go said nothing of %s:\n%s", name, out)
			}
			found = strings.ReplaceAll(found, name, "Name"+strconv.Itoa(i))
		}
		if i == 0 {
			first = found
		} else if found != first || code != 1 { // the times in it would differ
			t.Errorf("%d: %s\nit was %s", code, found, first)
		}
	}
}
