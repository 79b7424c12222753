package hq_test

import "testing"

// reasons say, for each package, why it may import nothing but what layers lists: what
// would go wrong if it did. They are part of the complaint about a forbidden import.
var reasons = map[string]string{
	"machine":             "a table is true of every machine, and can be read without any of them",
	"machine/task":        "the rules of a task must be readable, and explorable, without a disk or an agent",
	"machine/session":     "the rules of a session hold wherever its process runs",
	"machine/pair":        "a pair's rules hold without tasks; what its agents print comes in as a signal",
	"machine/pair/run":    "the names of a run's states are stored: they depend on nothing that could change them",
	"machine/flow":        "guards of a workflow look at facts; who gathers them must not matter",
	"machine/merge":       "a batch is numbers: which items and commits they stand for is kept by its caller",
	"machine/queue":       "an item knows the states of a task by name, and nothing of where either is kept",
	"machine/machinetest": "it visits snapshots of any machine, so it may know none",

	"store":              "it keeps any document by the same rules; one that it knew could ask for an exception",
	"checks":             "it proves trees for tasks, pairs, workflows and the command line alike",
	"checks/git":         "one clean way to run git, below everything that needs it",
	"checks/git/gittest": "repositories for tests of every layer",
	"checks/testnames":   "what a runner prints of its tests is the same whatever runs it",
	"checks/regular":     "it reads one file, whose meaning is its callers' business",
	"checks/redact":      "secrets are taken out below all that logs",
	"checks/lane":        "what commands run on depends on trees and a definition, not on tasks",
	"checks/tamper":      "what weakens a check is a property of the change, not of the task that made it",
	"checks/workspace":   "a directory equals a tree whatever it is for",

	"agent":           "an adapter knows one client; what ferrus wants of it comes as a launch",
	"agent/acp":       "a protocol knows messages, not what an agent is for; who runs it decides",
	"agent/appserver": "the same, for another protocol: one side knows nothing of roles or tasks",
	"agent/loader":    "which variables load code is the C library's doing; the starter of a sandbox hides them",
	"agent/home":      "a private home is a copy by a list; it runs nothing and knows no client",
	"agent/proxy":     "what is let through depends on rules; who runs inside must not matter",
	"agent/sandbox":   "walls hold any program: what is inside must not decide what they are",

	"agent/sandbox/stage": "each program inside waits for it twice: what it imports is initialized before it runs",

	"agent/paths":    "names of paths are compared without asking whose they are",
	"agent/process":  "processes are identified in one place, also by packages that know no agent",
	"agent/program":  "what ferrus starts by itself is found in one place, also by packages that know no agent",
	"agent/statedir": "a directory of the user does not depend on what is kept there",
	"agent/suggest":  "spelling has nothing to do with what is spelled",

	"ui/text/lazyregexp": "a pattern knows nothing of what it is matched with",
	"ui/text":            "all text is made harmless and measured here, so nothing may bypass it by being below it",
	"ui/syntax":          "colours are the style's: this returns kinds of tokens",
	"ui/vt":              "a terminal emulator is judged against terminals, not against ferrus",
	"ui/style":           "it is below all that draws: a component it knew could not use it",
	"ui/keys":            "keys are data that each component declares; a key that knew its action would be code",
	"ui/view":            "it is what is true, as drawn; it can be made without a project, so frames can be tested",
	"ui/intent":          "what the human wants is data: only hq/tui acts on it",
	"ui/pager":           "it reads; a pager that could change something would need a confirmation",
	"ui/pane":            "panes know neither each other nor the dialogs above them, and return intents",
	"ui/prompt":          "the line that is typed is parsed above; here it is only edited and completed",
	"ui/dialog":          "a dialog answers with an intent, and cannot reach the model that shows it",
	"ui":                 "Update does no I/O and has nothing to do I/O with: no project, no store, no processes",
	"ui/screenshot":      "pictures are drawn of any screen",
	"ui/screenshot/svg":  "it writes what a terminal shows, whatever runs in it",
	"ui/termtest":        "it tests whole programs from outside, so it may know none of them",

	"hq":           "it has only tests of the whole repository",
	"hq/benchtest": "it measures; what it measured would otherwise be in the measurement",
	"hq/comments":  "a comment is text and numbers: who may send or answer it is decided above",
	"hq/core":      "the rules of the loop are a function of their arguments: no clock, no file, no process",
	"hq/advice":    "it words what the core decides; a second place that decided could contradict it",
	"hq/stats":     "it adds up entries that it is given; where they are kept is its caller's to know",
	"hq/config":    "ferrus.toml must be readable before a project is open, and without any client",
	"hq/tomledit":  "it edits any TOML file and proves that nothing else changed",
	"hq/ports":     "it gives numbers to directories, and need not know whose they are",
	"hq/worktree":  "git's worktrees belong to tasks only by name; the layers above know which task has which",
	"hq/project":   "every command takes this one path; what runs sessions or gates is above it and calls it",
	"hq/gate":      "a gate runs for HQ, a server or the command line alike, so it knows none of them",
	"hq/merge":     "a merge continues after a kill in any process, with or without a conductor",
	"hq/commit":    "a message and a signature depend on git's configuration, not on what lands or who asks",
	"hq/forge":     "what a forge reports of a branch is the same whatever it is asked for",
	"hq/land":      "a landing is completed or rolled back by any start of ferrus, with or without a conductor",
	"hq/clients":   "it runs ferrus as you would, from outside: only so a client is tried as it will be used",
	"hq/doctor":    "it has to work where nothing else does: it needs no session, no screen and no conductor",
	"hq/serve":     "an agent's server works without HQ, and reaches the state only by a project's commands",
	"hq/demo":      "its agents are programs like any others, and speak to ferrus only as those do",
	"hq/need":      "it runs a command for a need that it is given; what needs you is its caller's to know",
	"hq/door":      "what passes it was written by an agent: it counts and copies bytes, and reads none",
	"hq/host":      "it outlives HQ and every upgrade of it: it knows a terminal, a socket and one process",
	"hq/human":     "whether a process is you is asked of the system, and of no screen",
	"hq/session":   "tasks and pairs both run sessions by it; it may know neither",
	"hq/pair":      "a pair needs neither servers nor the task loop, and runs without a conductor",
	"hq/conductor": "it runs what the core plans for one task; other tasks, screens and commands are above it",
	"hq/scheduler": "it gives tasks their turn: what one does with it is below, and what is shown of them above",
	"hq/fleet":     "a command lists workers and runs gates there without a conductor; the queue decides on tasks",
	"hq/guest":     "it lets a guest in; what is on the screen that the guest sees is decided above",

	"hq/conductor/notice":   "a sentence for the human comes from every part of a conductor, and knows none",
	"hq/conductor/turn":     "an order does not depend on what waits in it",
	"hq/conductor/accounts": "accounts are of agents: which tasks wait for them must not matter",
	"hq/conductor/gateview": "gates of tasks, merges, workflows and landings are shown alike",
	"hq/conductor/usage":    "what was used is read from records; what follows from it is decided above",
	"hq/conductor/messages": "a message is a file, and a session gets it: what either is about must not matter",
	"hq/conductor/needs":    "what needs you is in the inbox that it gets; a second place could contradict it",
	"hq/conductor/pairs":    "a pair works without a task: it asks only whether a session of the loop is in its way",
	"hq/conductor/handover": "earlier work is read from records, whichever agent or human did it",
	"hq/conductor/journal":  "an entry is read from disk by its number: nothing that runs changes it",

	"hq/wire":     "a worker of another version reads what it writes: it must not change with a project",
	"hq/remote":   "home's end of a link: it moves trees and screens, and must not know what a task may do",
	"hq/worker":   "it does what home asks of it: a worker that knew the queue or the loop could decide",
	"hq/sshlink":  "as hq/natslink",
	"hq/join":     "it shows the screen of an HQ elsewhere, and must not know what is on it",
	"hq/natslink": "it moves frames, and must not know what they are for",
	"hq/register": "it edits the configuration of other programs, and must not depend on a project's state",
	"hq/spec":     "a spec is a Markdown file that its author may write by hand, without ferrus",
	"hq/guide":    "the manual is text",
	"hq/adopt":    "it reads what you began and queues it: what works on a task is above it",
	"hq/queue":    "it orders tasks and begins them; what works on them is above it, and a task knows nothing of it",
	"hq/gc":       "what it removes belongs to layers below; a screen or a command asks for it",
	"hq/workflow": "a workflow is driven by the conductor, a server or the command line alike",

	"hq/serve/stdio":    "it carries lines and messages; one that it understood it could also alter",
	"hq/host/hosttest":  "a directory for tests",
	"store/memtemp":     "directories for tests of every layer",
	"store/exectest":    "programs for tests of every layer",
	"store/diskfault":   "errors of the system alone; who meets them knows what was written",
	"store/longtest":    "which tests of every layer are long",
	"hq/hqtest":         "projects for tests of every layer above them",
	"hq/tui":            "it joins screen and engine; what the screen draws, and what a command does, is below",
	"hq/tui/tty":        "it knows terminals and their faults, and would be of use to another program",
	"hq/tui/projection": "it turns the engine's view into the screen's: it decides nothing and draws nothing",
	"hq/tui/slash":      "a command is given an environment to act in; one that drew could not be tested by its result",

	"hq/cli":              "it is the only package that may know all others, as the last before main",
	"hq/cli/rememberedgo": "it takes the place of go in tests",

	"hq/clients/model": "it plays a vendor's server to real clients, and knows nothing of what they are used for",

	"hq/chaos":     "it kills the program that is built, so it needs none of its packages",
	"hq/budgets":   "it measures the program that is released, beside tmux, from outside",
	"hq/adversary": "its agents cheat against the whole program, from outside",
	"hq/e2e":       "real clients meet the program that is built",
	".":            "main only starts the command line",
}

// TestEveryLayerHasItsReason holds the two lists to each other.
func TestEveryLayerHasItsReason(t *testing.T) {
	for pkg := range layers {
		if reasons[pkg] == "" {
			t.Errorf("say why package %s may import nothing but what layers lists", pkg)
		}
	}
	for pkg := range reasons {
		if _, listed := layers[pkg]; !listed {
			t.Errorf("package %s has a reason, but no layer", pkg)
		}
	}
}
