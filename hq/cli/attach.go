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
		Short: "Attach this terminal to a slot's session",
		Long: `Attaches this terminal to the session of a slot (supervisor, executor, consultant,
reviewer; primary and secondary of a pair), with or without a running HQ. One terminal
types and the others are read-only, including HQ while you are attached. Ctrl+]
detaches; the session keeps running.`,
		Example: "  ferrus attach executor\n  ferrus attach --read reviewer",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && (args[0] == pair.Primary || args[0] == pair.Secondary) {
				return nil
			}
			return exactSlot(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if std.requireTerminal(os.Getenv("TERM")) != nil {
				instead := "use ferrus logs " + args[0] + " instead"
				if args[0] == pair.Primary || args[0] == pair.Secondary {
					instead = "a pair's output is in .ferrus/runs, by the id that ferrus pair --list prints"
				}
				return failure("attach needs an interactive terminal", instead)
			}
			kind := host.Writer
			if read {
				kind = host.Reader
			}
			return runAttach(cmd.Context(), std, core.SlotNamed(args[0]), kind)
		},
	}
	c.Flags().BoolVar(&read, "read", false, "attach read-only")
	return taskFlag(std, c)
}

func runAttach(ctx context.Context, std *streams, slot core.Slot, kind string) error {
	command := "attach"
	if kind == host.Reader {
		command = "attach --read" // it only looks
	}
	pr, err := std.chosenAsHuman(command)
	if err != nil {
		return err
	}
	record, ok, err := session.ReadRecord(pr, slot)
	if err != nil {
		return err
	}
	none := failure(fmt.Sprintf("the %s has no session", slot),
		"ferrus status shows the sessions; ferrus logs "+string(slot)+" shows the output of the latest one")
	if !ok {
		return none
	}
	columns, rows, err := term.GetSize(os.Stdin.Fd())
	if err != nil {
		return fmt.Errorf("ask the terminal for its size: %w", err)
	}
	width, height := host.SessionSize(columns, rows)
	view, err := host.Dial(record, kind, width, height)
	if err != nil {
		none.hints = append(none.hints, err.Error())
		return none
	}
	defer view.Close()
	a := &attachedSession{view: view, mirror: host.NewMirror(view), out: drawnOn(std.out), slot: slot,
		typing: view.Writer, columns: columns, rows: rows, wake: make(chan struct{}, 1), ended: make(chan struct{})}
	return a.run(ctx)
}

// attachedSession is a session shown in this terminal. One goroutine reads events of
// the host, one reads keys, and one draws.
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
	notice        string // why the host refused to let us type
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

// drawLoop draws, at most 60 times a second, until the session ends or is left.
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
	columns, rows, typing, notice := a.columns, a.rows, a.typing, a.notice
	a.mu.Unlock()
	status := fmt.Sprintf(" ferrus: %s   Ctrl+] detaches", a.slot)
	if !typing {
		status += "   read-only"
	}
	if notice != "" {
		status += ": " + notice
	}
	_, _ = a.out.Write(a.mirror.Frame(columns, rows, typing, status)) // a terminal that is gone hangs up
}

// readEvents applies what the host sends.
func (a *attachedSession) readEvents() {
	defer close(a.ended)
	for {
		e, err := a.view.Next()
		if err != nil {
			return
		}
		a.mirror.Apply(e)
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
		default: // a draw is pending
		}
	}
}

// readKeys sends what is typed, until the detach key.
func (a *attachedSession) readKeys(left chan<- struct{}) {
	buf := make([]byte, 4096)
	for {
		n, err := os.Stdin.Read(buf)
		typed, _, leave := bytes.Cut(buf[:n], []byte{detachKey})
		if len(typed) > 0 && a.view.Input(typed) != nil {
			return // the session has ended; readEvents says so
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
	width, height := host.SessionSize(columns, rows)
	_ = a.view.Resize(width, height) // an ended session keeps its size
}

// exitMessage returns the line that is printed afterwards.
func (a *attachedSession) exitMessage() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	select {
	case <-a.ended:
	default:
		return fmt.Sprintf("detached; the %s keeps running", a.slot)
	}
	switch e := a.exit; {
	case e == nil:
		return fmt.Sprintf("lost the connection to the %s", a.slot)
	case e.Signal != 0:
		return fmt.Sprintf("the %s was killed by %v", a.slot, e.Signal)
	case e.Code != 0:
		return fmt.Sprintf("the %s exited with %d", a.slot, e.Code)
	}
	return fmt.Sprintf("the %s has finished", a.slot)
}
