package cli

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"ferrus/agent"
)

// promptReader is the terminal of a dialog with an agent that has no screen of its own: it renders
// events, and reads a line for each turn, which the terminal itself lets you edit.
type promptReader struct {
	out        io.Writer
	lines      chan string // closed at the end of the input
	interrupts chan struct{}
	signals    chan os.Signal

	mu       sync.Mutex // guards the rest
	renderer agent.Renderer
	waiting  bool // for a prompt
}

func newPromptReader(std *streams, r agent.Renderer) *promptReader {
	p := &promptReader{out: drawnOn(std.out), lines: make(chan string), interrupts: make(chan struct{}, 1),
		signals: make(chan os.Signal, 1), renderer: r}
	signal.Notify(p.signals, syscall.SIGINT)
	go p.watch()
	go p.read(std.in)
	return p
}

func (p *promptReader) close() {
	signal.Stop(p.signals)
	close(p.signals)
}

// watch cancels the turn that runs at Ctrl+C.
func (p *promptReader) watch() {
	for range p.signals {
		p.mu.Lock()
		waiting := p.waiting
		p.mu.Unlock()
		if waiting {
			fmt.Fprint(p.out, "\r\nno turn is running; Ctrl+D or /quit ends the session\r\n> ")
			continue
		}
		select {
		case p.interrupts <- struct{}{}:
		default: // it is being cancelled
		}
	}
}

func (p *promptReader) read(in io.Reader) {
	defer close(p.lines)
	for all := bufio.NewScanner(in); all.Scan(); {
		p.lines <- all.Text()
	}
}

// next asks for the prompt of the next turn.
func (p *promptReader) next(ctx context.Context) (string, bool) {
	p.setWaiting(true)
	defer p.setWaiting(false)
	agent.NoteTurnEnd()
	defer agent.NoteTurn()
	for {
		fmt.Fprint(p.out, "\r\n> ")
		select {
		case line, ok := <-p.lines:
			switch line = strings.TrimSpace(line); {
			case !ok, line == "/quit", line == "/exit":
				return "", false
			case line != "":
				return line, true
			}
		case <-ctx.Done():
			return "", false
		}
	}
}

func (p *promptReader) setWaiting(waiting bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting = waiting
	select {
	case <-p.interrupts: // it was for a turn that has ended
	default:
	}
}

// Write renders events, each a line.
func (p *promptReader) Write(events []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for line := range bytes.Lines(events) {
		if _, err := p.out.Write(p.renderer.Render(bytes.TrimSpace(line))); err != nil {
			return 0, err
		}
	}
	return len(events), nil
}
