// Package git runs the git command for ferrus.
//
// [Locate] finds the repository around a directory, [Repository.Git] returns a [Git]
// for exactly that one, and [In] one that lets git find it. Either way the
// environment is clean: GIT_ variables of the parent process do not select the
// repository, its hooks do not run, reading it starts nothing that it configures,
// and git never prompts. Callers pass names that come from outside after "--".
//
// Starting git takes longer than answering most questions. So objects ([Objects]), branches and tags
// ([Repository.PackedRefs]), an index ([Git.EachEntry]) and the trees of a few changed files ([Git.WriteTree]) are
// read and written without it where that is possible, and so are changed files added to an index
// ([Git.Refresh]). Each object is compared with its name, and what cannot be read is left to git.
package git

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

	"ferrus/agent/program"
	"ferrus/store/diskfault"
	"ferrus/ui/text"
)

// Git is one kind of call of git: where, and with which environment.
type Git struct {
	Dir  string     // working directory
	Env  []string   // all of it
	Keep []*os.File // what git has open while it runs, so that a lock lasts as long as it
	// Stores are directories of objects, in the order in which they are looked for: [Git.Objects] reads without git
	// what is there as a file of its own or in a pack.
	Stores []string
	// Files are those of a git directory that is made for each run of git, by their names, so that no other process
	// knows it before; nil: git has one.
	Files map[string]string
	// Index is the file of an index that only ferrus writes, and Format the format of its objects; empty: git finds it.
	Index, Format string

	own   *Repository // git gets ferrus's own configuration of this one
	fault error       // why git cannot be run
}

// strict settings hold in every call.
var strict = []string{"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null",
	"-c", "core.attributesFile=/dev/null", "-c", "submodule.recurse=false", "-c", "diff.ignoreSubmodules=dirty",
	"-c", "core.commitGraph=false", "-c", "core.multiPackIndex=false", // an agent can have written them
	"--no-optional-locks"}

// Environment is this process's, without what would point git elsewhere.
func Environment() []string {
	env := make([]string, 0, 32)
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "GIT_") && !strings.HasPrefix(entry, "LC_") && !strings.HasPrefix(entry, "LANG") {
			env = append(env, entry)
		}
	}
	return append(env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=:", "GIT_PAGER=cat", "GIT_NO_REPLACE_OBJECTS=1",
		"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=file:git:http:https:ssh")
}

// In returns a Git for a directory that finds its repository itself.
func In(dir string) Git { return Git{Dir: dir, Env: Environment()} }

// With is g with more in its environment.
func (g Git) With(env ...string) Git {
	g.Env = append(g.Env[:len(g.Env):len(g.Env)], env...)
	return g
}

// Command returns git with arguments, not started, in the environment of g, see [Git.Environ].
func (g Git) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := program.Command(ctx, g.Env, "git", append(append([]string(nil), strict...), args...)...)
	cmd.Dir, cmd.ExtraFiles = g.Dir, g.Keep
	// Ctrl+C in a terminal is for this process; it ends git through the context.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = 10 * time.Second // on a busy machine, the output of a git that has ended can be late
	return cmd
}

// configured returns g for one run, with ferrus's own configuration, and what cleans up after it.
func (g Git) configured() (Git, func(), error) {
	if g.Files != nil {
		return g.made()
	}
	if g.own == nil || g.fault != nil {
		return g, func() {}, g.fault
	}
	if err := g.own.refusePipes(); err != nil {
		return g, nil, err
	}
	dir, err := g.own.ownCommon()
	if err != nil {
		removeOwn(dir)
		return g, nil, fmt.Errorf("prepare git: %w", err)
	}
	return g.With("GIT_COMMON_DIR="+dir, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_ATTR_NOSYSTEM=1"), func() { removeOwn(dir) }, nil
}

// Environ returns the environment in which another program runs git as g does, and what cleans
// up when that program has ended.
func (g Git) Environ() (env []string, remove func(), err error) {
	g, remove, err = g.configured()
	return g.Env, remove, err
}

// Run returns what git wrote. An error holds its last words. A question that was killed on its way is asked
// again: no answer is not the answer that there is nothing. So is a command that met the lock of a killed git on a
// reference of ferrus's own.
func (g Git) Run(ctx context.Context, input io.Reader, args ...string) (stdout, stderr string, err error) {
	for range maxAsks {
		stdout, stderr, err = g.run(ctx, input, args)
		again := wasKilled(err) && isQuestion(args) || err != nil && awaitLock(ctx, stderr)
		if !again || !rewind(input) {
			break
		}
	}
	return stdout, stderr, err
}

// rewind has what git is given read once more, and reports whether it can be.
func rewind(input io.Reader) bool {
	if input == nil {
		return true
	}
	again, ok := input.(io.Seeker)
	if !ok {
		return false
	}
	_, err := again.Seek(0, io.SeekStart)
	return err == nil
}

func (g Git) run(ctx context.Context, input io.Reader, args []string) (stdout, stderr string, err error) {
	g, remove, err := g.configured()
	if err != nil {
		return "", "", err
	}
	defer remove()
	ctx, stop := g.watch(ctx)
	defer stop()
	cmd := g.Command(ctx, args...)
	var out, words bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = input, &out, &words
	if err = cmd.Run(); err != nil {
		err = Explain(ctx, args, words.String(), err)
	}
	return out.String(), words.String(), err
}

// Output returns what git wrote, without the end of its last line.
func (g Git) Output(ctx context.Context, args ...string) (string, error) {
	out, _, err := g.Run(ctx, nil, args...)
	return strings.TrimRight(out, "\n"), err
}

// Do runs git, and drops what it prints.
func (g Git) Do(ctx context.Context, args ...string) error {
	_, _, err := g.Run(ctx, nil, args...)
	return err
}

// Each calls f with every part of the output that ends in NUL.
func (g Git) Each(ctx context.Context, f func(string), args ...string) error {
	out, err := g.Stream(ctx, args...)
	if err != nil {
		return err
	}
	lines := bufio.NewReaderSize(out, 64<<10)
	for {
		part, err := lines.ReadString(0)
		if err != nil {
			return out.Close() // which says whether it was the end
		}
		f(part[:len(part)-1])
	}
}

// List returns every part of the output that ends in NUL.
func (g Git) List(ctx context.Context, args ...string) (all []string, err error) {
	err = g.Each(ctx, func(part string) { all = append(all, part) }, args...)
	return all, err
}

// Failed is an end of git that was no success.
type Failed struct {
	Command string // merge
	Words   string // the last line of what git said
	Exit    int    // -1 where it did not exit by itself
	Killed  bool   // a signal ended it: it has said nothing about what it was asked
	Cause   error  // the system's, where the disk takes nothing; nil: another one
}

func (f *Failed) Error() string { return "git " + f.Command + ": " + f.Words }
func (f *Failed) Unwrap() error { return f.Cause }

// diskFaultIn returns the error of the disk that a line of git ends with; nil: none. Git can only repeat it.
func diskFaultIn(line string) error {
	line = strings.ToLower(line)
	if strings.HasSuffix(line, ". out of diskspace") { // git's own words, for a file that it could not finish
		return syscall.ENOSPC
	}
	for _, fault := range diskfault.All {
		if strings.HasSuffix(line, ": "+fault.Error()) {
			return fault
		}
	}
	return nil
}

// wordBytes bounds what is repeated of git's words.
const wordBytes = 300

// ErrOwner reports a repository that git refuses because another user owns it.
var ErrOwner = errors.New("git refuses this repository, because it belongs to another user (dubious ownership)")

// Owned returns [ErrOwner] where git, started by anybody else, refuses the repository around a
// directory. ferrus names the git directory to its own git, which then looks at no owner.
func Owned(ctx context.Context, dir string) error {
	if _, err := In(dir).Output(ctx, "rev-parse", "--git-dir"); errors.Is(err, ErrOwner) {
		return ErrOwner
	}
	return nil
}

// OwnerCure says what to do about [ErrOwner] in a directory.
func OwnerCure(dir string) string {
	return "if you trust it, run: git config --global --add safe.directory " + dir
}

// Explain words an end of git.
func Explain(ctx context.Context, args []string, words string, err error) error {
	if err := cause(ctx); err != nil {
		return fmt.Errorf("git %s: %w", args[0], err)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("git %s: %w", args[0], ctx.Err())
	}
	if errors.Is(err, exec.ErrNotFound) {
		return errors.New("git is not installed, or not on PATH")
	}
	for len(args) > 2 && args[0] == "-c" {
		args = args[2:]
	}
	f := &Failed{Command: args[0], Words: err.Error(), Exit: -1}
	if strings.Contains(words, "safe.directory") { // in every language
		return fmt.Errorf("git %s: %w", args[0], ErrOwner)
	}
	for line := range strings.Lines(words) {
		if line = strings.TrimSpace(text.Sanitize(line)); line != "" && !strings.HasPrefix(line, "hint:") {
			f.Words = text.CutBytes(line, wordBytes)
			if fault := diskFaultIn(line); fault != nil {
				f.Cause = fault
			}
		}
		if strings.HasSuffix(line, ".lock': File exists.") {
			break // What follows is advice.
		}
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		f.Exit = exit.ExitCode()
		status, ok := exit.Sys().(syscall.WaitStatus)
		f.Killed = ok && status.Signaled()
	}
	return f
}
