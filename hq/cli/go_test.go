package cli

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// Environment of the go that the tests have on PATH: where the real one is, and the
// folder with its output.
const (
	realGo   = "REAL_GO"
	goResult = "GO_RESULTS"
)

// rememberedGo are tests in which `go vet` and `go test` run once for each source
// that they are run on: the demo has four versions, and is played fifty times.
type rememberedGo struct{ Tests interface{ Run() int } }

// Run returns the exit code of the tests.
func (m rememberedGo) Run() int {
	results, err := os.MkdirTemp("", "go-results-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(results) //nolint:errcheck // what stays is in the folder for such
	if err := os.Setenv(goResult, results); err != nil {
		panic(err)
	}
	env, err := goEnv()
	if err != nil {
		panic(err)
	}
	for name, value := range map[string]string{"GOCACHE": env["GOCACHE"],
		"XDG_CACHE_HOME": filepath.Join(results, "cache")} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	if err := os.WriteFile(goFile(), []byte(os.Getenv(realGo)+"\n"+results), 0o600); err != nil {
		panic(err)
	}
	return m.Tests.Run()
}

// goFile returns a file in the directory of go. Check commands have an environment of
// their own, so it says there what the variables say elsewhere.
func goFile() string {
	program, _ := exec.LookPath("go") // Some tests have none: then there is no such file.
	return filepath.Join(filepath.Dir(program), "go.txt")
}

// findGo notes where the real go is.
func findGo() {
	path, err := exec.LookPath("go")
	if err == nil {
		err = os.Setenv(realGo, path)
	}
	if err != nil {
		panic(err)
	}
}

// goOnce runs the real go, or repeats its output for the same arguments in a folder
// with the same files, and returns its exit code.
func goOnce(args []string) int {
	real, results := os.Getenv(realGo), os.Getenv(goResult)
	if real == "" {
		text, err := os.ReadFile(goFile())
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		real, results, _ = strings.Cut(string(text), "\n")
	}
	if results == "" || !slices.Contains([]string{"vet ./...", "test ./...", "test -json ./..."},
		strings.Join(args, " ")) {
		fmt.Fprintln(os.Stderr, syscall.Exec(real, append([]string{real}, args...), os.Environ()))
		return 1
	}
	key, err := source(".", args)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	name := filepath.Join(results, key)
	lock, err := os.Create(name + ".lock")
	if err == nil {
		err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX) // another test may run it now
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer lock.Close()
	if output, err := os.ReadFile(name); err == nil {
		os.Stdout.Write(output[1:]) //nolint:errcheck // as go does
		return int(output[0])
	}
	var out bytes.Buffer
	c := exec.Command(real, args...)
	c.Stdout, c.Stderr = &out, &out
	err = c.Run()
	os.Stdout.Write(out.Bytes()) //nolint:errcheck // as go does
	if code := c.ProcessState.ExitCode(); err == nil || code > 0 {
		output := append([]byte{byte(code)}, out.Bytes()...)
		temp := fmt.Sprint(name, os.Getpid())
		if os.WriteFile(temp, output, 0o600) == nil {
			os.Rename(temp, name) //nolint:errcheck // the next one runs it then
		}
		return code
	}
	return 1
}

// source returns a name for arguments and what go reads below a folder: Go's own
// files but those in folders with a dot in front.
func source(root string, args []string) (string, error) {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q\n", args)
	err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && name != root && strings.HasPrefix(e.Name(), ".") {
			return filepath.SkipDir
		}
		if !e.Type().IsRegular() || !slices.Contains([]string{".go", ".mod", ".sum"}, filepath.Ext(name)) {
			return nil
		}
		data, err := os.ReadFile(name)
		fmt.Fprintf(sum, "%q %x\n", name, sha256.Sum256(data))
		return err
	})
	return fmt.Sprintf("%x", sum.Sum(nil)), err
}

// TestGoOnce holds that the go of these tests says what the real one says, the first
// time and the second.
func TestGoOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs go")
	}
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module once\n",
		"once_test.go": "package once\n\nimport \"testing\"\n\nfunc TestOnce(t *testing.T) { t.Error(\"it " +
			"says no\") }\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(name string) (string, int) {
		c := exec.Command(name, "test", "./...")
		c.Dir = dir
		out, _ := c.CombinedOutput() // the code is what counts
		return string(out), c.ProcessState.ExitCode()
	}
	first, code := run("go")
	if again, twice := run("go"); again != first || twice != code || code != 1 ||
		!strings.Contains(first, "it says no") {
		t.Errorf("%d: %s\n%d: %s", code, first, twice, again)
	}
	if err := os.Remove(filepath.Join(dir, "once_test.go")); err != nil {
		t.Fatal(err)
	}
	if out, code := run("go"); strings.Contains(out, "it says no") {
		t.Errorf("of another source: %d: %s", code, out)
	}
}
