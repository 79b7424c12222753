package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"

	"github.com/charmbracelet/x/term"
	"github.com/muesli/cancelreader"

	"ferrus/hq/host"
	"ferrus/hq/join"
	"ferrus/hq/tui"
	"ferrus/hq/tui/tty"
)

// takeTerminal shows HQ in this terminal, over the connection to, and restores the terminal at the end.
// It reports whether you left before the other HQ ended, and else why there is no output any more:
// io.EOF says that the HQ closed it.
func takeTerminal(ctx context.Context, std *streams, hq join.Conn, to io.Writer) (left bool, why, err error) {
	raw, err := term.MakeRaw(os.Stdin.Fd())
	if err != nil {
		return false, nil, fmt.Errorf("take the terminal: %w", err)
	}
	typed, err := cancelreader.NewReader(os.Stdin)
	if err == nil {
		left, why = showHQ(ctx, hq, to, typed)
		err = typed.Close()
	}
	fmt.Fprint(drawnOn(std.out), leaveScreen)
	tty.DiscardTyped(os.Stdin) // answers to what was asked last
	return left, why, errors.Join(err, term.Restore(os.Stdin.Fd(), raw))
}

// leaveScreen undoes what an HQ that was killed left on: the keyboard's modes, and the screen.
const leaveScreen = "\x1b[<u\x1b[>4m\x1b[?2026l\x1b[?2027l\x1b[?2031l\x1b[r" + host.Shut

// lastBytes passes output on, and knows its end.
type lastBytes struct {
	to   io.Writer
	last []byte
}

// Write writes output. The first HQ leaves it to the terminal to begin a line at its left, which
// one in raw mode does not.
func (l *lastBytes) Write(output []byte) (int, error) {
	l.last = append(l.last, output...)
	l.last = slices.Clone(l.last[max(len(l.last)-len(tui.ClientLeft), 0):])
	if _, err := l.to.Write(bytes.ReplaceAll(output, []byte("\n"), []byte("\r\n"))); err != nil {
		return 0, err
	}
	if l.left() {
		return len(output), errLeft
	}
	return len(output), nil
}

// errLeft ends the output: nothing follows.
var errLeft = errors.New("it was left")

// left reports whether you have quit.
func (l *lastBytes) left() bool { return string(l.last) == tui.ClientLeft }

// showHQ passes what is typed, the size and the output on, and closes the connection at the end. It reports whether
// it was left before the other HQ ended, and else how the output ended. After it nothing reads the terminal.
func showHQ(ctx context.Context, hq join.Conn, to io.Writer, typed cancelreader.CancelReader) (left bool, why error) {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	defer stop()
	out, over := &lastBytes{to: to}, make(chan error, 1)
	go func() {
		_, err := io.Copy(out, hq)
		over <- err
	}()
	var passing sync.WaitGroup
	done := make(chan struct{})
	// Whatever passes something on may wait for the other end, until the connection is closed.
	defer func() { close(done); typed.Cancel(); _ = hq.Close(); passing.Wait() }()
	passing.Go(func() { passTyped(hq, typed) })
	passing.Go(func() { passSizes(hq, done) })
	select {
	case why = <-over:
		if why == nil {
			why = io.EOF
		}
		return out.left(), why
	case <-ctx.Done():
		_ = hq.Close()
		<-over
		return true, nil
	}
}

// passTyped passes on what is typed, until that is canceled or the terminal has hung up.
func passTyped(hq join.Conn, typed io.Reader) {
	buf := make([]byte, 4096)
	for {
		n, err := typed.Read(buf)
		if n > 0 {
			_ = hq.Send(join.Typed, buf[:n]) // an HQ that takes nothing has left its last output to read
		}
		if err != nil {
			if !errors.Is(err, cancelreader.ErrCanceled) {
				_ = hq.Close()
			}
			return
		}
	}
}

// passSizes passes on the sizes of the terminal.
func passSizes(hq join.Conn, done <-chan struct{}) {
	resized := make(chan os.Signal, 1)
	signal.Notify(resized, syscall.SIGWINCH)
	defer signal.Stop(resized)
	for {
		select {
		case <-done:
			return
		case <-resized:
			if columns, rows, err := term.GetSize(os.Stdin.Fd()); err == nil {
				_ = join.Resize(hq, columns, rows) // one that is gone ends it
			}
		}
	}
}
