// Package config reads ferrus.toml.
//
// Call [Load] at each use, or [Cache.Get] if the file is read often: the cache keeps
// the last valid configuration while you are editing. Every key has a default, so an
// empty file is valid. A misspelled key or an invalid value is an [Error] that names
// the file, the line and what is accepted; no value of such a file is used.
//
// The callers pass the names of agents ([Names]) and the actions of HQ's keys
// ([Actions]); this package knows neither. [SetModel] edits one value in place and
// keeps comments and order.
package config

import (
	"time"

	"ferrus/checks"
	"ferrus/machine/pair"
)

// File is the name of the configuration, at the root of a project.
const File = "ferrus.toml"

// Names are the built-in agents. The first is the default supervisor, the second the
// default executor.
type Names []string

// Supervisor returns the default supervisor.
func (n Names) Supervisor() string { return n.get(0) }

// Executor returns the default executor.
func (n Names) Executor() string { return n.get(min(1, len(n)-1)) }

func (n Names) get(i int) string {
	if i < 0 || i >= len(n) {
		return ""
	}
	return n[i]
}

// Config is ferrus.toml with every default filled in. It has more than 12 fields because
// the file has as many tables.
type Config struct {
	Checks   Checks
	Limits   Limits
	Merge    Merge
	Agents   Agents
	Spec     Spec
	Lease    Lease
	HQ       HQ
	Session  Session
	Pair     pair.Words // words that end the turns of a pair
	Workflow Workflow
	Sandbox  Sandbox
	Keys     map[string][]string // keys of HQ's actions, by action
	Agent    map[string]Custom   // custom agents, by name
	MCP      map[string]string   // keep or only, by the name of a built-in agent; without one: keep
	Worker   map[string]Worker   // other machines that run sessions, by name
	Workers  Workers
	Sessions map[string]int // tasks that may use an agent at the same time, by its name; 0: any number
	Origin
}

// Origin is what a [Cache] knows of the file besides its values.
type Origin struct {
	Hash     string   // of the file
	Widening []string // what the file makes run or allows, beside the commands of checks and setup; one line each
}

// Checks is what the check gate runs.
type Checks struct {
	Commands    []checks.Command
	TimeoutSecs int // of one command; 0 means none
	AllowNone   bool
	Protect     bool
	Setup       []checks.Command // empty: HQ's variables
	Quick       []checks.Command // instead of Commands at check; empty: Commands
	Key         []string         // patterns of the files that setup depends on
	Env         []string         // NAME or NAME=value

	Network, SetupNetwork string // open, none
}

// Timeout returns the time limit of one check command; 0 means none.
func (c Checks) Timeout() time.Duration { return seconds(c.TimeoutSecs) }

// Sandbox is what programs inside may reach, beside what they need.
type Sandbox struct {
	Mode    string // auto, require, off
	Network string // open, proxy
	Hosts   []string
	Ports   []string
	Write   []string
	Read    []string
	Sockets []string
	Devices []string
}

// Limits end a loop that does not converge.
type Limits struct {
	MaxCheckRetries  int
	MaxReviewCycles  int
	MaxFeedbackLines int
	WaitTimeoutSecs  int
	ParkAfter        int
	MaxTaskTokens    int     // 0 means none
	MaxTaskCost      float64 // in US dollars; 0 means none
	Queue
}

// Queue limits what the tasks of a project use together.
type Queue struct {
	MaxParallelTasks int
	MaxParallelGates int
	MinFreeMemoryMB  int     // 0 means none
	MaxQueueTokens   int     // 0 means none
	MaxQueueCost     float64 // in US dollars; 0 means none
}

// WaitTimeout returns how long one wait of an agent takes at most.
func (l Limits) WaitTimeout() time.Duration { return seconds(l.WaitTimeoutSecs) }

// Merge says how approved work comes to its branch.
type Merge struct {
	Batch   int
	Auto    bool
	Follow  bool
	Message string // of the commit; empty: title and summary
	Union   []string
	Hooks   bool // hooks for commit messages run
	Mode    string
	Publish []string // argv that speaks to the forge; empty: gh
	Gate    string   // label of the workers on which its checks run; empty: here
}

// ByPull reports whether approved work lands by a pull request.
func (m Merge) ByPull() bool { return m.Mode == "pr" }

// Agents says where skill files are.
type Agents struct {
	Path string
	// Isolation is mcp_isolation by the name of its table. Older versions wrote it; it has
	// no effect: see MCP.
	Isolation map[string]string
}

// Spec says where specs are written.
type Spec struct{ Directory string }

// Workflow says how workflows publish.
type Workflow struct {
	Publish []string // argv; empty: gh, or a branch
}

// Lease says how long a lease is valid.
type Lease struct {
	TTLSecs               int
	HeartbeatIntervalSecs int
}

// TTL returns how long a lease is valid without a renewal.
func (l Lease) TTL() time.Duration { return seconds(l.TTLSecs) }

// HQ says which agent has which role, and how it runs.
type HQ struct {
	Supervisor RoleConfig
	Executor   RoleConfig
	Unattended bool
	Talk       bool   // plain text goes to an agent at once
	KeyPreset  string // how the prompt edits: readline or vi
	Workspace  string // here, worktree
	Notify     Notify // of what needs you
	Theme      string
	Colors     map[string]string // instead of the theme's, by name

	Worktrees
}

// Worktrees says how worktrees are made and removed.
type Worktrees struct {
	CarryChanges     bool             // into a new one
	Clone            []string         // ignored files that a new one gets
	Setup            []checks.Command // of a new one
	Teardown         []checks.Command // of one that is removed
	SetupTimeoutSecs int              // of one setup or teardown command; 0 means none
	DeferAfter       time.Duration    // how long a task waits for you before it gives its turn up
}

// Notify says how you are notified of what needs you.
type Notify struct {
	Terminal string        // auto, bell, off
	OnNeed   []string      // argv of a command that does it away from the screen; empty: none
	After    time.Duration // how long a need waits before OnNeed is run
}

// Worktree reports whether each task gets its own worktree.
func (h HQ) Worktree() bool { return h.Workspace == "worktree" }

// RoleConfig is the agent of one role.
type RoleConfig struct {
	Agent       string
	Model       string // empty: the agent's own default
	Interactive bool
	Permissions string
	Fallback    []string // agents that continue a task, in this order, when an agent has hit its usage limit
}

// Bypass reports whether the agent's own permission checks are off.
func (p RoleConfig) Bypass() bool { return p.Permissions == "bypass" }

// Asks reports whether the human is asked also where walls hold the agent.
func (p RoleConfig) Asks() bool { return p.Permissions == "ask" }

// Session limits the sessions of one agent.
type Session struct {
	MaxConsecutiveErrors int
	MaxTotalErrors       int
	GraceSecs            int
	MinUptimeSecs        int
	TimeoutSecs          int // of a whole session; 0 means none
	IdleSecs             int
}

// Grace returns how long an agent has to exit before it is killed.
func (s Session) Grace() time.Duration { return seconds(s.GraceSecs) }

// MinUptime returns the uptime after which an agent without a call counts as started.
func (s Session) MinUptime() time.Duration { return seconds(s.MinUptimeSecs) }

// Timeout returns the time limit of a session; 0 means none.
func (s Session) Timeout() time.Duration { return seconds(s.TimeoutSecs) }

// Idle returns how long an interactive agent may be silent without a call in flight.
func (s Session) Idle() time.Duration { return seconds(s.IdleSecs) }

// Worker is another machine that runs the sessions of whole tasks.
type Worker struct {
	SSH      string        // destination of your ssh
	Slots    int           // tasks that it takes at the same time
	Labels   []string      // what tasks can need
	Patience time.Duration // how long its sessions continue without a connection
}

// Workers says where workers that are not named announce themselves.
type Workers struct {
	NATS     string        // URLs of a NATS server or cluster; empty: there are none
	Creds    string        // the file of your login there; empty: none
	CA       string        // the file with the certificates of its authority; empty: the system's
	Join     []string      // who may join HQ over that server: user@host
	Patience time.Duration // see Worker
}

// Custom is the command line of a custom agent.
type Custom struct {
	Command            []string
	InteractiveCommand []string
	ACP                []string // speaks the Agent Client Protocol
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }
