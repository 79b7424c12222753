package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"ferrus/agent"
	"ferrus/hq/core"
	"ferrus/hq/host"
	"ferrus/hq/pair"
	"ferrus/hq/session"
)

// detachKey is Ctrl+], the key that leaves an attached session.
const detachKey = 0x1d

func attachCommand(std *streams) *cobra.Command {
	var read bool
	c := &cobra.Command{
		Use:   "attach <slot>",
		Short: "Show the session of a slot in this terminal, and type into it",
		Long: `Shows the session of a slot (planner, executor, consultant, reviewer; primary and
secondary of a pair) in this terminal, beside HQ or without it. One terminal types, the others look on: while
you are attached, HQ does. Ctrl+] leaves; the session goes on.`,
		Example: "  ferrus attach executor\n  ferrus attach --read reviewer",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && (args[0] == pair.Primary || args[0] == pair.Secondary) {
				return nil
			}
			return exactSlot(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if std.requireTerminal(os.Getenv("TERM")) != nil {
				return &exitError{code: codeError, what: "attach needs a terminal that can be drawn on", hints: []string{"ferrus logs " + args[0] + " does without"}}
			}
			kind := host.Writer
			if read {
				kind = host.Reader
			}
			return runAttach(cmd.Context(), std, slotOf(args[0]), kind)
		},
	}
	c.Flags().BoolVar(&read, "read", false, "look on, without typing")
	return c
}

func runAttach(ctx context.Context, std *streams, slot core.Slot, kind string) error {
	pr, err := openAsHuman("attach")
	if err != nil {
		return err
	}
	record, ok, err := session.ReadRecord(pr, slot)
	if err != nil {
		return err
	}
	nobody := &exitError{code: codeError, what: fmt.Sprintf("the %s has no session now", slot), hints: []string{"ferrus status says what runs; ferrus logs " + string(slot) + " shows what the last one said"}}
	if !ok {
		return nobody
	}
	columns, rows, err := term.GetSize(os.Stdin.Fd())
	if err != nil {
		return fmt.Errorf("ask the terminal for its size: %w", err)
	}
	width, height := host.Room(columns, rows)
	view, err := host.Dial(record, kind, width, height)
	if err != nil {
		nobody.hints = append(nobody.hints, err.Error())
		return nobody
	}
	defer view.Close()
	a := &attachedSession{view: view, mirror: host.NewMirror(view), out: std.out, slot: slot, typing: view.Writer, columns: columns, rows: rows, wake: make(chan struct{}, 1), ended: make(chan struct{})}
	return a.run(ctx)
}

// attachedSession is a session in a person's terminal. One goroutine takes what comes,
// one reads keys, and one draws.
type attachedSession struct {
	view   *host.View
	mirror *host.Mirror
	out    io.Writer
	slot   core.Slot
	wake   chan struct{} // of size 1: there is something to draw
	ended  chan struct{} // closed when the session or the connection has ended

	mu            sync.Mutex // guards the rest
	columns, rows int
	typing        bool
	notice        string // what the host refused
	exit          *agent.Exit
}

func (a *attachedSession) run(ctx context.Context) error {
	raw, err := term.MakeRaw(os.Stdin.Fd())
	if err != nil {
		return fmt.Errorf("take the terminal: %w", err)
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	resized := make(chan os.Signal, 1) // one says that the size is to be read again
	signal.Notify(resized, syscall.SIGWINCH)
	defer signal.Stop(resized)
	left := make(chan struct{})
	fmt.Fprint(a.out, host.Open)
	go a.readEvents()
	go a.readKeys(left)
	a.drawLoop(ctx, resized, left)
	fmt.Fprint(a.out, host.Shut)
	err = term.Restore(os.Stdin.Fd(), raw)
	fmt.Fprintln(a.out, a.exitMessage())
	return err
}

// drawLoop draws, at most 60 times a second, until the end.
func (a *attachedSession) drawLoop(ctx context.Context, resized <-chan os.Signal, left <-chan struct{}) {
	for {
		a.draw()
		select {
		case <-a.wake:
		case <-resized:
			a.resize()
		case <-a.ended:
			a.draw()
			return
		case <-left:
			return
		case <-ctx.Done():
			return
		}
		time.Sleep(time.Second / 60)
	}
}

func (a *attachedSession) draw() {
	a.mu.Lock()
	columns, rows, typing, said := a.columns, a.rows, a.typing, a.notice
	a.mu.Unlock()
	status := fmt.Sprintf(" ferrus: %s   Ctrl+] leaves", a.slot)
	if !typing {
		status += "   read only"
	}
	if said != "" {
		status += ": " + said
	}
	_, _ = a.out.Write(a.mirror.Frame(columns, rows, typing, status)) // a terminal that is gone hangs up
}

// readEvents takes what the host sends.
func (a *attachedSession) readEvents() {
	defer close(a.ended)
	for {
		e, err := a.view.Next()
		if err != nil {
			return
		}
		a.mirror.Take(e)
		a.mu.Lock()
		if e.Writer != nil {
			a.typing, a.notice = *e.Writer, ""
		}
		if e.Refused != "" {
			a.notice = e.Refused
		}
		a.exit = e.Exit
		a.mu.Unlock()
		if e.Exit != nil {
			return
		}
		select {
		case a.wake <- struct{}{}:
		default: // it is to be drawn already
		}
	}
}

// readKeys sends what is typed until the key that leaves.
func (a *attachedSession) readKeys(left chan<- struct{}) {
	buf := make([]byte, 4096)
	for {
		n, err := os.Stdin.Read(buf)
		typed, _, leave := bytes.Cut(buf[:n], []byte{detachKey})
		if len(typed) > 0 && a.view.Input(typed) != nil {
			return // the session is over, which follow says
		}
		if leave || err != nil {
			close(left)
			return
		}
	}
}

func (a *attachedSession) resize() {
	columns, rows, err := term.GetSize(os.Stdin.Fd())
	if err != nil {
		return
	}
	a.mu.Lock()
	a.columns, a.rows = columns, rows
	a.mu.Unlock()
	width, height := host.Room(columns, rows)
	_ = a.view.Resize(width, height) // one that is over keeps its size
}

// exitMessage is what is said on the terminal afterwards.
func (a *attachedSession) exitMessage() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	select {
	case <-a.ended:
	default:
		return fmt.Sprintf("left: the %s goes on", a.slot)
	}
	switch e := a.exit; {
	case e == nil:
		return fmt.Sprintf("the host of the %s is gone", a.slot)
	case e.Signal != 0:
		return fmt.Sprintf("the %s was ended by %v", a.slot, e.Signal)
	case e.Code != 0:
		return fmt.Sprintf("the %s ended with exit %d", a.slot, e.Code)
	}
	return fmt.Sprintf("the %s is done", a.slot)
}
