// Package gateview has what is visible of a check gate while it runs and after it has ended.
//
// A runner reports to a [Watch], and readers take a [View] of it, each from any goroutine. [Recalled] makes the view of
// a gate that is only on record. It runs no command and decides nothing.
package gateview

import (
	"time"

	"ferrus/checks"
)

// View is the check gate as it runs, or as it ended. It has more than 12 fields because it is all
// that HQ shows of a gate.
type View struct {
	Of      string // what it is the gate of: setup, landing; empty: a check
	Ticket  uint64
	Attempt int
	Running bool
	Ahead   int // gates of other tasks that run before it
	Verdict checks.Verdict
	Why     string
	Started time.Time
	Took    time.Duration
	Setup   []Row // the setup commands, while they run before the others
	Rows    []Row
	Lines   []string // the newest output, without escape sequences
	Log     string
	// Untrusted are check commands that are not trusted on this machine.
	Untrusted []string
	// FeedbackLines is how many lines of output an agent gets of the failed commands.
	FeedbackLines int
}

// Row is one check command.
type Row struct {
	Command string
	Status  Status
	Detail  string // the most telling line
	Took    time.Duration
	Started time.Time     // while it runs
	Last    time.Duration // how long it took in the previous gate; 0: it did not run there
	Tail    []string      // the end of its output, once it has ended
}

// Status is the status of a check command; empty before its turn.
type Status string

// The statuses of check commands.
const (
	Running Status = "running"
	OK      Status = "ok"
	Fail    Status = "FAIL"
	Timeout Status = "TIMEOUT"
)
