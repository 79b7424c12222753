package git

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ferrus/store/exectest"
)

// change runs a git that changes the repository, and returns what it says.
func change(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := In(dir).Output(t.Context(), append([]string{"-c", "user.name=a", "-c", "user.email=a@b",
		"-c", "core.hooksPath=/dev/null"}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// put writes a file.
func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// mortal puts a git first on PATH that is killed the first times that it runs, and returns the file that has a
// letter for each run.
func mortal(t *testing.T, kills string) (runs string) { return mortalAfter(t, kills, 0) }

// mortalAfter is mortal with a git that is killed when it has written so many bytes.
func mortalAfter(t *testing.T, kills string, bytes int) (runs string) {
	t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	runs = filepath.Join(dir, "runs")
	script := "#!/bin/sh\nprintf x >>" + runs + "\ncase $(cat " + runs + ") in " + kills +
		") " + real + " \"$@\" | { head -c " + strconv.Itoa(bytes) + "; kill -9 $$; };; esac\n" +
		"exec " + real + " \"$@\"\n"
	if err := exectest.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755); err != nil {
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
		t.Errorf("rev-parse: %q, %v; want a hash", head, err)
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
		t.Errorf("log: %q, %v; want m", all, err)
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

// The part of an answer that was read before git was killed is not read again, wherever it was cut.
func TestAKilledAnswerContinues(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	dir := repository(t)
	for n := range 40 {
		put(t, dir, "file-"+strconv.Itoa(n), strconv.Itoa(n))
	}
	change(t, dir, "add", ".")
	change(t, dir, "commit", "-qm", "files")
	want, err := In(dir).List(t.Context(), "ls-tree", "-z", "HEAD")
	if err != nil || len(want) < 40 {
		t.Fatalf("tree %q, %v; want an object id", want, err)
	}
	for _, cut := range []int{1, 100, 700} {
		runs := mortalAfter(t, "x|xx", cut)
		var got []string
		err := In(dir).Each(t.Context(), func(part string) { got = append(got, part) }, "ls-tree", "-z", "HEAD")
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("cut after %d bytes: %q, %v", cut, got, err)
		}
		if n := countRuns(t, runs); n != 3 {
			t.Errorf("git ran %d times", n)
		}
	}
}

// An answer that starts differently when the question is repeated is an error.
func TestAKilledAnswerChanges(t *testing.T) {
	dir := repository(t)
	mortalAfter(t, "x", 30)
	out, err := In(dir).Stream(t.Context(), "for-each-ref", "--format=%(refname) %(objectname)")
	if err != nil {
		t.Fatal(err)
	}
	begin := make([]byte, 20)
	if _, err := io.ReadFull(out, begin); err != nil {
		t.Fatal(err)
	}
	change(t, dir, "update-ref", "refs/heads/a", "HEAD")
	_, err = io.ReadAll(out)
	if failed := (*Failed)(nil); !errors.As(err, &failed) || !failed.Killed || !errors.Is(out.Close(), err) {
		t.Errorf("%q, then %v; want that git was killed", begin, err)
	}
}

// A git that reads objects may be killed before an answer, within an object's name, or within its
// content.
func TestKilledReaderOfObjects(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	dir := repository(t)
	var ids []string
	var want []string
	for n := range 5 {
		want = append(want, strings.Repeat(strconv.Itoa(n), 1000+n))
		put(t, dir, "file", want[n])
		ids = append(ids, change(t, dir, "hash-object", "-w", "file"))
	}
	for _, cut := range []int{0, 10, 500, 1100, 3000} {
		mortalAfter(t, "x|xx", cut)
		objects, err := In(dir).Objects(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer objects.Close()
		if err := objects.Ask(ids); err != nil {
			t.Fatal(err)
		}
		for n, id := range ids {
			var got strings.Builder
			if err := objects.Read(&got, "blob", id); err != nil || got.String() != want[n] {
				t.Errorf("cut after %d bytes: object %d: %.50q, %v", cut, n, got.String(), err)
			}
		}
	}
}

// A killed git leaves the lock of a reference. The next one removes it from ferrus's own
// references, once no git can hold it any more, and leaves every other lock.
func TestAKilledGitLeavesALock(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	dir := t.TempDir()
	change(t, dir, "init", "-q", "-b", "main")
	change(t, dir, "commit", "-q", "--allow-empty", "-m", "one")
	for ref, taken := range map[string]bool{"refs/ferrus/staged/t-1": true, "refs/heads/ferrus/t-1": true,
		"refs/heads/mine": false, "refs/ferruses/t-1": false} {
		lock := filepath.Join(dir, ".git", ref+".lock")
		if err := os.MkdirAll(filepath.Dir(lock), 0o755); err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Dir(lock), filepath.Base(lock), "")
		young := time.Now().Add(lockPeriod - staleAfter) // a git may still hold it
		if err := os.Chtimes(lock, young, young); err != nil {
			t.Fatal(err)
		}
		if err := In(dir).Do(t.Context(), "update-ref", ref, "HEAD"); (err == nil) != taken {
			t.Errorf("%s: %v, want it accepted: %v", ref, err, taken)
		}
		if waited := time.Since(young) > staleAfter; taken && !waited {
			t.Errorf("%s: a lock that may be held is removed", ref)
		}
		old := time.Now().Add(-time.Minute)
		if err := os.Chtimes(lock, old, old); err != nil && !taken {
			t.Fatal(err)
		}
		if err := In(dir).Do(t.Context(), "update-ref", ref, "HEAD"); (err == nil) != taken {
			t.Errorf("%s: with an old lock: %v", ref, err)
		}
	}
}

// Only the form of symbolic-ref that reads is a question.
func TestWhereHEADPointsIsAQuestion(t *testing.T) {
	for args, want := range map[string]bool{
		"symbolic-ref --quiet HEAD": true, "symbolic-ref --quiet --short HEAD": true, "symbolic-ref HEAD": true,
		"symbolic-ref HEAD refs/heads/x": false, "symbolic-ref --delete HEAD": false, "symbolic-ref -d HEAD": false,
	} {
		if got := isQuestion(strings.Fields(args)); got != want {
			t.Errorf("git %s is a question: %v", args, got)
		}
	}
}
