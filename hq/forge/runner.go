package forge

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"ferrus/agent/program"
	"ferrus/checks/git"
	"ferrus/ui/text"
)

// Timeout limits one call of a program that talks to a network.
const Timeout = 2 * time.Minute

// Runner runs programs that talk to a forge.
type Runner struct {
	Git   git.Git
	Dir   string // that they run in
	Doing string // what they are asked for, before an error; empty: its caller says it
	// Files that they inherit, so that a lock lasts as long as they run.
	Keep []*os.File

	limit time.Duration // a test waits no longer; 0: Timeout
}

// quiet makes gh ask nothing, and print neither colours nor update notices.
var quiet = []string{"GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1", "NO_COLOR=1", "CLICOLOR=0"}

// loggedOut is the exit code of gh that is not logged in.
const loggedOut = 4

// Run runs a program, and returns what it printed without the white space around it. Input may be nil. The
// error wraps [ErrNotInstalled] and [ErrLoggedOut].
func (r Runner) Run(ctx context.Context, input io.Reader, argv ...string) (string, error) {
	env, remove, err := r.Git.Environ()
	if err != nil {
		return "", err
	}
	defer remove()
	limit := cmp.Or(r.limit, Timeout)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it did not answer in %s", limit))
	defer cancel()
	cmd := program.Command(ctx, append(env, quiet...), argv[0], argv[1:]...)
	cmd.Dir, cmd.Stdin = r.Dir, input
	cmd.ExtraFiles = r.Keep
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // it has no terminal to ask on
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	doing := r.Doing
	if doing != "" {
		doing += ": "
	}
	var out, words limited
	cmd.Stdout, cmd.Stderr = &out, &words
	err = cmd.Run()
	exit := (*exec.ExitError)(nil)
	switch {
	case errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%s%s: %w", doing, argv[0], ErrNotInstalled)
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s%s: %w", doing, argv[0], context.Cause(ctx))
	case errors.As(err, &exit) &&
		(exit.ExitCode() == loggedOut || strings.Contains(words.String(), argv[0]+" auth login")):
		return "", fmt.Errorf("%s%s: %w", doing, argv[0], ErrLoggedOut)
	case err != nil:
		return "", fmt.Errorf("%s%s: %w: %s", doing, strings.Join(argv[:min(len(argv), 3)], " "), err,
			cleanLine(LastLine(words.String())))
	}
	return strings.TrimSpace(out.String()), nil
}

// limited keeps the beginning of what is written to it.
type limited struct{ bytes.Buffer }

// Write implements io.Writer.
func (l *limited) Write(p []byte) (int, error) {
	l.Buffer.Write(p[:min(len(p), max(maxAnswer-l.Len(), 0))])
	return len(p), nil
}

// LastLine returns the last line of an output that is not empty, without control characters.
func LastLine(output string) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	return strings.TrimSpace(text.Sanitize(lines[len(lines)-1]))
}
