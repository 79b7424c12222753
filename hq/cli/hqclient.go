package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/muesli/cancelreader"

	"ferrus/hq/conductor"
	"ferrus/hq/host"
	"ferrus/hq/human"
	"ferrus/hq/project"
	"ferrus/hq/tui"
	"ferrus/hq/tui/tty"
	"ferrus/store"
)

// Where an HQ of the project is open, another one attaches to it: its terminal shows a screen that the
// first one draws, and what is typed there goes to the first. The frames of a terminal that looks
// on have a kind and a length; what comes back is a line with the answer, and then output.
const (
	frameTyped = 'i'
	frameSized = 's'
)

// maxLookFrame bounds a frame, in bytes.
const maxLookFrame = 64 << 10

// maxUnderWay bounds what is under way to an attached terminal, in bytes: a slow one shows
// the newest frames, not those of a while ago.
const maxUnderWay = 16 << 10

// attachHello is the first line of an HQ that wants to attach.
type attachHello struct {
	Columns, Rows int
	Environ       []string
}

// attachAnswer is the reply to it.
type attachAnswer struct {
	Why string // it may not; empty: it may
}

// lookEnviron are the variables that say what a terminal can do.
var lookEnviron = []string{"TERM", "COLORTERM", "NO_COLOR", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "LC_ALL",
	"LC_CTYPE", "LANG", "TMUX", "STY", "COLORFGBG", "KITTY_WINDOW_ID", "VTE_VERSION", "XTERM_VERSION",
	"WT_SESSION"}

// admitClients lets other HQs of the project attach until ctx is done. Where they cannot, they are
// refused as if nothing listened.
func admitClients(ctx context.Context, pr *project.Task, c *conductor.Conductor) (<-chan tui.Client, func()) {
	l, socket, err := host.ListenScreen(pr.Dir)
	if err != nil {
		return nil, func() {}
	}
	guests := make(chan tui.Client)
	ctx, cancel := context.WithCancel(ctx)
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := l.AcceptUnix()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil {
				time.Sleep(100 * time.Millisecond) // out of descriptors
				continue
			}
			serving.Go(func() { admitClient(ctx, conn, c.Examine, guests) })
		}
	})
	return guests, func() {
		cancel()
		_ = l.Close()
		serving.Wait()
		host.ForgetHuman(socket)
	}
}

// admitClient hands an accepted terminal to the screen, and reads what is typed there. Only
// a process on a terminal of its own, which no session made, may.
func admitClient(ctx context.Context, conn *net.UnixConn, examine func(int) human.Finding, guests chan<- tui.Client) {
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	if conn.SetDeadline(time.Now().Add(lookTimeout)) != nil || conn.SetWriteBuffer(maxUnderWay) != nil {
		return
	}
	pid, err := host.Peer(conn)
	if err != nil {
		return
	}
	found := examine(pid)
	answer := attachAnswer{}
	if found.Standing != human.Own {
		answer.Why = found.Why
	}
	from := bufio.NewReaderSize(conn, maxLookFrame)
	line, err := from.ReadSlice('\n')
	var hello attachHello
	if err != nil || json.Unmarshal(line, &hello) != nil || !isSize(hello.Columns, hello.Rows) {
		return
	}
	reply, _ := json.Marshal(answer) // It has a text only.
	_, err = conn.Write(append(reply, '\n'))
	if err != nil || answer.Why != "" || conn.SetDeadline(time.Time{}) != nil {
		return
	}
	in, typed := io.Pipe()
	sizes, gone := make(chan [2]int, 1), make(chan struct{})
	defer close(gone)
	defer typed.Close()
	terminal, _ := os.Readlink("/proc/self/fd/0") // elsewhere it is not named
	words := fmt.Sprintf("Watching: HQ is process %d %s", os.Getpid(), terminal)
	guest := tui.Client{
		In: in, Out: conn, Sizes: sizes, Columns: hello.Columns, Rows: hello.Rows, Environ: hello.Environ, Gone: gone,
		Close: func() { _ = conn.Close(); _ = in.Close() }, From: found.From, Words: words,
	}
	select {
	case guests <- guest:
		readClient(from, typed, sizes)
	case <-ctx.Done():
	}
}

// lookTimeout bounds how long the two HQs take to agree.
const lookTimeout = 10 * time.Second

// isSize reports whether a terminal can have a size.
func isSize(columns, rows int) bool {
	return 0 < columns && columns <= 2000 && 0 < rows && rows <= 1000
}

// readClient hands over what is typed, and the newest size, until the other end is gone.
func readClient(from io.Reader, typed io.Writer, sizes chan [2]int) {
	for {
		kind, body, err := readClientFrame(from)
		if err != nil {
			return
		}
		switch kind {
		case frameTyped:
			if _, err := typed.Write(body); err != nil {
				return
			}
		case frameSized:
			var size [2]int
			if json.Unmarshal(body, &size) != nil || !isSize(size[0], size[1]) {
				return
			}
			select {
			case <-sizes: // it is old
			default:
			}
			sizes <- size
		}
	}
}

func readClientFrame(from io.Reader) (kind byte, body []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n > maxLookFrame {
		return 0, nil, errors.New("a frame is too long")
	}
	body = make([]byte, n)
	_, err = io.ReadFull(from, body)
	return head[0], body, err
}

func clientFrame(kind byte, body []byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(body))), body...)
}

// attachHQ shows the HQ of the project in this terminal, until that ends or you leave it. Opens says
// that it has ended, and you want to open one here. The error is why it cannot be shown.
func attachHQ(ctx context.Context, std *streams, pr *project.Task, held *store.LockedError) (opens bool, err error) {
	conn, err := host.ConnectScreen(pr.Dir)
	if err != nil {
		return false, held // ferrus run has no screen
	}
	defer conn.Close()
	columns, rows, err := term.GetSize(os.Stdin.Fd())
	if err != nil {
		return false, fmt.Errorf("ask the terminal for its size: %w", err)
	}
	from, err := greetHQ(conn, attachHello{columns, rows, environ(lookEnviron)})
	if err != nil {
		return false, failure(fmt.Sprintf("watch the HQ in process %d: %v", held.PID, err),
			"open it in your own terminal, not one that an agent created")
	}
	left, err := takeTerminal(ctx, std, conn, from)
	if err != nil {
		return false, err
	}
	if left {
		fmt.Fprintf(std.out, "stopped watching; HQ continues in process %d\n", held.PID)
		return false, nil
	}
	fmt.Fprintf(std.out, "the HQ in process %d has ended\n", held.PID)
	return std.confirm("open HQ here? It takes over sessions that still run.", true), nil
}

// takeTerminal shows HQ in this terminal and restores it at the end.
func takeTerminal(ctx context.Context, std *streams, conn *net.UnixConn, from io.Reader) (left bool, err error) {
	raw, err := term.MakeRaw(os.Stdin.Fd())
	if err != nil {
		return false, fmt.Errorf("take the terminal: %w", err)
	}
	typed, err := cancelreader.NewReader(os.Stdin)
	if err == nil {
		left = showHQ(ctx, std, conn, from, typed)
		err = typed.Close()
	}
	tty.DiscardTyped(os.Stdin) // answers to what was asked last
	return left, errors.Join(err, term.Restore(os.Stdin.Fd(), raw))
}

// environ returns some variables as NAME=value.
func environ(names []string) (all []string) {
	for _, name := range names {
		if value, ok := os.LookupEnv(name); ok {
			all = append(all, name+"="+value)
		}
	}
	return all
}

// greetHQ introduces this terminal, and returns what reads the output that follows.
func greetHQ(conn *net.UnixConn, hello attachHello) (*bufio.Reader, error) {
	line, err := json.Marshal(hello)
	if err == nil {
		err = conn.SetDeadline(time.Now().Add(lookTimeout))
	}
	if err == nil {
		_, err = conn.Write(append(line, '\n'))
	}
	from := bufio.NewReader(conn)
	var answer attachAnswer
	if err == nil {
		if line, err = from.ReadBytes('\n'); err == nil {
			err = json.Unmarshal(line, &answer)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("it does not answer: %w", err)
	}
	if answer.Why != "" {
		return nil, errors.New(answer.Why)
	}
	return from, conn.SetDeadline(time.Time{})
}

// leaveScreen undoes what an HQ that was killed left on: the keyboard's modes, and the screen.
const leaveScreen = "\x1b[<u\x1b[>4m\x1b[?2026l" + host.Shut

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
	return len(output), nil
}

// showHQ passes what is typed, the size and the output on, and reports whether it was
// left before the other HQ ended. After it nothing reads the terminal.
func showHQ(ctx context.Context, std *streams, conn *net.UnixConn, from io.Reader,
	typed cancelreader.CancelReader) (left bool) {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	defer stop()
	resized := make(chan os.Signal, 1)
	signal.Notify(resized, syscall.SIGWINCH)
	defer signal.Stop(resized)
	over := make(chan struct{})
	out := &lastBytes{to: std.out}
	go func() { _, _ = io.Copy(out, from); close(over) }()
	var sending sync.Mutex
	send := func(kind byte, body []byte) error {
		sending.Lock()
		defer sending.Unlock()
		_, err := conn.Write(clientFrame(kind, body))
		return err
	}
	var reading sync.WaitGroup
	defer func() { typed.Cancel(); reading.Wait() }()
	reading.Go(func() {
		buf := make([]byte, 4096)
		for {
			n, err := typed.Read(buf)
			if n > 0 {
				_ = send(frameTyped, buf[:n]) // an HQ that takes nothing has left its last output to read
			}
			if err != nil {
				_ = conn.Close() // a terminal that hung up
				return
			}
		}
	})
	for {
		select {
		case <-over:
			fmt.Fprint(std.out, leaveScreen)
			return strings.HasSuffix(string(out.last), tui.ClientLeft)
		case <-ctx.Done():
			_ = conn.Close()
			<-over
			fmt.Fprint(std.out, leaveScreen)
			return true
		case <-resized:
			if columns, rows, err := term.GetSize(os.Stdin.Fd()); err == nil {
				size, _ := json.Marshal([2]int{columns, rows}) // It has numbers only.
				_ = send(frameSized, size)                     // one that is gone ends it
			}
		}
	}
}
