package hq_test

// shared are leaves that every package above the machines may import: each is the
// only home of a job that several of them have.
var shared = map[string]string{
	"agent/paths":        "one comparison of paths",
	"agent/process":      "one reader of the process table",
	"agent/program":      "one way to find the programs that ferrus itself runs",
	"checks/regular":     "one reader of files that a program inside may exchange",
	"agent/statedir":     "one answer to where the state of the user is",
	"agent/suggest":      "suggestions for misspelled words, in commands and in ferrus.toml",
	"store/diskfault":    "one list of what a disk says that takes nothing",
	"ui/text":            "one sanitizer and one measure of width",
	"ui/text/lazyregexp": "regular expressions that no start of ferrus waits for",
}

// layers says what each package may import: packages of ours, and of others by
// the beginning of their path. What is not listed may not be imported, and a
// package that is not listed may not exist. Imports point down.
var layers = map[string][]string{
	"machine":         {},
	"machine/task":    {"machine"},
	"machine/session": {"machine"},
	"machine/pair":    {"machine", "machine/pair/run"},

	"machine/pair/run": {},
	"machine/flow":     {"machine"},
	"machine/merge":    {"machine"},
	"machine/queue":    {"machine", "machine/task"}, // an item is asked what its task says

	"machine/machinetest": {"machine"}, // visits every snapshot, for tests

	"store":            {"github.com/fsnotify/fsnotify", "golang.org/x/sys/"},
	"store/diskfault":  {},
	"checks":           {"agent/loader", "checks/git", "checks/redact", "checks/testnames", "golang.org/x/sys/"},
	"checks/git":       {"golang.org/x/sys/"}, // the one way to run git: a clean environment, no hooks
	"checks/tamper":    {"github.com/pelletier/go-toml/v2", "checks", "checks/testnames"},
	"checks/testnames": {}, // what test runners say of tests, by name
	"checks/regular":   {"golang.org/x/sys/"},
	"checks/redact":    {}, // what programs print, without secrets

	// A tree, and all that commands need to run on it.
	"checks/lane":      {"agent/process", "agent/sandbox", "checks", "checks/git", "checks/workspace"},
	"checks/workspace": {"agent/process", "checks/git", "golang.org/x/sync/errgroup", "golang.org/x/sys/"},

	"agent/acp":       {}, // a protocol, and nothing else
	"agent/appserver": {}, // likewise
	"agent/home":      {"golang.org/x/sys/"},
	"agent/loader":    {}, // variables, and nothing else
	"agent": {
		"checks/regular", "agent/acp", "agent/home", "agent/loader", "github.com/creack/pty",
		"github.com/pelletier/go-toml/v2", "github.com/tailscale/hujson", "golang.org/x/sys/",
	},
	// Knows hosts, not sandboxes.
	"agent/proxy": {"golang.org/x/sys/"},
	// Runs before everything else is initialized.
	"agent/sandbox/stage": {"agent/loader"},
	// Knows programs, not agents.
	"agent/sandbox": {
		"agent/sandbox/stage", "agent/loader", "agent/proxy", "golang.org/x/sys/",
	},
	"ui/vt":              {},
	"agent/process":      {"golang.org/x/sys/"},
	"agent/paths":        {},
	"agent/statedir":     {},
	"agent/program":      {},
	"agent/suggest":      {},
	"ui/text":            {"github.com/charmbracelet/x/ansi"}, // the one sanitizer and the one width
	"ui/text/lazyregexp": {},                                  // compiled when it is first used
	"ui/syntax":          {},
	// Below all that draws: knows no component.
	"ui/style": {"ui/syntax", "charm.land/", "github.com/charmbracelet/"},
	// Data: each component declares its own, the root joins them.
	"ui/keys": {},
	"ui/view": {"ui/style", "ui/vt"}, // what is true, which no component changes
	// What the human wants: data, which only package hq/tui acts on.
	"ui/intent": {"ui/view"},

	// Components know neither each other nor the dialogs and the screen that they are
	// put into: they return intents, and take what they need as arguments.
	// Reads: it wants nothing.
	"ui/pager": {"ui/keys", "ui/style", "ui/syntax", "ui/view", "github.com/charmbracelet/x/ansi"},
	"ui/pane": {
		"ui/intent", "ui/keys", "ui/style", "ui/vt", "charm.land/bubbletea/v2",
		"github.com/charmbracelet/x/ansi",
	},
	"ui/prompt": {"ui/intent", "ui/keys", "ui/style", "ui/view", "charm.land/"}, // has no terminal of a session
	// Dialogs look at a context, and cannot reach the panes or the model of the screen.
	"ui/dialog": {
		"ui/intent", "ui/keys", "ui/pager", "ui/prompt", "ui/style", "ui/view", "charm.land/bubbletea/v2",
		"github.com/charmbracelet/x/ansi",
	},
	"ui": {
		"ui/dialog", "ui/intent", "ui/keys", "ui/pager", "ui/pane", "ui/prompt", "ui/style", "ui/view", "ui/vt",
		"charm.land/bubbletea/v2", "github.com/charmbracelet/x/ansi",
	},
	"ui/screenshot": {"ui/screenshot/svg", "ui/vt"},

	"ui/screenshot/svg": {"ui/vt"},
	// Types and reads in a terminal, for tests.
	"ui/termtest": {"ui/vt", "github.com/charmbracelet/x/ansi", "github.com/creack/pty", "golang.org/x/sys/"},

	// A directory for the sockets of tests.
	"hq/host/hosttest": {"store/memtemp"},
	"hq/hqtest":        {"checks/git/gittest", "hq/core", "hq/project", "machine", "store"}, // projects for tests

	"checks/git/gittest": {"checks/git"}, // repositories for tests
	"hq/benchtest":       {},             // what benchmarks measured

	"store/memtemp":  {}, // temporary directories in memory, for tests
	"store/exectest": {}, // programs for tests
	"store/longtest": {}, // which tests are for task test:long

	"hq":          {}, // tests of the whole repository
	"hq/comments": {}, // texts and numbers
	"hq/core":     {"hq/comments", "checks", "machine", "machine/task"},
	"hq/stats":    {"checks", "checks/testnames", "hq/core", "machine", "machine/task", "store"},
	// The only one that spells commands for users.
	"hq/advice":   {"hq/core", "machine", "machine/flow", "machine/queue", "machine/task"},
	"hq/need":     {"checks/redact", "ui/text"}, // knows a command, not what is needed
	"hq/config":   {"agent/proxy", "checks", "hq/tomledit", "machine/pair", "github.com/pelletier/go-toml/v2"},
	"hq/tomledit": {"github.com/pelletier/go-toml/v2"},
	"hq/ports":    {"store"}, // ten for each task
	// The layers above know which task has which.
	"hq/worktree": {"", "checks/git", "checks/workspace", "golang.org/x/sys/"},
	"hq/project": {
		"hq/comments", "hq/ports", "agent", "agent/proxy", "hq/advice", "machine/task", "hq/spec", "hq/core",
		"hq/config", "hq/worktree", "machine", "store", "checks", "checks/git", "checks/tamper",
		"checks/workspace", "golang.org/x/sys/",
	},
	// It runs the gate.
	"hq/land": {
		"hq/commit", "hq/workflow", "machine/flow", "machine/task", "checks", "checks/git", "hq/core",
		"hq/gate", "hq/project", "hq/spec", "hq/worktree", "store",
	},
	// Gh, or your command; it knows no item.
	"hq/forge": {"checks/git"},
	// Messages and signatures; it moves no branch.
	"hq/commit": {"agent/sandbox", "checks/git", "checks/lane", "golang.org/x/sys/"},
	"hq/adopt":  {"agent", "checks/git", "hq/core", "hq/project", "hq/queue", "hq/worktree", "machine/task", "store"},
	// The tasks that wait for their turn.
	"hq/queue": {
		"hq/advice", "hq/core", "hq/project", "hq/spec", "machine", "machine/merge", "machine/queue",
		"machine/task", "store",
	},
	// The only one that moves a branch by itself.
	"hq/merge": {
		"hq/commit", "hq/forge", "checks", "checks/git", "hq/core", "hq/gate", "hq/land", "hq/project",
		"hq/queue", "machine", "machine/merge", "machine/queue", "machine/task", "store",
	},
	"hq/gc": {
		"hq/queue", "store", "agent/process", "checks/git", "checks/lane", "checks/workspace", "hq/core",
		"hq/gate", "hq/project", "hq/worktree", "golang.org/x/sys/",
	},
	"hq/clients": {
		"agent", "checks/git", "github.com/creack/pty", "golang.org/x/sync/errgroup", "hq/clients/model",
		"hq/core", "hq/gate", "hq/project", "machine/task", "store",
	},

	"hq/clients/model": {}, // wire formats of vendors, and a script
	"hq/doctor": {
		"hq/queue", "agent/sandbox", "hq/host", "checks", "hq/gc", "hq/workflow", "agent", "checks/git",
		"hq/core", "hq/config", "hq/land", "hq/worktree", "hq/project", "machine", "machine/task", "store",
	},
	"hq/gate": {
		"agent/proxy", "agent/sandbox", "hq/core", "hq/config", "hq/project", "hq/worktree", "machine", "store",
		"checks", "checks/git", "checks/lane", "checks/testnames", "golang.org/x/sys/",
	},
	"hq/serve": {
		"agent/acp", "checks/redact", "hq/comments", "hq/queue", "hq/serve/stdio", "hq/advice", "machine/task",
		"hq/core", "hq/workflow", "machine/flow", "hq/config", "hq/project", "hq/gate", "machine", "store",
		"checks", "github.com/modelcontextprotocol/go-sdk/", "github.com/google/jsonschema-go/",
	},

	"hq/serve/stdio": {"github.com/modelcontextprotocol/go-sdk/"}, // knows lines and messages, not tools
	"hq/demo": {
		"agent", "checks/git", "github.com/modelcontextprotocol/go-sdk/", "github.com/charmbracelet/x/ansi",
		"github.com/creack/pty",
	},
	"hq/door": {},
	"hq/host": {"agent", "agent/home", "agent/proxy", "hq/door", "ui/vt", "golang.org/x/sys/"},
	// Frames and messages; it knows no machine, project or process.
	"hq/wire": {"agent", "hq/core"},
	// Likewise, by your own ssh.
	"hq/sshlink": {"hq/wire"},
	// An HQ on another machine: it knows no project.
	"hq/join": {"hq/wire"},
	// A transport below it: no machine, project or process.
	"hq/natslink": {"hq/wire", "github.com/nats-io/nats.go"},
	// Home's side: links, and work that arrives.
	"hq/remote": {
		"hq/advice", "agent/sandbox", "hq/sshlink", "checks", "hq/gate", "hq/project", "hq/natslink",
		"checks/git", "hq/host", "hq/wire", "hq/worktree", "golang.org/x/sys/",
	},
	// The other machine's side: it decides nothing.
	"hq/worker": {
		"agent/sandbox", "hq/advice", "checks", "hq/gate", "agent", "checks/git", "hq/config", "hq/core",
		"hq/host", "hq/project", "hq/session", "hq/wire", "hq/worktree", "golang.org/x/sys/",
	},
	// Whether a process is you.
	"hq/human": {"hq/host", "hq/project"},
	// Below tasks and pairs, which both run sessions.
	"hq/session": {
		"agent/acp", "hq/remote", "hq/wire", "agent/home", "agent/proxy", "agent/sandbox", "checks/git",
		"checks/redact", "agent", "hq/human", "hq/config", "hq/core", "hq/host", "hq/project", "hq/worktree",
		"machine", "machine/session", "store", "ui/vt",
	},
	"hq/pair": {
		"checks/redact", "checks/tamper", "machine/task", "hq/session", "hq/host", "agent", "checks", "hq/core",
		"hq/config", "hq/gate", "hq/project", "machine", "machine/pair", "machine/pair/run", "store",
	},
	// The workers of a project: which of them has room is read by the queue, which decides who gets what.
	"hq/fleet": {
		"hq/natslink", "hq/remote", "hq/wire", // how workers are found, reached and asked
		"hq/config", "hq/project", // who they are, and who trusts them
		"hq/queue", "hq/merge", "hq/gate", "checks", // what they take: rows of the queue, and gates of a merge
	},
	// Guests come over the server that workers are found on.
	"hq/guest": {"hq/config", "hq/fleet", "hq/natslink", "hq/project", "hq/remote", "hq/wire"},
	// Parts of a conductor that know no other part.
	"hq/conductor/notice":   {},
	"hq/conductor/turn":     {},
	"hq/conductor/accounts": {"hq/queue"},                     // the record of accounts that have reached their limit
	"hq/conductor/gateview": {"checks", "hq/core", "hq/gate"}, // what a runner reports, and a verdict
	"hq/conductor/usage": {
		"hq/conductor/notice", // says what cannot be recorded
		"agent", "hq/core", "hq/project", "hq/session",
	},
	"hq/conductor/journal": {
		"hq/conductor/gateview", // an entry may be about a gate
		"hq/core", "hq/gate", "hq/project", "machine", "store",
	},
	"hq/conductor/messages": {
		"hq/conductor/notice",                 // says what cannot be read or written
		"hq/core", "hq/project", "hq/session", // messages are files, sessions get them
	},
	"hq/conductor/needs": {
		"hq/conductor/notice", // says why the command cannot notify you
		"hq/advice", "hq/config", "hq/core", "hq/need", "hq/project",
		"hq/session", // its loop
	},
	"hq/conductor/pairs": {
		"hq/conductor/gateview", "hq/conductor/notice", // show its checks, and what happened
		"checks", "hq/core", "hq/gate", "hq/pair", "hq/project", "hq/session", "store",
	},
	"hq/conductor/handover": {"checks", "hq/core", "hq/project", "machine"}, // records, and a diff
	// The task loop of one task, and what is around it: nothing here knows another task.
	"hq/conductor": {
		"hq/conductor/accounts", "hq/conductor/gateview", "hq/conductor/journal", "hq/conductor/notice",
		"hq/conductor/turn", "hq/conductor/usage", "hq/conductor/messages", "hq/conductor/needs",
		"hq/conductor/pairs", "hq/conductor/handover", "hq/session", "hq/fleet", // its parts, sessions and workers
		"hq/gate", "hq/land", "hq/merge", "hq/pair", "hq/workflow", "machine/flow", // its steps
		// A workflow waits for rows of the queue, and a session for its accounts and its budget.
		"hq/queue",
		"agent", "agent/sandbox", "hq/advice", "hq/human", "hq/spec", // agents, and you
		"checks", "hq/config", "hq/core", "hq/project", "machine", "machine/task", "store",
	},
	// The tasks of a project, each with a conductor.
	"hq/scheduler": {
		"hq/conductor", "hq/conductor/accounts", "hq/conductor/gateview", "hq/conductor/journal",
		"hq/conductor/notice", "hq/conductor/turn", // the conductors, and what they share
		"hq/queue", "hq/merge", "hq/adopt", "hq/spec", // what is next, what is merged, and what you queue
		"hq/pair", "hq/workflow", // what you start in your checkout
		"hq/fleet", "hq/guest", "hq/human", // who else works here
		"checks", "hq/advice", "hq/config", "hq/core", "hq/gate", "hq/land", "hq/project", "machine/task", "store",
	},
	"hq/register": {
		"agent", "hq/config", "hq/tomledit", "github.com/pelletier/go-toml/v2", "github.com/tailscale/hujson",
	},
	// Knows terminals, not HQ.
	"hq/tui/tty": {"charm.land/bubbletea/v2", "github.com/charmbracelet/", "golang.org/x/sys/"},
	"hq/tui": {
		"hq/project", "ui/vt", "hq/comments", "hq/tui/projection", "hq/tui/slash", "hq/tui/tty", "hq/core",
		"hq/conductor", "hq/conductor/journal", "ui", "ui/intent", "ui/style", "ui/view",
		"charm.land/bubbletea/v2",
	},

	// The projection reads and decides nothing; commands draw nothing.
	"hq/tui/projection": {
		"hq/comments", "hq/advice", "checks", "hq/conductor", "hq/conductor/gateview", "hq/conductor/journal",
		"hq/core", "hq/project", "hq/queue", "hq/spec",
		"machine", "machine/pair", "machine/session", "machine/task", "store", "ui/style", "ui/view",
	},
	"hq/tui/slash": {
		"hq/adopt", "hq/comments", "hq/advice", "hq/guide", "hq/conductor", "hq/conductor/journal", "hq/core",
		"hq/land", "hq/pair",
		"hq/project", "hq/queue", "hq/spec", "hq/workflow", "machine", "ui/dialog", "ui/intent", "ui/prompt",
		"ui/view",
	},

	"hq/spec":  {},
	"hq/guide": {}, // the manual, embedded
	"hq/workflow": {
		"hq/forge", "hq/gate", "hq/queue", "agent/process", "hq/advice", "", "machine/task", "checks/git",
		"hq/core", "hq/project", "hq/worktree", "machine", "machine/flow", "store",
	},
	"hq/cli": {
		"hq/fleet", "hq/guest", "hq/conductor/journal", "hq/scheduler",
		"hq/join", "hq/sshlink", "hq/natslink", "hq/remote", "hq/wire", "hq/worker", "hq/adopt", "hq/clients",
		"agent/acp", "agent/appserver", "hq/comments", "hq/merge", "agent/loader", "hq/queue", "machine/queue",
		"agent/proxy", "hq/stats", "golang.org/x/sync/errgroup", "agent/process", "checks/redact",
		"checks/lane", "hq/door", "agent/sandbox", "hq/advice", "hq/human", "ui/style", "ui/view", "hq/tui/tty",
		"hq/spec", "agent", "checks", "checks/git", "hq/core", "hq/config", "hq/tui", "hq/tui/slash", "hq/demo",
		"hq/doctor", "hq/gate", "hq/gc", "hq/guide", "hq/host", "hq/land", "hq/pair", "hq/project",
		"hq/register", "hq/conductor", "hq/serve", "hq/session", "hq/workflow", "hq/worktree", "machine",
		"machine/pair", "machine/session", "machine/task", "machine/flow", "store", "ui",
		"github.com/spf13/cobra", "github.com/charmbracelet/x/term", "charm.land/bubbletea/v2",
		"github.com/muesli/cancelreader",
	},
	"hq/cli/rememberedgo": {}, // go for the tests of hq/cli

	"hq/budgets":   {},
	"hq/chaos":     {},
	"hq/adversary": {},
	"hq/e2e":       {},
	".":            {"agent/sandbox", "hq/cli"},
}
