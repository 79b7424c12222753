// Package config reads ferrus.toml.
//
// Call [Load] at each use, or [Cache.Get] where the file is looked at often: the
// cache keeps the last good configuration while a person is in the middle of an
// edit. Every key has a default, so an empty file loads. What is misspelt, of the
// wrong type or senseless is an [Error] that names the file, the line and what
// would be accepted; nothing of such a file is used.
//
// Names of agents are handed in ([Names]), and so are the actions of the screen
// ([Actions]); this package knows none of them.
// [SetModel] edits one value in place and keeps comments and order.
package config

import (
	"time"

	"ferrus/machine/pair"
)

// File is the name of the configuration, at the root of a project.
const File = "ferrus.toml"

// Names are the agents that are built in. The first plays the supervisor where
// the file says nothing, the second the executor.
type Names []string

// Supervisor is the agent that plays the supervisor by default.
func (n Names) Supervisor() string { return n.at(0) }

// Executor is the agent that plays the executor by default.
func (n Names) Executor() string { return n.at(min(1, len(n)-1)) }

func (n Names) at(i int) string {
	if i < 0 || i >= len(n) {
		return ""
	}
	return n[i]
}

// Config is ferrus.toml with every default filled in.
type Config struct {
	Checks   Checks
	Limits   Limits
	Agents   Agents
	Spec     Spec
	Lease    Lease
	HQ       HQ
	Session  Session
	Pair     pair.Words // by which the agents of a pair end their turns
	Workflow Workflow
	Keys     map[string][]string // other keys for actions of the screen, by action
	Agent    map[string]Custom   // agents that are not built in, by name
}

// Checks is what the check gate runs.
type Checks struct {
	Commands    []Command
	TimeoutSecs int // of one command; 0 means none
	AllowNone   bool
	Protect     bool
}

// Command is one entry of the check commands: a string, or a table.
type Command struct {
	Name        string   // how people call it; empty: Run itself
	Run         string   // for the shell
	TimeoutSecs *int     // nil: that of all; 0 means none
	Dir         string   // below the project
	Env         []string // NAME=value, by name
}

// Timeout of one check command; 0 means none.
func (c Checks) Timeout() time.Duration { return seconds(c.TimeoutSecs) }

// Limits bound a loop that does not converge.
type Limits struct {
	MaxCheckRetries  int
	MaxReviewCycles  int
	MaxFeedbackLines int
	WaitTimeoutSecs  int
	ParkAfter        int
	MaxTaskTokens    int     // 0 means none
	MaxTaskCost      float64 // in US dollars; 0 means none
}

// WaitTimeout is how long one wait of an agent takes.
func (l Limits) WaitTimeout() time.Duration { return seconds(l.WaitTimeoutSecs) }

// Agents says where skill files are.
type Agents struct {
	Path string
	// Isolation is mcp_isolation by the table's name: written by an older
	// program, accepted, and without effect, because a launched agent sees
	// exactly one server.
	Isolation map[string]string
}

// Spec says where specifications are written.
type Spec struct{ Directory string }

// Workflow is how work that is larger than a task is published.
type Workflow struct {
	Publish []string // argv; empty: ferrus's own way
}

// Lease is how long work stays claimed.
type Lease struct {
	TTLSecs               int
	HeartbeatIntervalSecs int
}

// TTL is how long a claim holds without a renewal.
func (l Lease) TTL() time.Duration { return seconds(l.TTLSecs) }

// HQ is who plays which role, and how.
type HQ struct {
	Supervisor RoleConfig
	Executor   RoleConfig
	Unattended bool
	Notify     string // auto, bell, off
	Workspace  string // here, worktree

	CarryChanges     bool      // into a work tree
	Setup            []Command // of a work tree
	SetupTimeoutSecs int       // of one of them; 0 means none
}

// Worktree reports whether each task gets a work tree of its own.
func (h HQ) Worktree() bool { return h.Workspace == "worktree" }

// RoleConfig is the agent of one role.
type RoleConfig struct {
	Agent       string
	Model       string // empty: the agent's own default
	Interactive bool
	Permissions string
}

// Bypass reports whether the agent's own permission checks are off.
func (p RoleConfig) Bypass() bool { return p.Permissions == "bypass" }

// Session bounds the lives of one agent.
type Session struct {
	MaxConsecutiveErrors int
	MaxTotalErrors       int
	GraceSecs            int
	MinUptimeSecs        int
	TimeoutSecs          int // of a whole session; 0 means none
	IdleSecs             int
}

// Grace is how long an agent has to end by itself.
func (s Session) Grace() time.Duration { return seconds(s.GraceSecs) }

// MinUptime is how long an agent that made no call must live to count as started.
func (s Session) MinUptime() time.Duration { return seconds(s.MinUptimeSecs) }

// Timeout of a whole session; 0 means none.
func (s Session) Timeout() time.Duration { return seconds(s.TimeoutSecs) }

// Idle is how long an interactive agent may stay silent with no call in flight.
func (s Session) Idle() time.Duration { return seconds(s.IdleSecs) }

// Custom is the command line of an agent that is not built in.
type Custom struct {
	Command            []string
	InteractiveCommand []string
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }
