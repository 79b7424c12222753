package checks

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// git is one kind of call of git: where, and with which repository.
type git struct {
	dir string // working directory
	env []string
}

// strict settings hold in every call: nothing that a repository configures may
// be started by looking at it.
var strict = []string{"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-optional-locks"}

// cleanEnvironment is this process's, without what would point git elsewhere.
func cleanEnvironment() []string {
	env := make([]string, 0, 32)
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "GIT_") && !strings.HasPrefix(entry, "LC_") && !strings.HasPrefix(entry, "LANG") {
			env = append(env, entry)
		}
	}
	return append(env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0")
}

func (g git) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append(append([]string(nil), strict...), args...)...)
	cmd.Dir, cmd.Env = g.dir, g.env
	// Ctrl+C in a terminal is for this process; it ends git through the context.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = time.Second
	return cmd
}

// run returns what git wrote. An error holds its last words.
func (g git) run(ctx context.Context, input io.Reader, args ...string) (stdout, stderr string, err error) {
	cmd := g.command(ctx, args...)
	var out, words bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = input, &out, &words
	if err = cmd.Run(); err != nil {
		err = explain(ctx, args, words.String(), err)
	}
	return out.String(), words.String(), err
}

// each calls f with every part of the output that ends in NUL.
func (g git) each(ctx context.Context, f func(string), args ...string) error {
	cmd := g.command(ctx, args...)
	var words bytes.Buffer
	cmd.Stderr = &words
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("git %s: %w", args[0], err)
	}
	if err := cmd.Start(); err != nil {
		return explain(ctx, args, "", err)
	}
	lines := bufio.NewReaderSize(out, 64<<10)
	for {
		part, err := lines.ReadString(0)
		if err != nil {
			break // The end, or what Wait is about to say.
		}
		f(part[:len(part)-1])
	}
	if err := cmd.Wait(); err != nil {
		return explain(ctx, args, words.String(), err)
	}
	return nil
}

func explain(ctx context.Context, args []string, words string, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("git %s: %w", args[0], ctx.Err())
	}
	if errors.Is(err, exec.ErrNotFound) {
		return errors.New("git is not installed, or not on PATH")
	}
	last := ""
	for line := range strings.Lines(words) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "hint:") {
			last = line
		}
	}
	if last == "" {
		last = err.Error()
	}
	return fmt.Errorf("git %s: %s", args[0], shorten(Plain(last), whyBytes))
}
