package acp

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// program is a running agent. It has a process group of its own, so that a signal to the
// group of this process does not end it before its turn is cancelled.
type program struct {
	cmd    *exec.Cmd
	in     *os.File // its input
	out    *os.File // its output
	exited chan struct{}
	logs   chan struct{} // closed when its error output is read

	mu   sync.Mutex // guards last
	last string     // line of its error output
}

// start starts an agent. Lines of its error output are noted.
func start(command []string, dir string, notes interface{ note(string) }) (*program, error) {
	p := &program{cmd: exec.Command(command[0], command[1:]...), exited: make(chan struct{}), logs: make(chan struct{})}
	p.cmd.Dir, p.cmd.SysProcAttr = dir, &syscall.SysProcAttr{Setpgid: true}
	stdin, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, stdout, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, stdin.Close(), in.Close())
	}
	log, stderr, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, stdin.Close(), in.Close(), out.Close(), stdout.Close())
	}
	p.in, p.out = in, out
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = stdin, stdout, stderr
	err = p.cmd.Start()
	for _, theirs := range []*os.File{stdin, stdout, stderr} {
		theirs.Close() //nolint:errcheck // the agent has its own
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", command[0], err), in.Close(), out.Close(), log.Close())
	}
	go p.follow(log, notes)
	go p.wait(out, log)
	return p, nil
}

// closeAfter is how long output is read after the agent has exited: what it started may keep
// its streams open.
const closeAfter = time.Second

// wait reaps the agent, and ends its streams.
func (p *program) wait(streams ...*os.File) {
	_ = p.cmd.Wait() // how it ended is in ProcessState
	close(p.exited)
	time.AfterFunc(closeAfter, func() {
		for _, stream := range streams {
			stream.Close() //nolint:errcheck // its reader ends
		}
	})
}

// follow notes what the agent prints.
func (p *program) follow(log io.Reader, notes interface{ note(string) }) {
	defer close(p.logs)
	for lines := newLines(log); ; {
		line, _, err := lines.next()
		if err != nil {
			return
		}
		if len(line) == 0 {
			continue
		}
		text := string(line[:min(len(line), maxText)])
		p.mu.Lock()
		p.last = text
		p.mu.Unlock()
		notes.note(text)
	}
}

// lastWords returns the last line that the agent printed.
func (p *program) lastWords() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last
}

// exit returns how the agent ended.
func (p *program) exit(most time.Duration) string {
	select {
	case <-p.exited:
		<-p.logs
		return p.cmd.ProcessState.String()
	case <-time.After(most):
		return "it closed its output and did not exit"
	}
}

// end ends the agent: it closes the agent's input, then sends a signal, then another.
func (p *program) end(most time.Duration) {
	p.in.Close() //nolint:errcheck // it is the sign to exit
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		select {
		case <-p.exited:
		case <-time.After(most):
			_ = syscall.Kill(-p.cmd.Process.Pid, signal) // it may have gone
		}
	}
	<-p.exited
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // what it has left in its group
	<-p.logs
}

// maxText bounds a text of an event, in bytes.
const maxText = 8 << 10
