// Package clients tries out the vendors' programs that are installed on this
// machine.
//
// [Try] runs a short task with each of them at the same time, in its own repository: the executor is the
// real program, and its model is a script on loopback (package model). The program gets its own home, so
// your login and your settings are neither used nor changed, and its vendor receives nothing. A [Result]
// says how it went.
//
// This shows that a release starts, finds ferrus's tools, asks for permission and reports its tokens. It
// does not show that you are logged in.
package clients

import (
	"context"
	"sync"
	"time"

	"ferrus/agent"
	"ferrus/agent/program"
	"ferrus/hq/core"
)

// Options say what is tried.
type Options struct {
	Ferrus string        // absolute path of this program
	Agents []string      // names of built-in agents; without its program, one is left out
	Limit  time.Duration // for all rounds together; 0: a minute
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
}

// Try runs a short task with each installed agent, and returns the results in the order of the
// names. It leaves neither files nor processes behind.
func Try(ctx context.Context, o Options) []Result {
	if o.Limit == 0 {
		o.Limit = time.Minute
	}
	ctx, stop := context.WithTimeout(ctx, o.Limit)
	defer stop()
	var found []Result
	for _, name := range o.Agents {
		if path, ok := installed(name); ok {
			found = append(found, Result{Agent: name, Program: path})
		}
	}
	var all sync.WaitGroup
	for i := range found {
		all.Go(func() { play(ctx, o.Ferrus, &found[i]) })
	}
	all.Wait()
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
