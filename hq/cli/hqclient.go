package cli

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"

	"ferrus/hq/host"
	"ferrus/hq/human"
	"ferrus/hq/join"
	"ferrus/hq/project"
	"ferrus/hq/scheduler"
	"ferrus/hq/tui"
	"ferrus/store"
)

// Where an HQ of the project is open, another one attaches to it: its terminal shows a screen that the
// first one draws, and what is typed there goes to the first. The frames of a terminal that looks
// on have a kind and a length, see [join.OverFrames]; what comes back is a line with the answer, and then output.

// maxLookFrame bounds a frame, in bytes.
const maxLookFrame = 64 << 10

// maxUnderWay limits the unacknowledged output to an attached terminal, in bytes: a slow
// one shows the newest frames, not stale ones.
const maxUnderWay = 16 << 10

// attachHello is the first line of an HQ that wants to attach.
type attachHello struct {
	Columns, Rows int
	Environ       []string
	Who           string `json:",omitempty"` // user@host of a terminal on another machine; empty: it is on this one
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
func admitClients(ctx context.Context, pr *project.Task, c *scheduler.Scheduler, guests chan<- tui.Client) func() {
	l, socket, err := host.ListenScreen(pr.Dir)
	if err != nil {
		return func() {}
	}
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
	return func() {
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
	if err != nil || json.Unmarshal(line, &hello) != nil || !isSize(hello.Columns, hello.Rows) ||
		hello.Who != "" && join.CheckName(hello.Who) != nil {
		return
	}
	reply, _ := json.Marshal(answer) // It has a text only.
	_, err = conn.Write(append(reply, '\n'))
	if err != nil || answer.Why != "" || conn.SetDeadline(time.Time{}) != nil {
		return
	}
	showClient(ctx, conn, from, hello, found.From, guests)
}

// showClient hands an admitted terminal to the screen, and reads what is typed there, until one of them is gone.
func showClient(ctx context.Context, conn net.Conn, from io.Reader, hello attachHello, place string,
	guests chan<- tui.Client) {
	in, typed := io.Pipe()
	sizes, gone := make(chan [2]int, 1), make(chan struct{})
	defer close(gone)
	defer typed.Close()
	guest := tui.Client{
		In: in, Out: conn, Sizes: sizes, Columns: hello.Columns, Rows: hello.Rows, Environ: hello.Environ, Gone: gone,
		Close: func() { _ = conn.Close(); _ = in.Close() }, From: place, Who: hello.Who,
		Words: watching(hello.Who),
	}
	select {
	case guests <- guest:
		readClient(from, typed, sizes)
	case <-ctx.Done():
	}
}

// watching says to another HQ whose screen it shows.
func watching(who string) string {
	if who != "" {
		machine, _ := os.Hostname() // without one it is nameless
		return fmt.Sprintf("Joined as %s: HQ is process %d on %s", who, os.Getpid(), machine)
	}
	words := fmt.Sprintf("Watching: HQ is process %d", os.Getpid())
	if terminal, err := os.Readlink("/proc/self/fd/0"); err == nil { // elsewhere it is not named
		words += " on " + terminal
	}
	return words
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
		case join.Typed:
			if _, err := typed.Write(body); err != nil {
				return
			}
		case join.Sized:
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
	from, err := greetHQ(conn, attachHello{Columns: columns, Rows: rows, Environ: environ(lookEnviron)})
	if err != nil {
		return false, failure(fmt.Sprintf("watch the HQ in process %d: %v", held.PID, err),
			"open it in your own terminal, not one that an agent created")
	}
	left, _, err := takeTerminal(ctx, std, join.OverFrames(from, conn), drawnOn(std.out))
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
