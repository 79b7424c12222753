// Package appserver adapts a program that speaks the app-server protocol (JSON-RPC on its standard streams)
// to the Agent Client Protocol. Without a screen, such a program asks for permission only over the
// app-server protocol.
//
// [Run] starts the program, reads the client's messages from one stream and writes to the other, until the
// client closes its stream or the program ends. It decides nothing: the client answers what the program asks.
// It holds one conversation at a time. MCP servers come from the program's own configuration; servers that
// the client names are not passed on.
//
// The program is not trusted. A message that is too long ends the conversation, one of an unknown kind is
// dropped, and a request that cannot be shown to the client is declined.
package appserver

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// Options are a program and how it is to work.
type Options struct {
	Command  []string // of the program, with its arguments
	Approval string   // its approval policy, in its words
	Sandbox  string   // its own sandbox, in its words
	Model    string   // empty: its default
	Version  string   // of this program
	In       io.Reader
	Out      io.Writer
	Log      io.Writer // gets what the program logs
}

// maxMessage bounds a message in bytes.
const maxMessage = 64 << 20

// message is a request, a notification or a response of either side.
type message struct {
	JSONRPC string          `json:"jsonrpc,omitempty"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// noMethod is the error of JSON-RPC for a request that is not known.
const noMethod = -32601

// received is a message with the side that it comes from; its result is not decoded yet.
type received struct {
	fromProgram bool
	ID          json.RawMessage
	Method      string
	Params      json.RawMessage
	Result      json.RawMessage
	Error       *rpcError
}

// Run holds a conversation. It returns when a side has closed its stream, and leaves no process behind.
func Run(ctx context.Context, o Options) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	program := exec.CommandContext(ctx, o.Command[0], o.Command[1:]...)
	output := &lastLine{to: o.Log}
	program.Stderr, program.WaitDelay = output, time.Second
	in, err := program.StdinPipe()
	if err != nil {
		return err
	}
	out, err := program.StdoutPipe()
	if err != nil {
		return err
	}
	if err := program.Start(); err != nil {
		return fmt.Errorf("start %s: %w", o.Command[0], err)
	}
	defer program.Wait() //nolint:errcheck // it is ended, or has said why
	defer in.Close()
	defer stop()
	b := &bridge{Options: o, program: in, waiting: map[string]func(json.RawMessage, *rpcError){},
		asked: map[string]question{}, items: map[string]item{}}
	all := make(chan received)
	ended := make(chan error, 2)
	go read(ctx, o.In, nil, all, ended)
	go read(ctx, out, output, all, ended)
	for {
		select {
		case m := <-all:
			b.handle(m)
		case err := <-ended:
			if errors.Is(err, errProgramEnded) {
				_ = program.Wait() // all that it had to say is there then
				err = fmt.Errorf("%s has ended: %s", filepath.Base(o.Command[0]),
					cmp.Or(output.read(), program.ProcessState.String()))
			}
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// errProgramEnded ends the conversation.
var errProgramEnded = errors.New("the program has ended")

// read passes messages on until their stream ends. Lines that are none go to others, which a program has.
func read(ctx context.Context, from io.Reader, others io.Writer, all chan<- received, ended chan<- error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxMessage)
	for lines.Scan() {
		var m received
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			if others != nil {
				fmt.Fprintf(others, "%s\n", lines.Bytes())
			}
			continue
		}
		m.fromProgram = others != nil
		select {
		case all <- m:
		case <-ctx.Done():
			return
		}
	}
	err := lines.Err()
	if err == nil && others != nil {
		err = errProgramEnded
	}
	ended <- err
}

// lastLine passes on what is written to it, and keeps the last line that says something.
type lastLine struct {
	to io.Writer

	mu   sync.Mutex // guards last
	last string
}

// maxLastLine bounds the line that is kept, in bytes.
const maxLastLine = 1 << 10

func (l *lastLine) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range bytes.Lines(b) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			l.last = string(line[:min(len(line), maxLastLine)])
		}
	}
	return l.to.Write(b)
}

func (l *lastLine) read() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// send writes a message. A side that reads nothing more ends in some other way.
func send(to io.Writer, m message) {
	line, err := json.Marshal(m)
	if err != nil {
		panic(err) // texts, numbers and what was decoded
	}
	_, _ = to.Write(append(line, '\n'))
}
