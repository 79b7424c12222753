package config

import (
	"time"

	"ferrus/machine/pair"

	"ferrus/checks"
)

// Key is one key of ferrus.toml: its text in the guide and the template, and how a value
// gets into a [Config].
type Key struct {
	Name    string // limits.max_check_retries; * stands for a name of your choice
	Default string // as written in TOML
	Help    string
	set     func(c *Config, name string, value any) error // name is what stood for *
}

// Keys returns every key, in the order of the template.
func Keys() []Key { return schema }

// maxNumber is the largest number accepted: three decades, in seconds.
const maxNumber = 1_000_000_000

var schema = []Key{
	{"checks.commands", "[]",
		"commands of the check gate; run in order, all must exit with 0; each is a string or a table { name, " +
			"run, timeout_secs, dir, env }",
		commandList(func(c *Config) *[]checks.Command { return &c.Checks.Commands })},
	{"checks.quick", "[]",
		"commands that run at check instead of checks.commands, which all run at submit; written like " +
			"checks.commands; empty means checks.commands",
		commandList(func(c *Config) *[]checks.Command { return &c.Checks.Quick })},
	{"checks.timeout_secs", "1800",
		"time limit of one command; 0 means none",
		intSetter(0, func(c *Config) *int { return &c.Checks.TimeoutSecs })},
	{"checks.allow_none", "false",
		"a gate without commands passes as UNPROVEN",
		boolSetter(func(c *Config) *bool { return &c.Checks.AllowNone })},
	{"checks.setup", "[]",
		"commands that create ignored files the checks need, such as node_modules, in the gate's copy; " +
			"written like checks.commands; empty means hq.setup",
		commandList(func(c *Config) *[]checks.Command { return &c.Checks.Setup })},
	{"checks.key", "[]",
		"files that setup depends on, as names or patterns; setup runs again when one of them changes; empty " +
			"means the lock files of package managers",
		checkedList(func(c *Config) *[]string { return &c.Checks.Key }, isPattern)},
	{"checks.env", "[]",
		"additional variables for the gate: NAME passes your value, NAME=value sets one",
		checkedList(func(c *Config) *[]string { return &c.Checks.Env }, isVariable)},
	{"checks.protect", "true",
		"only you can approve a change to what the checks depend on, or one that weakens tests",
		boolSetter(func(c *Config) *bool { return &c.Checks.Protect })},

	{"checks.network", `"open"`,
		"network of check commands: \"open\" is your network, \"proxy\" reaches package registries and " +
			"sandbox.hosts, \"none\" only their own loopback; the last two need namespace walls",
		oneOf(func(c *Config) *string { return &c.Checks.Network }, "open", "proxy", "none")},
	{"checks.setup_network", `"open"`,
		"the same for setup commands",
		oneOf(func(c *Config) *string { return &c.Checks.SetupNetwork }, "open", "proxy", "none")},

	{"sandbox.mode", `"auto"`,
		"\"auto\" uses the strongest walls that work on this machine and says why they are not stronger, " +
			"\"require\" runs nothing without namespace walls, \"off\" uses no walls",
		oneOf(func(c *Config) *string { return &c.Sandbox.Mode }, "auto", "require", "off")},
	{"sandbox.network", `"proxy"`,
		"network of agents: \"proxy\" reaches what the agent needs, package registries and sandbox.hosts, and asks " +
			"you about others (without namespace walls it is \"open\"); \"open\" is your network",
		oneOf(func(c *Config) *string { return &c.Sandbox.Network }, "open", "proxy")},
	{"sandbox.hosts", "[]",
		"hosts that \"proxy\" permits: example.com, *.example.com for its subdomains, * for all; " +
			"example.com:8443 for a port other than 80 and 443",
		checkedList(func(c *Config) *[]string { return &c.Sandbox.Hosts }, isHost)},
	{"sandbox.ports", "[]",
		"private services that \"proxy\" permits: \"5432\" is a port of your loopback, available at the same port " +
			"inside; db.example.com:5432 may have a private address",
		checkedList(func(c *Config) *[]string { return &c.Sandbox.Ports }, isPort)},
	{"sandbox.write", "[]",
		"additional directories that programs inside can change; absolute, or starting with ~/",
		checkedList(func(c *Config) *[]string { return &c.Sandbox.Write }, isOutside)},
	{"sandbox.read", "[]",
		"additional files and directories that programs inside can read",
		checkedList(func(c *Config) *[]string { return &c.Sandbox.Read }, isOutside)},
	{"sandbox.sockets", "[]",
		"Unix sockets outside that programs inside can connect to, such as /run/postgresql/.s.PGSQL.5432",
		checkedList(func(c *Config) *[]string { return &c.Sandbox.Sockets }, isOutside)},
	{"sandbox.devices", "[]",
		"devices that programs inside can use, such as /dev/kvm",
		checkedList(func(c *Config) *[]string { return &c.Sandbox.Devices }, isDevice)},

	{"limits.max_check_retries", "20",
		"consecutive failed checks before the task is Failed",
		intSetter(1, func(c *Config) *int { return &c.Limits.MaxCheckRetries })},
	{"limits.max_review_cycles", "3",
		"rejections before the task is Failed",
		intSetter(1, func(c *Config) *int { return &c.Limits.MaxReviewCycles })},
	{"limits.max_feedback_lines", "30",
		"lines of output that the agent gets, for all failed commands together",
		intSetter(0, func(c *Config) *int { return &c.Limits.MaxFeedbackLines })},
	{"limits.wait_timeout_secs", "60",
		"longest time that one wait_* call waits before the agent calls again",
		intSetter(0, func(c *Config) *int { return &c.Limits.WaitTimeoutSecs })},
	{"limits.park_after", "2",
		"timed-out waits before a session is stopped, to be started again later",
		intSetter(1, func(c *Config) *int { return &c.Limits.ParkAfter })},
	{"limits.max_task_tokens", "0",
		"token budget of a task; you are asked each time it is used up; 0 means no limit",
		intSetter(0, func(c *Config) *int { return &c.Limits.MaxTaskTokens })},
	{"limits.max_task_cost", "0",
		"the same in US dollars, for agents that report their cost",
		floatSetter(func(c *Config) *float64 { return &c.Limits.MaxTaskCost })},
	{"limits.max_parallel_tasks", "3",
		"tasks of the queue that run at the same time, each in its own worktree",
		intSetter(1, func(c *Config) *int { return &c.Limits.MaxParallelTasks })},
	{"limits.max_parallel_gates", "1",
		"check gates that run at the same time; merges go first, then submissions, then checks",
		intSetter(1, func(c *Config) *int { return &c.Limits.MaxParallelGates })},
	{"limits.max_queue_tokens", "0",
		"token budget of all tasks of the queue together; you are asked each time it is used up; 0 means no limit",
		intSetter(0, func(c *Config) *int { return &c.Limits.MaxQueueTokens })},
	{"limits.max_queue_cost", "0",
		"the same in US dollars, for agents that report their cost",
		floatSetter(func(c *Config) *float64 { return &c.Limits.MaxQueueCost })},
	{"limits.min_free_memory_mb", "1024",
		"megabytes of memory that must be free before another task starts beside a running one",
		intSetter(0, func(c *Config) *int { return &c.Limits.MinFreeMemoryMB })},

	{"merge.batch", "4",
		"approved tasks that are combined and checked together before the branch moves",
		intSetter(1, func(c *Config) *int { return &c.Merge.Batch })},
	{"merge.auto", "false",
		"stage approved tasks for their branch without /land",
		boolSetter(func(c *Config) *bool { return &c.Merge.Auto })},
	{"merge.follow", "false",
		"move a branch forward without /land even where you have it checked out",
		boolSetter(func(c *Config) *bool { return &c.Merge.Follow })},

	{"merge.union", "[]",
		"files in which both sides of a conflict are kept, such as \"CHANGELOG.md\"; the result is checked like " +
			"any other",
		checkedList(func(c *Config) *[]string { return &c.Merge.Union }, isPattern)},
	{"merge.gate", `""`,
		"label of the workers that run the checks of a merge, never one that did the work itself; empty means " +
			"this machine",
		label(func(c *Config) *string { return &c.Merge.Gate })},
	{"merge.message", `""`,
		"message of the commit that lands, with {title}, {summary}, {task} and {trailers}; empty means title and " +
			"summary",
		messageSetter(func(c *Config) *string { return &c.Merge.Message })},
	{"merge.mode", `"branch"`,
		"how approved work of tasks in worktrees lands: \"branch\" moves the branch through the merge queue, " +
			"\"pr\" opens a pull request for the forge to merge",
		oneOf(func(c *Config) *string { return &c.Merge.Mode }, "branch", "pr")},
	{"merge.publish", "[]",
		"argv of a command that talks to the forge with mode = \"pr\", in JSON (ferrus help landing); empty means gh",
		argument(func(c *Config) *[]string { return &c.Merge.Publish })},
	{"merge.hooks", "true",
		"run the repository's hooks prepare-commit-msg and commit-msg, in the sandbox, on the message of a commit " +
			"that lands",
		boolSetter(func(c *Config) *bool { return &c.Merge.Hooks })},

	{"agents.path", `".agents"`,
		"directory of the skill files",
		localPath(func(c *Config) *string { return &c.Agents.Path })},
	{"agents.*.mcp_isolation", `""`,
		"accepted from older versions; has no effect",
		setIsolation},

	{"spec.directory", `"docs/specs"`,
		"where /spec writes approved specs",
		localPath(func(c *Config) *string { return &c.Spec.Directory })},

	{"lease.ttl_secs", "90",
		"how long a lease is valid without a renewal",
		intSetter(1, func(c *Config) *int { return &c.Lease.TTLSecs })},
	{"lease.heartbeat_interval_secs", "30",
		"how often agents should call heartbeat",
		intSetter(1, func(c *Config) *int { return &c.Lease.HeartbeatIntervalSecs })},

	{"hq.supervisor.agent", "",
		"agent that plans and reviews",
		requiredString(func(c *Config) *string { return &c.HQ.Supervisor.Agent })},
	{"hq.supervisor.model", `""`,
		"its model; empty means the agent's default",
		modelSetter(func(c *Config) *string { return &c.HQ.Supervisor.Model })},
	{"hq.supervisor.interactive", "false",
		"show the agent's own screen in its pane (ignored by `ferrus run`)",
		boolSetter(func(c *Config) *bool { return &c.HQ.Supervisor.Interactive })},
	{"hq.supervisor.fallback", "[]",
		"agents that continue, in this order, when this agent hits its usage limit during a task",
		checkedList(func(c *Config) *[]string { return &c.HQ.Supervisor.Fallback }, isAgentName)},
	{"hq.supervisor.permissions", `"auto"`,
		"\"ask\" asks you before the agent runs a command or touches a file elsewhere, \"bypass\" never does, " +
			"and \"auto\" asks unless namespace walls hold the agent",
		oneOf(func(c *Config) *string { return &c.HQ.Supervisor.Permissions }, "auto", "ask", "bypass")},
	{"hq.executor.agent", "",
		"agent that implements",
		requiredString(func(c *Config) *string { return &c.HQ.Executor.Agent })},
	{"hq.executor.model", `""`,
		"its model; empty means the agent's default",
		modelSetter(func(c *Config) *string { return &c.HQ.Executor.Model })},
	{"hq.executor.interactive", "false",
		"show the agent's own screen in its pane (ignored by `ferrus run`)",
		boolSetter(func(c *Config) *bool { return &c.HQ.Executor.Interactive })},
	{"hq.executor.fallback", "[]",
		"agents that continue the task, in this order, when this agent hits its usage limit",
		checkedList(func(c *Config) *[]string { return &c.HQ.Executor.Fallback }, isAgentName)},
	{"hq.executor.permissions", `"auto"`,
		"\"ask\" asks you before the agent runs a command or touches a file elsewhere, \"bypass\" never does, " +
			"and \"auto\" asks unless namespace walls hold the agent",
		oneOf(func(c *Config) *string { return &c.HQ.Executor.Permissions }, "auto", "ask", "bypass")},
	{"hq.unattended", "false",
		"a supervisor may answer an executor's question for you",
		boolSetter(func(c *Config) *bool { return &c.HQ.Unattended })},
	{"hq.talk", "false",
		"plain text at HQ's prompt goes to the working agent at the first Enter instead of the second",
		boolSetter(func(c *Config) *bool { return &c.HQ.Talk })},
	{"hq.notify", `"auto"`,
		"how HQ notifies you while its terminal has no focus: \"auto\" (the bell, and a notification if the " +
			"terminal supports it), \"bell\" or \"off\"",
		oneOf(func(c *Config) *string { return &c.HQ.Notify.Terminal }, "auto", "bell", "off")},
	{"hq.on_need", "[]",
		"argv of a command that notifies you elsewhere when something needs you, once per need: it gets the " +
			"need as JSON on standard input, runs outside the sandbox, and must not be a file in the project",
		argument(func(c *Config) *[]string { return &c.HQ.Notify.OnNeed })},
	{"hq.on_need_after", `"0s"`,
		"how long a need waits for you before on_need is run, such as \"90s\" or \"10m\"",
		durationSetter(func(c *Config) *time.Duration { return &c.HQ.Notify.After })},
	{"hq.theme", `"ferrus"`,
		"HQ's colors: \"ferrus\", \"nord\", \"gruvbox\", \"contrast\", or \"terminal\" for your terminal's own " +
			"sixteen colors; each suits dark and light backgrounds",
		oneOf(func(c *Config) *string { return &c.HQ.Theme }, Themes...)},
	{"hq.colors.*", "",
		"your own accent, success, warning, error, faint or border color: \"#88c0d0\", or a number from 0 to 255",
		setColor},
	{"hq.workspace", `"here"`,
		"where agents work: \"worktree\" gives each task a git worktree, \"here\" is your checkout, for one task " +
			"at a time; ferrus init writes \"worktree\" if there is a commit",
		oneOf(func(c *Config) *string { return &c.HQ.Workspace }, "here", "worktree")},
	{"hq.carry_changes", "false",
		"copy uncommitted changes into a new worktree",
		boolSetter(func(c *Config) *bool { return &c.HQ.CarryChanges })},
	{"hq.setup", "[]",
		"commands that prepare a new worktree before an agent starts in it; written like checks.commands",
		commandList(func(c *Config) *[]checks.Command { return &c.HQ.Setup })},
	{"hq.clone", "[]",
		"ignored files and directories of your checkout that a new worktree gets, such as \"node_modules\"; " +
			"on file systems that share blocks between files, that takes no space",
		checkedList(func(c *Config) *[]string { return &c.HQ.Clone }, isInside)},
	{"hq.teardown", "[]",
		"commands that run in a worktree before it is removed, such as one that drops its database; written " +
			"like checks.commands",
		commandList(func(c *Config) *[]checks.Command { return &c.HQ.Teardown })},
	{"hq.defer_after", `"30m"`,
		"how long a task waits for you before another one gets its turn, such as \"10m\"; it is first in line " +
			"when you answer",
		durationSetter(func(c *Config) *time.Duration { return &c.HQ.DeferAfter })},
	{"hq.setup_timeout_secs", "600",
		"time limit of one setup or teardown command; 0 means none",
		intSetter(0, func(c *Config) *int { return &c.HQ.SetupTimeoutSecs })},

	{"session.max_consecutive_errors", "5",
		"errors in a row before a slot stops",
		intSetter(1, func(c *Config) *int { return &c.Session.MaxConsecutiveErrors })},
	{"session.max_total_errors", "20",
		"errors in total before a slot stops",
		intSetter(1, func(c *Config) *int { return &c.Session.MaxTotalErrors })},
	{"session.grace_secs", "5",
		"time an agent has to exit before it is killed",
		intSetter(0, func(c *Config) *int { return &c.Session.GraceSecs })},
	{"session.min_uptime_secs", "5",
		"uptime after which an agent counts as started",
		intSetter(0, func(c *Config) *int { return &c.Session.MinUptimeSecs })},
	{"session.timeout_secs", "0",
		"time limit of a session; 0 means none",
		intSetter(0, func(c *Config) *int { return &c.Session.TimeoutSecs })},
	{"session.idle_secs", "120",
		"silence after which an interactive session counts as ended",
		intSetter(1, func(c *Config) *int { return &c.Session.IdleSecs })},

	{"pair.done", `"DONE"`,
		"word that ends the work of a pair's primary; the four words must differ",
		requiredString(func(c *Config) *string { return &c.Pair.Done })},
	{"pair.pass", `"PASS"`,
		"word that an agent of a pair approves with",
		requiredString(func(c *Config) *string { return &c.Pair.Pass })},
	{"pair.rework", `"REWORK"`,
		"word that a pair's reviewer sends the work back with",
		requiredString(func(c *Config) *string { return &c.Pair.Rework })},
	{"pair.fail", `"FAIL"`,
		"word that an agent of a pair fails the run with",
		requiredString(func(c *Config) *string { return &c.Pair.Fail })},

	{"workflow.publish", "[]",
		"argv that publishes a workflow: {branch} {commit} {base} {title} {summary} {id}; its last line of " +
			"output names what it published; empty means gh pr create if there is a GitHub remote, else the " +
			"branch and a summary",
		argument(func(c *Config) *[]string { return &c.Workflow.Publish })},

	{"keys.preset", `"readline"`,
		"the prompt's editing keys: \"readline\", or \"vi\" with insert and normal mode",
		oneOf(func(c *Config) *string { return &c.HQ.KeyPreset }, "readline", "vi")},
	{"keys.*", "",
		"a key for an action of HQ, or a list of keys, such as leave = \"ctrl+g\"; replaces the default",
		setKeys},

	{"agent.*.command", "",
		"argv of your own agent: {prompt} {model} {mcp_config} {workspace} {role}",
		agentCommand(func(a *Custom) *[]string { return &a.Command })},
	{"agent.*.interactive_command", "",
		"the same for sessions that you type into",
		agentCommand(func(a *Custom) *[]string { return &a.InteractiveCommand })},
	{"agent.*.acp", "",
		"argv of your own agent that speaks the Agent Client Protocol, version 1, instead of command: " +
			"{model} {workspace} {role}",
		agentCommand(func(a *Custom) *[]string { return &a.ACP })},
	{"agent.*.max_sessions", "0",
		"tasks of the queue that may use an agent at the same time, built-in or your own; 0 means no limit",
		setSessions},
	{"worker.*.ssh", "",
		"another machine that runs the sessions of whole tasks: its name for ssh, which uses your own configuration",
		setWorker(func(w *Worker) func(*Config, string, any) error {
			return requiredString(func(*Config) *string { return &w.SSH })
		})},
	{"worker.*.slots", "4",
		"tasks of the queue that the worker takes at the same time",
		setWorker(func(w *Worker) func(*Config, string, any) error {
			return intSetter(1, func(*Config) *int { return &w.Slots })
		})},
	{"worker.*.labels", "[]",
		"labels that a task can ask for with --needs, such as \"gpu\"",
		setWorker(func(w *Worker) func(*Config, string, any) error {
			return checkedList(func(*Config) *[]string { return &w.Labels }, isLabel)
		})},
	{"worker.*.patience", `"2h"`,
		"how long sessions on the worker continue without a connection; then they end, and their work is kept",
		setWorker(func(w *Worker) func(*Config, string, any) error {
			return durationSetter(func(*Config) *time.Duration { return &w.Patience })
		})},
	{"workers.nats", "",
		"the NATS server, or several separated by commas, where `ferrus worker --nats` announces other machines",
		validated(func(c *Config) *string { return &c.Workers.NATS }, isServer)},
	{"workers.creds", "",
		"the credentials file for that server; ~ is your home directory",
		validated(func(c *Config) *string { return &c.Workers.Creds }, ownFile)},
	{"workers.ca", "",
		"the CA certificates for that server; empty means the system's",
		validated(func(c *Config) *string { return &c.Workers.CA }, ownFile)},
	{"workers.join", "[]",
		"who may join HQ over that server, as user@host: they can do everything that you can do in HQ",
		checkedList(func(c *Config) *[]string { return &c.Workers.Join }, isGuest)},
	{"workers.patience", `"2h"`,
		"how long sessions on those workers continue without a connection",
		durationSetter(func(c *Config) *time.Duration { return &c.Workers.Patience })},
	{"agent.*.mcp", `"keep"`,
		"for a built-in agent: \"keep\" adds ferrus's MCP server to your own, \"only\" gives it ferrus's alone",
		setMCP},
}

// Default returns the configuration of an empty file, without agents: those come from the
// [Names] that [Load] gets.
func Default() Config {
	return Config{
		Checks:  Checks{TimeoutSecs: 1800, Protect: true, Network: "open", SetupNetwork: "open"},
		Sandbox: Sandbox{Mode: "auto", Network: "proxy"},
		Limits: Limits{
			MaxCheckRetries: 20, MaxReviewCycles: 3, MaxFeedbackLines: 30, WaitTimeoutSecs: 60, ParkAfter: 2,
			Queue: Queue{MaxParallelTasks: 3, MaxParallelGates: 1, MinFreeMemoryMB: 1024},
		},
		Merge:  Merge{Batch: 4, Hooks: true, Mode: "branch"},
		Agents: Agents{Path: ".agents"},
		Spec:   Spec{Directory: "docs/specs"},
		Lease:  Lease{TTLSecs: 90, HeartbeatIntervalSecs: 30},
		HQ: HQ{
			Supervisor: RoleConfig{Permissions: "auto"}, Executor: RoleConfig{Permissions: "auto"},
			Notify: Notify{Terminal: "auto"}, Workspace: "here", Theme: Themes[0], KeyPreset: "readline",
			Worktrees: Worktrees{SetupTimeoutSecs: 600, DeferAfter: 30 * time.Minute},
		},
		Session: Session{MaxConsecutiveErrors: 5, MaxTotalErrors: 20, GraceSecs: 5, MinUptimeSecs: 5, IdleSecs: 120},
		Workers: Workers{Patience: 2 * time.Hour},
		Pair:    pair.DefaultWords,
	}
}
