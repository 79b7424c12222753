package remote

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

// SSHEnv is the variable that names the ssh program with options of its own, separated by
// spaces, as GIT_SSH_COMMAND does for git.
const SSHEnv = "FERRUS_SSH_COMMAND"

// remoteShell finds ferrus where a shell that is no login shell may not look.
const remoteShell = `sh -c 'PATH="$PATH:$HOME/.local/bin:$HOME/go/bin:/usr/local/bin"; export PATH; exec ferrus worker --stdio'`

// sshCommand returns a command of your own ssh, with your configuration. It asks for nothing: there
// is no terminal to ask at.
func sshCommand(ctx context.Context, destination string, command string) *exec.Cmd {
	argv := append(strings.Fields(cmp.Or(os.Getenv(SSHEnv), "ssh")),
		"-T", "-oBatchMode=yes", "--", destination, command)
	return program.Command(ctx, os.Environ(), argv[0], argv[1:]...)
}

// SSH returns what connects to a worker by ssh.
func SSH(destination string) Dialer {
	return func(ctx context.Context) (wire.Link, error) {
		if destination == "" || strings.HasPrefix(destination, "-") || strings.ContainsAny(destination, " \t\n") {
			return nil, fmt.Errorf("%q is not a destination of ssh", destination)
		}
		cmd := sshCommand(ctx, destination, remoteShell)
		var output tail
		cmd.Stderr, cmd.WaitDelay = &output, time.Second
		in, out, err := startPiped(cmd)
		if err != nil {
			return nil, fmt.Errorf("start ssh: %w", err)
		}
		p := &sshPipe{cmd: cmd, in: in}
		from, err := greeted(ctx, p, out)
		if err != nil {
			p.Close() //nolint:errcheck // it ends
			return nil, fmt.Errorf("connect by ssh to %s: %w", destination, cmp.Or(output.err(), err))
		}
		p.Pipe = wire.Bytes(from, in)
		return wire.Dial(p), nil
	}
}

// startPiped starts a program, and returns its standard input and output.
func startPiped(cmd *exec.Cmd) (in io.WriteCloser, out io.ReadCloser, err error) {
	if in, err = cmd.StdinPipe(); err != nil {
		return nil, nil, err
	}
	if out, err = cmd.StdoutPipe(); err != nil {
		return nil, nil, err
	}
	return in, out, cmd.Start()
}

// greetingTimeout bounds logging in.
const greetingTimeout = time.Minute

func greeted(ctx context.Context, p *sshPipe, out io.Reader) (io.Reader, error) {
	defer time.AfterFunc(greetingTimeout, p.kill).Stop()
	from, err := wire.AwaitGreeting(out)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return from, err
}

// sshPipe is a pipe through ssh, which ends with it.
type sshPipe struct {
	wire.Pipe
	cmd  *exec.Cmd
	in   io.WriteCloser
	once sync.Once
}

func (p *sshPipe) kill() { _ = p.cmd.Process.Kill() }

func (p *sshPipe) Close() error {
	p.once.Do(func() {
		_ = p.in.Close()
		p.kill()
		_ = p.cmd.Wait() // how it ended says nothing
	})
	return nil
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

// err returns the last line of ssh; nil: it said nothing.
func (t *tail) err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(string(bytes.TrimSpace(t.last)), "\n")
	if words := wire.Words(lines[len(lines)-1], 300); words != "" {
		return errors.New(words)
	}
	return nil
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
	cmd := sshCommand(ctx, destination, put)
	var output tail
	cmd.Stdin, cmd.Stderr = f, &output
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("copy ferrus to %s: %w", destination, cmp.Or(output.err(), err))
	}
	return nil
}
