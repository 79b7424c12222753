package need

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ferrus/store/exectest"
)

// The command reads one JSON object without control characters and secrets, away from the
// project.
func TestNotify(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	project := t.TempDir()
	t.Setenv("PATH", filepath.Join(project, "bin")+":relative:"+os.Getenv("PATH"))
	t.Setenv("FERRUS_NONCE", "secret")
	const key = "sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	n := Need{
		ID: "question:4", Kind: "question", Project: project, Task: "t-1", Title: "a\x1b[31mb",
		Text: "use " + key + "\x1b]0;x\a?\n\u202etxt", Options: []string{"ferrus answer <text>"}, AgeSecs: 3,
	}
	script := `cat >"$0"; pwd >>"$0"; echo "$PATH" >>"$0"; env | grep -c FERRUS_ >>"$0" || true`
	if err := Notify(t.Context(), []string{"sh", "-c", script, out}, n); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(data), "\n")
	var got Need
	if err := json.Unmarshal([]byte(lines[0]), &got); err != nil {
		t.Fatalf("%v in %q", err, lines[0])
	}
	if got.ID != n.ID || got.Kind != n.Kind || got.Project != project || got.Task != "t-1" || got.AgeSecs != 3 ||
		len(got.Options) != 1 {
		t.Errorf("%+v", got)
	}
	if strings.ContainsAny(got.Title+got.Text, "\x1b\a\u202e") || strings.Contains(got.Text, key) {
		t.Errorf("title %q, text %q", got.Title, got.Text)
	}
	if lines[1] == project || strings.Contains(lines[2], project) || strings.Contains(lines[2], "relative") ||
		lines[3] != "0" {
		t.Errorf("it ran with\n%s", strings.Join(lines[1:], "\n"))
	}
}

// An agent changes no file that runs outside the sandbox: no file of the project is run,
// by whatever name.
func TestNotifyRunsNoFileOfTheProject(t *testing.T) {
	project, elsewhere := t.TempDir(), t.TempDir()
	ran := filepath.Join(elsewhere, "ran")
	file := filepath.Join(project, "notify")
	if err := exectest.WriteFile(file, []byte("#!/bin/sh\ntouch "+ran+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(elsewhere, "notify")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", project+":"+os.Getenv("PATH"))
	t.Chdir(project)
	for _, argv := range [][]string{{file}, {link}, {"notify"}, {"./notify"}, {"sh", file}, {"sh", link}} {
		if err := Notify(t.Context(), argv, Need{Project: project}); err == nil {
			t.Errorf("%q was run", argv)
		}
	}
	if _, err := os.Stat(ran); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file of the project ran: %v", err)
	}
}

// Nor is one of another project, on PATH before yours, run.
func TestNotifyRunsNoFileOfAnotherProject(t *testing.T) {
	other := t.TempDir()
	ran := filepath.Join(t.TempDir(), "ran")
	if err := os.Mkdir(filepath.Join(other, ".ferrus"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := exectest.WriteFile(filepath.Join(other, "sh"), []byte("#!/bin/sh\ntouch "+ran+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", other+":"+os.Getenv("PATH"))
	if err := Notify(t.Context(), []string{"sh", "-c", `sh -c :`}, Need{Project: t.TempDir()}); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(ran); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file of another project ran: %v", err)
	}
}

// A command that fails is named with its last line; one that hangs ends with its children.
func TestNotifyFails(t *testing.T) {
	err := Notify(t.Context(), []string{"sh", "-c", "echo no such topic; exit 3"}, Need{Project: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "sh: exit status 3: no such topic") {
		t.Errorf("error %v", err)
	}
	err = Notify(t.Context(), []string{"/no/such"}, Need{Project: t.TempDir()})
	if err == nil || err.Error() != "notify you with on_need: /no/such: no such file or directory" {
		t.Errorf("a command that is not there: %v", err)
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		if f, err := os.Open(pipe); err == nil { // both have begun
			defer f.Close()
			cancel(errors.New("it took too long"))
			_, _ = f.Read(make([]byte, 1)) // until the child has closed its end
		}
	}()
	began := time.Now()
	err = Notify(ctx, []string{"sh", "-c", "sleep 600 >" + pipe + " & wait"}, Need{Project: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "it took too long") {
		t.Errorf("error %v after %s", err, time.Since(began))
	}
}
