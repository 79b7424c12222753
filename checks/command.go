package checks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ferrus/agent/loader"
	"ferrus/agent/process"
)

// drainTime is how long output is still read after the last process of a command
// is gone: only a process that was not found can hold the pipe by then.
const drainTime = time.Second

// shell runs every command.
const shell = "/bin/sh"

// execute runs one command to its end, and ends whatever it left behind.
func (r *run) execute(ctx context.Context, out *output, c Command, result *Result) error {
	reader, writer, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("start %s: %w", shell, err)
	}
	defer reader.Close()
	argv := []string{shell, "-c", c.Run}
	if r.Wrap != nil {
		if argv, err = r.Wrap(argv...); err != nil {
			writer.Close()
			return err
		}
	}
	dir := filepath.Join(r.Dir, c.Dir)
	cmd := exec.Command(argv[0], argv[1:]...)
	env := r.environment(c, dir)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, r.outer(env), writer, writer
	// A session is a process group too, and has no terminal: a command cannot
	// write over the screen of this process or be stopped for reading from it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	since := process.Now()
	err = cmd.Start()
	writer.Close()
	if err != nil {
		return fmt.Errorf("start %s in %s: %w", shell, dir, err)
	}
	_ = process.MarkStarted(cmd.Process.Pid) // what cannot be marked is still known by its ancestors
	if r.Started != nil {
		r.Started(cmd.Process.Pid)
	}
	shown, copied := make(chan struct{}), make(chan struct{})
	go func() { defer close(shown); r.feed.run(copied) }()
	go func() { defer close(copied); r.copyRedacted(out, reader, env) }()
	r.await(ctx, cmd, since, r.limit(c), result)
	_ = reader.SetReadDeadline(time.Now().Add(drainTime)) // A pipe has deadlines.
	<-copied
	<-shown
	return nil
}

// outer returns the environment that a command's program is started with: of one inside a sandbox, the
// program that builds the sandbox.
func (r *run) outer(env []string) []string {
	if r.Wrap == nil {
		return env
	}
	return loader.Hide(env)
}

// environment returns the run's environment with the command's own variables.
func (r *run) environment(c Command, dir string) []string {
	if c.Dir == "" && len(c.Env) == 0 {
		return r.Env
	}
	// The last of two equal names counts.
	return append(append(slices.Clone(r.Env), "PWD="+dir), c.Env...)
}

// limit returns how long a command may take.
func (r *run) limit(c Command) time.Duration {
	if c.TimeoutSecs != nil {
		return time.Duration(*c.TimeoutSecs) * time.Second
	}
	return r.Timeout
}

// await waits for the end of the command, its time or the context, and then for
// the end of everything that the command started: nothing of it is older than since.
func (r *run) await(ctx context.Context, cmd *exec.Cmd, since process.Time, timeout time.Duration, result *Result) {
	exited := make(chan struct{})
	go func() { process.AwaitExit(cmd.Process.Pid); close(exited) }()
	var expired <-chan time.Time
	if timeout > 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		expired = timer.C
	}
	ended := false
	select {
	case <-exited:
		ended = true
	case <-expired:
		result.TimedOut = true
	case <-ctx.Done():
		result.stopped = true
	}
	left := end(family(r.Marker, cmd.Process.Pid, true, since), r.Grace)
	if !ended && left == nil {
		<-exited
		ended = true
	}
	var err error
	if ended {
		err = cmd.Wait() // Only now may its number be another's.
	} else {
		go cmd.Wait() //nolint:errcheck // It is reaped whenever it exits; nothing waits for that.
	}
	result.judge(err, ended, timeout)
	if left != nil && result.Hint == "" {
		result.Hint = left.Error()
	}
}

// judge reads the end of the shell.
func (r *Result) judge(err error, ended bool, timeout time.Duration) {
	r.Exit = -1
	if r.TimedOut {
		r.Hint = fmt.Sprintf("it took longer than %v and was stopped", timeout)
	}
	if !ended || r.TimedOut || r.stopped {
		return
	}
	var exit *exec.ExitError
	switch {
	case err == nil:
		r.Exit = 0
	case errors.As(err, &exit):
		r.exit(exit.Sys().(syscall.WaitStatus))
	default:
		r.Hint = err.Error()
	}
}

func (r *Result) exit(status syscall.WaitStatus) {
	if status.Signaled() {
		r.Signal = signalName(status.Signal())
		r.Hint = "ended by " + r.Signal
		return
	}
	r.Exit = status.ExitStatus()
	switch {
	case r.Exit == 126 || r.Exit == 127:
		r.Hint = "command not found"
	case r.Exit > 128 && unix.SignalName(syscall.Signal(r.Exit-128)) != "":
		// The shell's word for a program that a signal ended.
		r.Signal = signalName(syscall.Signal(r.Exit - 128))
		r.Hint = "ended by " + r.Signal
	}
}

// word returns the result in one word.
func (r Result) word() string {
	switch {
	case r.TimedOut:
		return string(Timeout)
	case r.stopped:
		return string(Cancelled)
	case r.OK():
		return string(Pass)
	}
	return string(Fail)
}

// ending returns how the command ended.
func (r Result) ending() string {
	switch {
	case r.stopped:
		return "cancelled"
	case r.Hint != "" && r.Exit > 0:
		return fmt.Sprintf("exit %d, %s", r.Exit, r.Hint)
	case r.Hint != "":
		return r.Hint
	}
	return fmt.Sprintf("exit %d", r.Exit)
}

// account returns how the command ended, with the tests it counted.
func (r Result) account() string {
	if r.Tests == nil {
		return r.ending()
	}
	return r.ending() + ", " + r.Tests.String()
}
