// Package appserver has a program that speaks the app-server protocol, JSON-RPC on its standard streams, take part
// as an agent of the Agent Client Protocol: it asks for permission there, and nowhere else without a screen.
//
// [Run] starts the program, reads the client's messages from one stream and writes to the other, until the client
// closes its stream or the program ends. It decides nothing: what the program asks for, the client answers. One
// conversation at a time is held. MCP servers are the program's own configuration; servers that the client names are
// not passed on.
//
// The program is not trusted. A message that is too long ends the conversation, one of an unknown kind is left out,
// and a request that cannot be shown to the client is declined.
package appserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
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
	program.Stderr = o.Log
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
	go read(ctx, o.In, false, all, ended)
	go read(ctx, out, true, all, ended)
	for {
		select {
		case m := <-all:
			b.handle(m)
		case err := <-ended:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// read passes messages on until their stream ends. Lines that are none are left out.
func read(ctx context.Context, from io.Reader, program bool, all chan<- received, ended chan<- error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxMessage)
	for lines.Scan() {
		var m received
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			continue
		}
		m.fromProgram = program
		select {
		case all <- m:
		case <-ctx.Done():
			return
		}
	}
	err := lines.Err()
	if err == nil && program {
		err = errors.New("the program has ended")
	}
	ended <- err
}

// send writes a message. A side that reads nothing more ends in some other way.
func send(to io.Writer, m message) {
	line, err := json.Marshal(m)
	if err != nil {
		panic(err) // texts, numbers and what was decoded
	}
	_, _ = to.Write(append(line, '\n'))
}
