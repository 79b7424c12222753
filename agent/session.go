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

// drainTime limits how long the last output is read after the process has ended, in case
// something else keeps the terminal open and writes.
const drainTime = 2 * time.Second

// Session is one run of one agent process, whose terminal this process owns. It has three
// goroutines: one reads the terminal, one types, and one waits for the process, then for
// the other two, and closes done.
type Session struct {
	*child
	terminal  *os.File
	screen    *broadcaster
	splitter  *lineSplitter
	input     *input
	log       io.Writer
	usageFile *usageFile // nil: the program writes none
	headless  bool
	exited    chan struct{} // closed when the process is gone
	done      chan struct{}
	exit      Exit  // owned by wait until done is closed
	failed    error // owned by read until it returns
}

func runSession(cmd *exec.Cmd, terminal *os.File, screen *broadcaster, splitter *lineSplitter, log io.Writer,
	inv Invocation) *Session {
	s := &Session{
		child: newChild(cmd, inv.Env), terminal: terminal, screen: screen, splitter: splitter,
		input: newInput(), log: log, usageFile: inv.usageFile, headless: inv.Headless,
		exited: make(chan struct{}), done: make(chan struct{}),
	}
	read, typed := make(chan struct{}), make(chan struct{})
	go func() { defer close(read); s.read() }()
	go func() { defer close(typed); s.input.deliver(terminal) }()
	go s.wait(read, typed)
	return s
}

// mostParts is how many parts of the output, of 64 kB each, wait to be handled.
const mostParts = 16

// read handles the program's output until the program has exited and the terminal is empty. It reads
// the next parts while one is handled, so that the program need not wait for the screen and the log.
func (s *Session) read() {
	buffers, parts := make(chan []byte, mostParts), make(chan []byte, mostParts)
	handled := make(chan struct{})
	go func() {
		defer close(handled)
		for p := range parts {
			s.handleOutput(p)
			buffers <- p[:cap(p)]
		}
	}()
	failed := s.readParts(buffers, parts)
	close(parts)
	<-handled
	s.failed = errors.Join(s.failed, failed)
	s.handleOutput(s.usageFile.readLine())
	s.show(s.splitter.close())
}

// readParts sends what the terminal hands over, each part in one of the buffers, until the program
// has exited and nothing is left. A program that closes its terminal may open it again.
func (s *Session) readParts(buffers <-chan []byte, parts chan<- []byte) error {
	made := 0
	next := func() []byte {
		select {
		case buf := <-buffers:
			return buf
		default:
		}
		if made == mostParts {
			return <-buffers
		}
		made++
		return make([]byte, 64<<10)
	}
	buf := next()
	for pause := time.Millisecond; ; {
		n, err := s.terminal.Read(buf)
		if n >= bulkRead {
			n += readMore(s.terminal, buf[n:])
		}
		if n > 0 {
			parts <- buf[:n]
			buf, pause = next(), time.Millisecond
		}
		if err == nil {
			continue
		}
		if !terminalClosed(err) {
			return err
		}
		if isClosed(s.exited) {
			return nil
		}
		select {
		case <-s.exited:
		case <-time.After(pause):
			pause = min(2*pause, time.Second)
		}
	}
}

// bulkRead is from how many bytes on more will follow soon. A terminal hands over 4 kB at a time.
const bulkRead = 3 << 10

// readMore reads what follows a bulk of output: as long as each read is one, it waits a millisecond for more. Many
// small parts would cost more than they are worth. It returns how much it has read; an error is left for the next read.
func readMore(terminal *os.File, p []byte) (n int) {
	conn, err := terminal.SyscallConn()
	if err != nil {
		return 0
	}
	_ = conn.Read(func(fd uintptr) bool {
		for last := bulkRead; last >= bulkRead && n < len(p); n += last {
			ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
			if found, err := unix.Poll(ready, 1); err != nil || found == 0 || ready[0].Revents&unix.POLLIN == 0 {
				break
			}
			if last, err = unix.Read(int(fd), p[n:]); err != nil || last <= 0 {
				break
			}
		}
		return true
	})
	return n
}

// terminalClosed reports whether an error is the end of a terminal: no process has it open,
// or we closed it.
func terminalClosed(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, unix.EIO) || errors.Is(err, fs.ErrClosed)
}

// handleOutput logs and shows output. A log that cannot be written is reported once, at the
// end, and stops nothing.
func (s *Session) handleOutput(p []byte) {
	if _, err := s.log.Write(p); err != nil {
		s.failed, s.log = errors.Join(s.failed, err), io.Discard
	}
	s.show(s.splitter.feed(p))
}

func (s *Session) show(p []byte) {
	if len(p) == 0 {
		return
	}
	replies, err := s.screen.write(p)
	if err != nil {
		s.failed = errors.Join(s.failed, err)
	}
	if len(replies) > 0 && !s.headless {
		// A program that does not read the answers to its queries does not get them.
		_ = s.input.add(replies)
	}
}

func (s *Session) wait(read, typed <-chan struct{}) {
	state := s.reap()
	close(s.exited)
	close(s.screen.exited)
	select {
	case <-read:
	case <-time.After(drainTime):
		close(s.screen.abandoned)
	}
	s.input.end()
	err := s.terminal.Close()
	<-read
	<-typed
	s.screen.close()
	s.exit = exitOf(state, errors.Join(s.failed, err, s.usageFile.remove()))
	s.exit.Usage, s.exit.Final = s.splitter.usage(), s.splitter.final()
	s.exit.Limit = s.splitter.limit(s.exit.Ended)
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

// Attach returns the bytes that redraw the current screen in an empty terminal of its
// size, and a channel of everything that is written to the screen afterwards, in order.
// The channel is closed at the end of the session or of ctx. A caller that stops reading
// without ending ctx blocks the agent.
func (s *Session) Attach(ctx context.Context) (screen []byte, output <-chan []byte) {
	return s.screen.attach(ctx)
}

// Input sends bytes as if typed. It never blocks: it fails if the agent has left too much
// unread, or is headless and reads nothing.
func (s *Session) Input(p []byte) error {
	if s.headless {
		return errors.New("send input: a headless session reads no input")
	}
	return s.input.add(p)
}

// Resize gives the terminal and the screen a size.
func (s *Session) Resize(columns, rows int) error {
	size := winsize(columns, rows)
	s.screen.resize(int(size.Col), int(size.Row))
	if err := setSize(s.terminal, size); err != nil && !isClosed(s.exited) {
		return fmt.Errorf("resize terminal: %w", err)
	}
	return nil
}

// Done is closed when the process is reaped and its output is on the screen.
func (s *Session) Done() <-chan struct{} { return s.done }

// Exit returns how the session ended; the zero value before Done is closed.
func (s *Session) Exit() Exit {
	if !isClosed(s.done) {
		return Exit{}
	}
	return s.exit
}
