// Package commit writes the messages of the commits that land and signs them, as git's
// configuration and the repository's hooks require.
//
// [Words] returns the message that a commit gets: with your sign-off, if format.signOff is set, and edited by
// the hooks prepare-commit-msg and commit-msg. A hook runs inside the sandbox in a throwaway repository, so
// its changes to files, index or branch are lost; if it changed the index or the branch, the landing is
// refused. Hooks in a worktree do not run, since a session may have written them; without a sandbox only
// hooks that you cannot write yourself run.
//
// [Sign] signs a series of commits with the signer of your own git configuration; a signer that only the
// repository configures runs inside the sandbox. Nothing here moves a branch.
package commit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ferrus/agent/process"
	"ferrus/agent/sandbox"
	"ferrus/checks/git"
	"ferrus/checks/lane"
	"ferrus/checks/regular"
	"ferrus/ui/text"
)

// Draft is a commit that is not made yet.
type Draft struct {
	Branch  string // that it is for
	Parent  string // commit; empty: none
	Tree    string // as git stores it
	Message string
	NoHooks bool // no hook is run
}

// Result is a message that may be committed.
type Result struct {
	Message string
	Skipped []string // why a hook was not run, one line each
}

// RefusedError is a hook that refuses a commit.
type RefusedError struct {
	Hook  string // commit-msg
	Words string // the last lines of what it said, at most maxWords bytes, without control characters
}

func (e *RefusedError) Error() string {
	if e.Words == "" {
		return "the hook " + e.Hook + " refuses the commit"
	}
	return "the hook " + e.Hook + " refuses the commit: " + strings.ReplaceAll(e.Words, "\n", "; ")
}

// Limits of a hook.
const (
	hookLimit  = time.Minute
	endGrace   = time.Second // for a process that a hook left behind
	maxWords   = 4 << 10
	maxMessage = 64 << 10
)

// hooks have a say in a message, in the order in which git runs them, with what git gives
// them besides the file.
var hooks = []struct {
	name string
	args []string
}{{"prepare-commit-msg", []string{"message"}}, {"commit-msg", nil}}

// Words returns the message of a commit. The error is a [*RefusedError] where a hook refuses it, or tries to
// change more than the message.
func Words(ctx context.Context, r git.Repository, d Draft) (w Result, err error) {
	if w.Message, err = signedOff(ctx, r, d.Message); err != nil || d.NoHooks {
		return w, err
	}
	d.Message = w.Message
	dir, err := r.Hooks()
	if err != nil {
		return w, err
	}
	for _, h := range hooks {
		path := filepath.Join(dir, h.name)
		if !isProgram(path) {
			continue
		}
		walls, why, err := allowed(ctx, r, path)
		if err != nil {
			return w, err
		}
		if why != "" {
			w.Skipped = append(w.Skipped, fmt.Sprintf("the hook %s was not run: %s", h.name, why))
			continue
		}
		if d.Message, err = run(ctx, r, d, walls, path, h.args); err != nil {
			return w, err
		}
	}
	w.Message = d.Message
	return w, nil
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// HasHooks reports whether [Words] may run a hook, which can take as long as hookLimit.
func HasHooks(r git.Repository) bool {
	dir, err := r.Hooks()
	for _, h := range hooks {
		if err == nil && isProgram(filepath.Join(dir, h.name)) {
			return true
		}
	}
	return false
}

// signedOff adds your sign-off where format.signOff asks for it.
func signedOff(ctx context.Context, r git.Repository, message string) (string, error) {
	wanted, err := r.SignsOff()
	if err != nil || !wanted {
		return message, err
	}
	who, err := Identity(ctx, r)
	if err != nil {
		return message, err
	}
	out, _, err := r.Git().Run(ctx, strings.NewReader(message), "interpret-trailers", "--no-divider", "--if-exists",
		"addIfDifferent", "--trailer", "Signed-off-by: "+who)
	return out, err
}

// Identity returns the committer, such as Ada Lovelace <ada@example.com>.
func Identity(ctx context.Context, r git.Repository) (string, error) {
	who, err := r.Git().Output(ctx, "var", "GIT_COMMITTER_IDENT")
	at := strings.LastIndexByte(who, '>')
	return who[:at+1], err
}

// allowed returns the walls that a hook runs behind, or why it must not run.
func allowed(ctx context.Context, r git.Repository, hook string) (w sandbox.Walls, why string, err error) {
	real, err := filepath.EvalSymlinks(hook)
	if err != nil {
		return w, "", fmt.Errorf("examine the hook %s: %w", hook, err)
	}
	if r.Holds(hook) || r.Holds(real) || strings.Contains(real, "/.ferrus/") {
		return w, "it is in the worktree, where a session may have written it", nil
	}
	if w, err = sandbox.Chosen(ctx, sandbox.Auto, sandbox.Unshared); err != nil {
		return w, "", err
	}
	if w.Kind != sandbox.None && w.Kind != "" {
		return w, "", nil
	}
	for path := real; ; path = filepath.Dir(path) {
		if unix.Access(path, unix.W_OK) == nil {
			return w, "there is no sandbox on this machine, and a session could have written it", nil
		}
		if path == filepath.Dir(path) {
			return w, "", nil
		}
	}
}

// run runs a hook on a message, and returns what it made of it.
func run(ctx context.Context, r git.Repository, d Draft, w sandbox.Walls, hook string,
	more []string) (string, error) {
	dir, err := os.MkdirTemp("", "ferrus-hook-")
	if err != nil {
		return "", fmt.Errorf("run a hook: %w", err)
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", fmt.Errorf("run a hook: %w", err)
	}
	scratch, err := r.Scratch(ctx, dir, d.Branch, d.Parent, d.Tree)
	if err != nil {
		return "", err
	}
	file, home := filepath.Join(scratch.Dir, "COMMIT_EDITMSG"), filepath.Join(dir, "home")
	if err := errors.Join(os.Mkdir(home, 0o700), os.WriteFile(file, []byte(d.Message), 0o600)); err != nil {
		return "", fmt.Errorf("run a hook: %w", err)
	}
	own, _ := os.UserHomeDir() // Without one the variables count.
	tools, _ := sandbox.Toolchains(own, os.Environ())
	policy := sandbox.Policy{Dir: scratch.Work, Write: []string{dir}, Network: w.Network,
		Read: slices.Concat(tools, scratch.Stores, []string{filepath.Dir(hook), filepath.Dir(realPath(hook))})}
	argv, err := w.Command(policy, append([]string{hook, file}, more...)...)
	if err != nil {
		return "", err
	}
	env := append(lane.Environment(os.Getenv("PATH"), home, home, nil), scratch.Env()...)
	name := filepath.Base(hook)
	err = start(ctx, hookLimit, name, argv, scratch.Work, env)
	if w.Kind != sandbox.Namespace { // nothing else ends what has left the hook's process group
		err = errors.Join(err, process.EndUsers(context.WithoutCancel(ctx), dir, process.Time{}, endGrace))
	}
	if err != nil {
		return "", err
	}
	switch err := scratch.Verify(ctx, r); {
	case errors.Is(err, git.ErrTouched):
		return "", &RefusedError{name, err.Error() + "; a hook may change only the message"}
	case err != nil:
		return "", err
	}
	return read(ctx, r, name, file, d.Message)
}

func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// start runs the program of a hook to its end, and ends what it has started.
func start(ctx context.Context, limit time.Duration, name string, argv []string, dir string, env []string) error {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(limited, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, env, time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var output tail
	cmd.Stdout, cmd.Stderr = &output, &output
	err := cmd.Run()
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it left behind; mostly there is nothing
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		return &RefusedError{name, fmt.Sprintf("it took longer than %s", limit)}
	case errors.As(err, new(*exec.ExitError)):
		return &RefusedError{name, strings.TrimSpace(text.SanitizeLines(output.String()))}
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return fmt.Errorf("run the hook %s: %w", name, err)
	}
	return nil
}

// tail keeps the end of what is written to it.
type tail struct{ bytes.Buffer }

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.Buffer.Write(p)
	if over := t.Len() - maxWords; over > 0 {
		t.Next(over)
	}
	return len(p), nil
}

// read returns the message that a hook left in a file.
func read(ctx context.Context, r git.Repository, hook, file, before string) (string, error) {
	root, err := os.OpenRoot(filepath.Dir(file))
	if err != nil {
		return "", fmt.Errorf("read the message of a hook: %w", err)
	}
	defer root.Close()
	data, err := regular.ReadIn(root, filepath.Base(file), maxMessage)
	if err != nil {
		return "", &RefusedError{hook, fmt.Sprintf("it left no message of at most %d bytes", maxMessage)}
	}
	if string(data) == before {
		return before, nil
	}
	message, _, err := r.Git().Run(ctx, strings.NewReader(text.Plain(string(data))), "stripspace")
	if err == nil && strings.TrimSpace(message) == "" {
		err = &RefusedError{hook, "it left an empty message"}
	}
	return message, err
}
