// Package demo is the built-in agents and the repository they work on.
//
// [Scaffold] makes a throw-away git repository with a small Go module. [Agent]
// plays one role in it: like any vendor's CLI it reaches ferrus only through a
// `ferrus serve` that it starts itself, and knows nothing but what tools answer
// and what files say, so one that was killed goes on where it was. What the
// agents write is scripted; the check commands, the repository and the loop are
// real.
package demo

import (
	"context"
	"errors"
	"io"
	"time"
)

// Text is the task of the demo, in words a person would use.
const Text = ""

// Answer is what a person who watches would say to the executor's question.
const Answer = ""

// Options say which part an agent plays and where.
type Options struct {
	Role, Mode string
	Name       string // last but one part of the agent id: demo
	Index      int
	Project    string        // absolute directory
	Nonce      string        // of this session
	Ferrus     string        // program to start as `serve`; empty: this one
	WaitSecs   int           // bound of one wait; 0: what the server says
	Speed      time.Duration // how long each step takes; 0: no waiting
	Out        io.Writer
}

// Agent plays a role until its part is done, ctx ends or a tool fails.
func Agent(ctx context.Context, o Options) error { return errors.New("demo agent: not built yet") }

// Scaffold makes the repository at dir; one that is there already is left as it is.
func Scaffold(dir string) error { return errors.New("scaffold: not built yet") }
