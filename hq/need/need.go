// Package need runs the command of [hq] on_need, which notifies you when you are away
// from the screen: on your phone, in a chat, by mail.
//
// The command is yours, runs outside the sandbox, and gets one [Need] as JSON on standard
// input. It may not be a file of the project, because agents can change those.
package need

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"ferrus/agent/program"
	"ferrus/checks/redact"
	"ferrus/ui/text"
)

// Timeout is how long a command may take for one need.
const Timeout = 30 * time.Second

// maxText bounds the text of a need in bytes: with the rest it fits into a pipe (64 KiB), so
// a command that never reads its input delays nothing.
const maxText = 8 << 10

// Need is one thing that needs you, as the command reads it.
type Need struct {
	ID      string    `json:"id"`      // stays the same as long as it is the same thing
	Kind    string    `json:"kind"`    // as in the inbox: question, approval, failure ...
	Project string    `json:"project"` // its directory
	Task    string    `json:"task,omitempty"`
	Title   string    `json:"title,omitempty"` // of the task
	Text    string    `json:"text"`            // may have several lines, and words of an agent
	Options []string  `json:"options"`         // shell commands; each answers it
	Since   time.Time `json:"since"`
	AgeSecs int       `json:"age_secs"`
}

// Notify runs a command for a need and waits for its end. The error is a sentence that names the
// command; it is nil only if the command exited with 0.
func Notify(ctx context.Context, argv []string, n Need) error {
	path, err := find(argv, n.Project)
	if err != nil {
		return fmt.Errorf("notify you with on_need: %w", err)
	}
	input, err := json.Marshal(n.safe())
	if err != nil {
		return fmt.Errorf("notify you with on_need: %w", err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, Timeout, fmt.Errorf("it took longer than %s", Timeout))
	defer cancel()
	cmd := exec.CommandContext(ctx, path, argv[1:]...)
	cmd.Dir, cmd.Env = home(), environment(n.Project)
	cmd.Stdin = bytes.NewReader(append(input, '\n'))
	var words tail
	cmd.Stdout, cmd.Stderr = &words, &words
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		} else if start := (*fs.PathError)(nil); errors.As(err, &start) {
			err = start.Err // its program is named already
		}
		return fmt.Errorf("notify you with on_need: %s: %w%s", argv[0], err, words.last())
	}
	return nil
}

// home returns where a command runs: not in the project, where a relative name would be an
// agent's.
func home() string {
	dir, err := os.UserHomeDir()
	if err != nil {
		return "/"
	}
	return dir
}

// environment returns ferrus's own environment, without directories on PATH whose programs agents can
// change.
func environment(project string) (env []string) {
	ofProject := func(dir string) bool { return isBelow(project, dir) }
	dirs := slices.DeleteFunc(filepath.SplitList(program.Path()), ofProject)
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "FERRUS_") && !strings.HasPrefix(entry, "PATH=") {
			env = append(env, entry)
		}
	}
	return append(env, "PATH="+strings.Join(dirs, string(filepath.ListSeparator)))
}

// find returns the program of a command. A file of the project is refused, as the program or
// as an argument: what an agent wrote would run outside the sandbox.
func find(argv []string, project string) (string, error) {
	path, err := program.Find(argv[0])
	if err != nil {
		return "", err
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", err
	}
	for _, name := range append([]string{path}, argv[1:]...) {
		if isBelow(project, name) {
			return "", fmt.Errorf("on_need names %s, which agents can change: move it out of the project", name)
		}
	}
	return path, nil
}

// isBelow reports whether a name leads to something below a directory, through links as well.
func isBelow(dir, name string) bool {
	if !filepath.IsAbs(name) {
		return false // it is run elsewhere
	}
	real := func(name string) string {
		if resolved, err := filepath.EvalSymlinks(name); err == nil {
			return resolved
		}
		return filepath.Clean(name)
	}
	for _, name := range []string{filepath.Clean(name), real(name)} {
		if rel, err := filepath.Rel(real(dir), name); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// safe is n without control characters and secrets, and bounded: its texts are an agent's.
func (n Need) safe() Need {
	n.Title = text.Sanitize(redact.RemoveSecrets(n.Title))
	if len(n.Text) > maxText {
		n.Text = strings.ToValidUTF8(n.Text[:maxText], "") + " ..."
	}
	n.Text = text.SanitizeLines(redact.RemoveSecrets(n.Text))
	if n.Options == nil {
		n.Options = []string{}
	}
	return n
}

// tail keeps the end of what is written.
type tail struct{ data []byte }

const tailKept = 4 << 10

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.data = append(t.data, p...)
	t.data = t.data[max(len(t.data)-tailKept, 0):]
	return len(p), nil
}

// last returns the last line behind a colon; nothing if there is none.
func (t *tail) last() string {
	lines := strings.Split(strings.TrimSpace(string(t.data)), "\n")
	if line := text.Sanitize(lines[len(lines)-1]); line != "" {
		return ": " + line
	}
	return ""
}
