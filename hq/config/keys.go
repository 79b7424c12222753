package config

import "ferrus/machine/pair"

// Key is one line of ferrus.toml: what the help, the template and the README
// know of it, and how a value gets into a [Config].
type Key struct {
	Name    string // limits.max_check_retries; * stands for a name of the reader's choice
	Default string // as it would be written
	Words   string
	put     func(c *Config, name string, value any) error // name is what stood for *
}

// Keys is every key there is, in the order of the template.
func Keys() []Key { return schema }

// most is the largest number taken anywhere: three decades, in seconds.
const most = 1_000_000_000

var schema = []Key{
	{"checks.commands", "[]", "commands of the check gate: run in order, all must exit 0; a string, or a table { name, run, timeout_secs, dir, env }", commands(func(c *Config) *[]Command { return &c.Checks.Commands })},
	{"checks.timeout_secs", "1800", "time for one command; 0 means none", number(0, func(c *Config) *int { return &c.Checks.TimeoutSecs })},
	{"checks.allow_none", "false", "a gate without commands passes, and says that nothing was proven", flag(func(c *Config) *bool { return &c.Checks.AllowNone })},
	{"checks.protect", "true", "a change of what the checks rest on, or one that weakens tests, is approved by the person only", flag(func(c *Config) *bool { return &c.Checks.Protect })},

	{"limits.max_check_retries", "20", "consecutive check failures before the task is Failed", number(1, func(c *Config) *int { return &c.Limits.MaxCheckRetries })},
	{"limits.max_review_cycles", "3", "rejections before the task is Failed", number(1, func(c *Config) *int { return &c.Limits.MaxReviewCycles })},
	{"limits.max_feedback_lines", "30", "last lines of each failing command that the agent is shown", number(0, func(c *Config) *int { return &c.Limits.MaxFeedbackLines })},
	{"limits.wait_timeout_secs", "60", "longest time of one wait_* call before the agent asks again", number(0, func(c *Config) *int { return &c.Limits.WaitTimeoutSecs })},
	{"limits.park_after", "2", "waits that may time out before a session is ended and started again later", number(1, func(c *Config) *int { return &c.Limits.ParkAfter })},
	{"limits.max_task_tokens", "0", "tokens of a task's sessions before the person is asked, again and again; 0 means none", number(0, func(c *Config) *int { return &c.Limits.MaxTaskTokens })},
	{"limits.max_task_cost", "0", "the same in US dollars, for agents that report what they cost", sum(func(c *Config) *float64 { return &c.Limits.MaxTaskCost })},

	{"agents.path", `".agents"`, "where the skill files are", folder(func(c *Config) *string { return &c.Agents.Path })},
	{"agents.*.mcp_isolation", `""`, "accepted from older versions, without effect", isolation},

	{"spec.directory", `"docs/specs"`, "where /spec writes approved specifications", folder(func(c *Config) *string { return &c.Spec.Directory })},

	{"lease.ttl_secs", "90", "how long a claim holds without a renewal", number(1, func(c *Config) *int { return &c.Lease.TTLSecs })},
	{"lease.heartbeat_interval_secs", "30", "how often agents should call heartbeat", number(1, func(c *Config) *int { return &c.Lease.HeartbeatIntervalSecs })},

	{"hq.supervisor.agent", "", "who plans and reviews", word(func(c *Config) *string { return &c.HQ.Supervisor.Agent })},
	{"hq.supervisor.model", `""`, "its model; empty means the agent's own default", text(func(c *Config) *string { return &c.HQ.Supervisor.Model })},
	{"hq.supervisor.interactive", "false", "show the agent's own screen in its pane; `ferrus run` shows none", flag(func(c *Config) *bool { return &c.HQ.Supervisor.Interactive })},
	{"hq.supervisor.permissions", `"ask"`, "\"bypass\" switches the agent's own permission checks off", choice(func(c *Config) *string { return &c.HQ.Supervisor.Permissions }, "ask", "bypass")},
	{"hq.executor.agent", "", "who implements", word(func(c *Config) *string { return &c.HQ.Executor.Agent })},
	{"hq.executor.model", `""`, "its model; empty means the agent's own default", text(func(c *Config) *string { return &c.HQ.Executor.Model })},
	{"hq.executor.interactive", "false", "show the agent's own screen in its pane; `ferrus run` shows none", flag(func(c *Config) *bool { return &c.HQ.Executor.Interactive })},
	{"hq.executor.permissions", `"ask"`, "\"bypass\" switches the agent's own permission checks off", choice(func(c *Config) *string { return &c.HQ.Executor.Permissions }, "ask", "bypass")},
	{"hq.unattended", "false", "a supervisor may answer an executor's question to the person", flag(func(c *Config) *bool { return &c.HQ.Unattended })},
	{"hq.notify", `"auto"`, "how HQ tells you that you are needed while its terminal has no focus: \"auto\" a notification where the terminal has them and the bell, \"bell\", or \"off\"", choice(func(c *Config) *string { return &c.HQ.Notify }, "auto", "bell", "off")},
	{"hq.workspace", `"here"`, "where the agents work: \"here\" is the project directory itself, \"worktree\" a git work tree of each task's own, see Landing", choice(func(c *Config) *string { return &c.HQ.Workspace }, "here", "worktree")},
	{"hq.carry_changes", "false", "what is not committed comes along into a work tree", flag(func(c *Config) *bool { return &c.HQ.CarryChanges })},
	{"hq.setup", "[]", "commands that make a new work tree ready, before an agent starts there; written as those of checks.commands", commands(func(c *Config) *[]Command { return &c.HQ.Setup })},
	{"hq.setup_timeout_secs", "600", "time for one of them; 0 means none", number(0, func(c *Config) *int { return &c.HQ.SetupTimeoutSecs })},

	{"session.max_consecutive_errors", "5", "errors in a row before a slot stops", number(1, func(c *Config) *int { return &c.Session.MaxConsecutiveErrors })},
	{"session.max_total_errors", "20", "errors in all before a slot stops", number(1, func(c *Config) *int { return &c.Session.MaxTotalErrors })},
	{"session.grace_secs", "5", "time an agent has to end by itself", number(0, func(c *Config) *int { return &c.Session.GraceSecs })},
	{"session.min_uptime_secs", "5", "an agent that lived this long counts as started", number(0, func(c *Config) *int { return &c.Session.MinUptimeSecs })},
	{"session.timeout_secs", "0", "longest session; 0 means no limit", number(0, func(c *Config) *int { return &c.Session.TimeoutSecs })},
	{"session.idle_secs", "120", "an interactive agent silent for this long has ended", number(1, func(c *Config) *int { return &c.Session.IdleSecs })},

	{"pair.done", `"DONE"`, "the word by which who works in a pair says that it is done; the four words must differ", word(func(c *Config) *string { return &c.Pair.Done })},
	{"pair.pass", `"PASS"`, "by which an agent of a pair approves", word(func(c *Config) *string { return &c.Pair.Pass })},
	{"pair.rework", `"REWORK"`, "by which who reviews sends it back", word(func(c *Config) *string { return &c.Pair.Rework })},
	{"pair.fail", `"FAIL"`, "by which an agent of a pair gives up", word(func(c *Config) *string { return &c.Pair.Fail })},

	{"workflow.publish", "[]", "argv that publishes a workflow: {branch} {commit} {base} {title} {summary} {id}; its last line says what it made; empty: gh pr create where there is a GitHub remote, else the branch and a summary", publish},

	{"keys.*", "", "another key for an action of HQ, or a list of them: leave = \"ctrl+g\"; the default is given up", binding},

	{"agent.*.command", "", "argv of an agent of your own: {prompt} {model} {mcp_config} {workspace} {role}", argv(func(a *Custom) *[]string { return &a.Command })},
	{"agent.*.interactive_command", "", "the same for sessions that a person types into", argv(func(a *Custom) *[]string { return &a.InteractiveCommand })},
}

// Default is the configuration of an empty file, without agents: those come
// with the [Names] that are handed to [Load].
func Default() Config {
	return Config{
		Checks:  Checks{TimeoutSecs: 1800, Protect: true},
		Limits:  Limits{MaxCheckRetries: 20, MaxReviewCycles: 3, MaxFeedbackLines: 30, WaitTimeoutSecs: 60, ParkAfter: 2},
		Agents:  Agents{Path: ".agents"},
		Spec:    Spec{Directory: "docs/specs"},
		Lease:   Lease{TTLSecs: 90, HeartbeatIntervalSecs: 30},
		HQ:      HQ{Supervisor: RoleConfig{Permissions: "ask"}, Executor: RoleConfig{Permissions: "ask"}, Notify: "auto", Workspace: "here", SetupTimeoutSecs: 600},
		Session: Session{MaxConsecutiveErrors: 5, MaxTotalErrors: 20, GraceSecs: 5, MinUptimeSecs: 5, IdleSecs: 120},
		Pair:    pair.DefaultWords,
	}
}
