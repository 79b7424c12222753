package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// drain is how long what was written before the end may take to be read. It is
// needed when something else keeps the terminal open and goes on writing.
const drain = 2 * time.Second

// local is a session whose terminal this process owns. Three goroutines live as
// long as it does: one reads the terminal, one types, and one waits for the
// process, then for the other two, and closes done.
type local struct {
	*child
	terminal *os.File
	hub      *broadcaster
	stage    *lineSplitter
	input    *input
	log      io.Writer
	left     *usageFile // of what it used; nil: it leaves none
	headless bool
	exited   chan struct{} // the process is gone
	done     chan struct{}
	exit     Exit  // before done, of the waiting goroutine alone
	failed   error // of the reading goroutine, until it ends
}

func run(cmd *exec.Cmd, terminal *os.File, h *broadcaster, st *lineSplitter, log io.Writer, inv Invocation) *local {
	s := &local{
		child: newLeader(cmd, inv.Env), terminal: terminal,
		hub: h, stage: st, input: newInput(), log: log, left: inv.left, headless: inv.Headless,
		exited: make(chan struct{}), done: make(chan struct{}),
	}
	read, typed := make(chan struct{}), make(chan struct{})
	go func() { defer close(read); s.read() }()
	go func() { defer close(typed); s.input.deliver(terminal) }()
	go s.wait(read, typed)
	return s
}

// read shows what the program writes until the program is gone and the terminal
// has nothing more. A program that closes its terminal may open it again.
func (s *local) read() {
	buf := make([]byte, 64<<10)
	for pause := time.Millisecond; ; {
		n, err := s.terminal.Read(buf)
		if n > 0 {
			s.take(buf[:n])
			pause = time.Millisecond
		}
		if err == nil {
			continue
		}
		if !hungUp(err) {
			s.failed = errors.Join(s.failed, err)
			break
		}
		if isClosed(s.exited) {
			break
		}
		select {
		case <-s.exited:
		case <-time.After(pause):
			pause = min(2*pause, time.Second)
		}
	}
	s.take(s.left.line())
	s.show(s.stage.close())
}

// hungUp tells the end of a terminal: no process has it open, or we closed it.
func hungUp(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, unix.EIO) || errors.Is(err, fs.ErrClosed)
}

// take handles what the program wrote. A log that cannot be written is reported
// once, at the end, and stops nothing.
func (s *local) take(p []byte) {
	if _, err := s.log.Write(p); err != nil {
		s.failed, s.log = errors.Join(s.failed, err), io.Discard
	}
	s.show(s.stage.feed(p))
}

func (s *local) show(p []byte) {
	if len(p) == 0 {
		return
	}
	replies, err := s.hub.write(p)
	if err != nil {
		s.failed = errors.Join(s.failed, err)
	}
	if len(replies) > 0 && !s.headless {
		// A program that asks and does not read the answers goes without.
		_ = s.input.add(replies)
	}
}

func (s *local) wait(read, typed <-chan struct{}) {
	state := s.reap()
	close(s.exited)
	close(s.hub.over)
	select {
	case <-read:
	case <-time.After(drain):
		close(s.hub.cut)
	}
	s.input.end()
	err := s.terminal.Close()
	<-read
	<-typed
	s.hub.close()
	s.exit = exitOf(state, errors.Join(s.failed, err, s.left.remove()))
	s.exit.Usage, s.exit.Final = s.stage.usage(), s.stage.final()
	s.exit.Limit = s.stage.limit(s.exit.Ended)
	close(s.done)
}

func exitOf(state *os.ProcessState, err error) Exit {
	exit := Exit{Code: -1, Ended: time.Now(), Err: err}
	if state == nil {
		return exit
	}
	exit.Code = state.ExitCode()
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		exit.Signal = status.Signal()
	}
	return exit
}

func (s *local) Attach(ctx context.Context) ([]byte, <-chan []byte, error) {
	screen, output := s.hub.attach(ctx)
	return screen, output, nil
}

func (s *local) Input(p []byte) error {
	if s.headless {
		return errors.New("send input: a headless session reads none")
	}
	return s.input.add(p)
}

func (s *local) Resize(columns, rows int) error {
	size := winsize(columns, rows)
	s.hub.resize(int(size.Col), int(size.Row))
	if err := setSize(s.terminal, size); err != nil && !isClosed(s.exited) {
		return fmt.Errorf("resize terminal: %w", err)
	}
	return nil
}

func (s *local) Done() <-chan struct{} { return s.done }

func (s *local) Exit() Exit {
	if !isClosed(s.done) {
		return Exit{}
	}
	return s.exit
}
