package git

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mortal puts a git first on PATH that is killed the first times that it runs, and returns the file that has a
// letter for each run.
func mortal(t *testing.T, kills string) (runs string) {
	t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	runs = filepath.Join(dir, "runs")
	script := "#!/bin/sh\nprintf x >>" + runs + "\ncase $(cat " + runs + ") in " + kills +
		") kill -9 $$;; esac\nexec " + real + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return runs
}

func countRuns(t *testing.T, file string) int {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return len(data)
}

func TestAKilledQuestionIsAskedAgain(t *testing.T) {
	dir := repository(t)
	runs := mortal(t, "x|xx")
	head, err := In(dir).Output(t.Context(), "-c", "a.b=c", "rev-parse", "--verify", "HEAD")
	if err != nil || !IsHash(head) {
		t.Errorf("rev-parse: %q, %v", head, err)
	}
	if n := countRuns(t, runs); n != 3 {
		t.Errorf("git ran %d times", n)
	}
}

func TestAKilledListIsWhole(t *testing.T) {
	dir := repository(t)
	mortal(t, "x")
	all, err := In(dir).List(t.Context(), "log", "-z", "--format=%s")
	if err != nil || strings.Join(all, ",") != "m" {
		t.Errorf("log: %q, %v", all, err)
	}
}

func TestAKilledChangeIsNotRepeated(t *testing.T) {
	dir := repository(t)
	runs := mortal(t, "x")
	err := In(dir).Do(t.Context(), "update-ref", "-d", "refs/heads/main")
	failed := (*Failed)(nil)
	if !errors.As(err, &failed) || !failed.Killed || countRuns(t, runs) != 1 {
		t.Errorf("%v after %d runs", err, countRuns(t, runs))
	}
}
