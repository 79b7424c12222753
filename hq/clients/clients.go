// Package clients tries out the vendors' programs that are installed on this
// machine.
//
// [Try] runs a short task with each of them, several at the same time, each in its own repository: the
// executor is the real program, and its model is a script on loopback (package model). The program gets its
// own home, so your login and your settings are neither used nor changed, and its vendor receives nothing. A
// [Result] says how it went.
//
// This shows that a release starts, finds ferrus's tools, asks for permission and reports its tokens. It
// does not show that you are logged in.
package clients

import (
	"cmp"
	"context"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"ferrus/agent"
	"ferrus/agent/program"
	"ferrus/hq/core"
)

// Options say what is tried.
type Options struct {
	Ferrus string                // absolute path of this program
	Agents []string              // names of built-in agents; without its program, one is left out
	Limit  time.Duration         // for a round without a call to the model; 0: a minute. See watchdog.
	Began  func(agents []string) // called with the installed agents, before the first round
}

// Permission is what became of the question that a round has the client ask.
type Permission string

// The outcomes. A client of the last kind works within what its command line allows.
const (
	Asks   Permission = "asks"         // and continued with the answer
	Silent Permission = "does not ask" // it did the task without a question
	Unseen Permission = ""             // the round did not come so far
)

// Result is what a round with one client showed.
type Result struct {
	Agent      string      `json:"agent"`
	Program    string      `json:"program"`           // its path
	Version    string      `json:"version,omitempty"` // as it says
	Sandbox    string      `json:"sandbox,omitempty"` // what it ran in, in words
	FirstCall  float64     `json:"first_call_s"`      // seconds from its start to its first call; 0: none came
	Works      bool        `json:"works"`             // it took the task, did it and submitted it
	Permission Permission  `json:"permission"`
	Usage      *core.Usage `json:"usage"`             // null: it did not report its tokens
	Took       float64     `json:"took_s"`            // seconds
	Failure    string      `json:"failure,omitempty"` // why it does not work
	Slow       bool        `json:"slow,omitempty"`    // it was cut off on a busy machine, so it may work
}

// Try runs a short task with each installed agent, and returns the results in the order of the
// names. Not more rounds run at the same time than there are processors, because a start takes nothing
// else. It leaves neither files nor processes behind.
func Try(ctx context.Context, o Options) []Result {
	o.Limit = cmp.Or(o.Limit, time.Minute)
	var found []Result
	var names []string
	for _, name := range o.Agents {
		if path, ok := installed(name); ok {
			found, names = append(found, Result{Agent: name, Program: path}), append(names, name)
		}
	}
	if o.Began != nil {
		o.Began(names)
	}
	var all errgroup.Group
	all.SetLimit(max(2, runtime.NumCPU()))
	for i := range found {
		all.Go(func() error {
			play(ctx, o, &found[i])
			return nil // the result says what failed
		})
	}
	_ = all.Wait() // see above
	return found
}

// installed returns the path of a vendor's program.
func installed(name string) (path string, ok bool) {
	if _, known := agent.TrialOf(name, "/", "", "/"); !known {
		return "", false
	}
	a, err := agent.Lookup(name, nil)
	if err != nil {
		return "", false
	}
	path, err = program.Find(a.Binary())
	return path, err == nil
}
