// Package sshlink connects to ferrus on another machine with your ssh and its configuration: it is the
// transport of [ferrus/hq/wire] for machines that you can log in to.
//
// [Dial] runs a command there, waits for its greeting line, and returns the link over its standard streams.
// A failure before that is a [*FailedError] with what ssh and the other machine printed.
package sshlink

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"ferrus/agent/program"
	"ferrus/hq/wire"
)

// Env is the variable that names the ssh program with options of its own, separated by
// spaces, as GIT_SSH_COMMAND does for git.
const Env = "FERRUS_SSH_COMMAND"

// Shell returns a command for the login shell of another machine that runs ferrus with arguments, which need no
// quoting. It finds ferrus where a shell that is no login shell may not look.
func Shell(arguments string) string {
	return `sh -c 'PATH="$PATH:$HOME/.local/bin:$HOME/go/bin:/usr/local/bin"; export PATH; exec ferrus ` + arguments + `'`
}

// Options say what to connect to.
type Options struct {
	Destination string // the name that your ssh knows: me@big
	Port        string // empty: as ssh has it
	Command     string // for the login shell there
	Greeting    string // its first line
	// Terminal lets ssh ask you for what it needs, at the terminal of this process, and gives the remote
	// command its own terminal. Without it ssh asks for nothing: there may be no terminal to ask at.
	Terminal bool
}

// arguments returns the arguments of ssh, without the command.
func (o Options) arguments() []string {
	all := []string{"-T", "-oBatchMode=yes"}
	if o.Terminal {
		all = []string{"-tt", "-oEscapeChar=none"} // what passes through is not what is typed
	}
	if o.Port != "" {
		all = append(all, "-p", o.Port)
	}
	return append(all, "--", o.Destination)
}

// FailedError is returned for a command that did not begin.
type FailedError struct {
	Output  string // by ssh, its last line
	Printed string // by the other machine
	Code    int    // of ssh: 255 is its own, else it is the command's
}

func (e *FailedError) Error() string {
	switch {
	case e.Output != "":
		return e.Output
	case e.Printed != "":
		return fmt.Sprintf("no ferrus answered; the last line was %q", e.Printed)
	}
	return fmt.Sprintf("no ferrus answered; ssh exited with %d", e.Code)
}

// command returns a command of your own ssh, with your configuration.
func (o Options) command(ctx context.Context) *exec.Cmd {
	argv := append(strings.Fields(cmp.Or(os.Getenv(Env), "ssh")), o.arguments()...)
	return program.Command(ctx, os.Environ(), argv[0], append(argv[1:], o.Command)...)
}

// Dial connects. The context is for the connecting alone.
func Dial(ctx context.Context, o Options) (wire.Link, error) {
	if o.Destination == "" || strings.HasPrefix(o.Destination, "-") || strings.ContainsAny(o.Destination, " \t\n") {
		return nil, fmt.Errorf("%q is not a valid ssh destination", o.Destination)
	}
	cmd := o.command(context.Background())
	output := new(tail)
	cmd.Stderr, cmd.WaitDelay = output, time.Second
	in, out, err := program.StartPiped(cmd)
	if err != nil {
		return nil, fmt.Errorf("start ssh: %w", err)
	}
	p := &sshPipe{cmd: cmd, in: in, output: output}
	from, err := o.greeted(ctx, p, out)
	if err != nil {
		return nil, fmt.Errorf("connect to %s over ssh: %w", o.Destination, err)
	}
	p.Pipe = wire.Bytes(from, in)
	return wire.Dial(p), nil
}

// How long logging in may take: by itself, and with what ssh asks you.
const (
	greetingTimeout = time.Minute
	askingTimeout   = 5 * time.Minute
)

// greeted waits for the greeting. Otherwise ssh has ended when it returns.
func (o Options) greeted(ctx context.Context, p *sshPipe, out io.Reader) (io.Reader, error) {
	patience := greetingTimeout
	if o.Terminal {
		patience = askingTimeout
	}
	defer time.AfterFunc(patience, p.kill).Stop()
	defer context.AfterFunc(ctx, p.kill)()
	from, err := wire.AwaitLine(out, o.Greeting)
	if err == nil {
		return from, nil
	}
	var none *wire.NoGreeting
	if errors.As(err, &none) { // its output has ended, and so has it, unless it was killed
		code := p.wait()
		err = &FailedError{Output: p.output.words(), Printed: none.Printed, Code: code}
	}
	p.Close() //nolint:errcheck // it ends
	return nil, cmp.Or(ctx.Err(), err)
}

// sshPipe is a pipe through ssh, which ends with it.
type sshPipe struct {
	wire.Pipe
	cmd    *exec.Cmd
	in     io.WriteCloser
	output *tail
	once   sync.Once
}

func (p *sshPipe) kill() { _ = p.cmd.Process.Kill() }

// wait waits until ssh has ended, and returns its code.
func (p *sshPipe) wait() int {
	p.once.Do(func() {
		_ = p.in.Close()
		_ = p.cmd.Wait() // its code says more
	})
	return p.cmd.ProcessState.ExitCode()
}

func (p *sshPipe) Close() error {
	p.kill()
	p.wait()
	return nil
}

// Receive returns the next frame. Once ssh has ended the error has what it output.
func (p *sshPipe) Receive() ([]byte, error) {
	f, err := p.Pipe.Receive()
	if err != nil && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)) {
		time.AfterFunc(time.Second, p.kill) // it has closed its output, and ends
		p.wait()
		if output := p.output.words(); output != "" {
			return nil, errors.New(output)
		}
	}
	return f, err
}

// tail keeps the last of what ssh says.
type tail struct {
	mu   sync.Mutex
	last []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(t.last, p...)
	t.last = t.last[max(0, len(t.last)-2000):]
	return len(p), nil
}

// words returns the last line of ssh; empty: it output nothing.
func (t *tail) words() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(string(bytes.TrimSpace(t.last)), "\n")
	return wire.Words(strings.TrimSpace(lines[len(lines)-1]), 300)
}

// CopyTo copies a program to where a worker's ssh finds it.
func CopyTo(ctx context.Context, destination, program string) error {
	f, err := os.Open(program)
	if err != nil {
		return err
	}
	defer f.Close()
	const put = `sh -c 'mkdir -p "$HOME/.local/bin" && cat >"$HOME/.local/bin/.ferrus.new" && ` +
		`chmod 755 "$HOME/.local/bin/.ferrus.new" && mv "$HOME/.local/bin/.ferrus.new" "$HOME/.local/bin/ferrus"'`
	cmd := Options{Destination: destination, Command: put}.command(ctx)
	var output tail
	cmd.Stdin, cmd.Stderr = f, &output
	if err := cmd.Run(); err != nil {
		if output := output.words(); output != "" {
			err = errors.New(output)
		}
		return fmt.Errorf("copy ferrus to %s: %w", destination, err)
	}
	return nil
}
