// Package gate runs the check gate of a project.
//
// A gate is something that should be going on, not a call: the state says that
// Checking runs under a ticket, and whoever holds run/gate.lock carries that
// ticket out. A conductor calls [Run]; a server or a command calls [Ensure],
// which starts a detached runner where there is no conductor, and [Wait], which
// returns with the ticket's verdict or when its time is over. A call that ends
// never ends a gate.
//
// A runner that dies is found by the next one: its processes are ended and the
// same ticket is run again, twice at most; then the gate is cancelled as lost.
package gate

import (
	"context"
	"errors"
	"time"

	"ferrus/checks"
	"ferrus/hq"
	"ferrus/hq/project"
	"ferrus/store"
)

// Options are what a caller of [Run] may choose.
type Options struct {
	Progress func(checks.Progress) // nil: nobody looks
}

// Record is checks/<ticket>.json: what a gate did. It is there before the state
// has the verdict.
type Record struct {
	Ticket  uint64 `json:"ticket"`
	Attempt int    `json:"attempt"`
	Task    string `json:"task"`
	Log     string `json:"log"`    // below the project directory
	Report  string `json:"report"` // for the agent, bounded
	checks.Record
}

// Run runs a ticket and commits its verdict. It returns nil when there is
// nothing to run any more, and *store.Held when another process runs it. When
// ctx ends the commands are ended and the gate stays to be run.
func Run(ctx context.Context, p *project.Project, ticket uint64, o Options) error {
	return errors.New("gate: not built yet")
}

// Ensure starts a detached runner when the state says that a gate runs and
// neither a conductor nor a runner is there.
func Ensure(p *project.Project) error { return errors.New("gate: not built yet") }

// Wait returns when the ticket has its verdict (done), or after wait with what
// is known. Progress gets the newest lines of output as they change.
func Wait(ctx context.Context, p *project.Project, ticket uint64, wait time.Duration, progress func(lines string)) (state store.State[hq.World], done bool, err error) {
	return state, false, errors.New("gate: not built yet")
}

// Read is the record of a ticket that has a verdict; fs.ErrNotExist before.
func Read(p *project.Project, ticket uint64) (Record, error) {
	return Record{}, errors.New("gate: not built yet")
}

// LastLines are the newest lines that the running gate's commands wrote.
func LastLines(p *project.Project, n int) string { return "" }
