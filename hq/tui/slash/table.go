package slash

import (
	"ferrus/hq/core"
	"ferrus/ui/dialog"
	"ferrus/ui/intent"
	"ferrus/ui/prompt"
	"ferrus/ui/view"
)

// Table holds all commands, in the order in which they are shown.
var Table = prompt.Table{
	{
		Name: "task", Args: "[--manual | --again | --now] [--with-changes] [text]", Plain: true,
		Help: "a supervisor drafts the task with you, from the selected milestone; --manual ignores the " +
			"milestone, --again takes one that is done, --now creates the task as written; --with-changes copies " +
			"uncommitted changes into its worktree",
		Disabled: off("task"), Complete: complete(taskOptions), Parse: parseTask,
	},
	{Name: "plan", Args: "[text]", Help: "a supervisor plans: specs and tasks", Parse: session("plan", "supervisor")},
	{Name: "spec", Args: "[text]", Help: "a supervisor writes a spec with you", Parse: session("spec", "supervisor")},
	{
		Name: "milestones", Args: "[spec [milestone]]",
		Help:             "choose the milestone for the next task, from a list or by name",
		NeedsCompletions: true, Complete: completeMilestones, Parse: parseMilestones,
	},
	{Name: "supervisor", Help: "open a supervisor session without an assignment", Parse: session("free", "supervisor")},
	{Name: "executor", Help: "open an executor session without an assignment", Parse: session("free", "executor")},
	{
		Name: "pair", Args: "<task> | --resume [id] | --list",
		Help: "run two agents in turns, without tools: one works, the gate checks, the other reviews; --mode " +
			"is review, consensus or single, --primary and --secondary name the agents, --done is the word that " +
			"ends the work; --resume continues a run, --list lists the runs",
		NeedsCompletions: true, Disabled: disabledPair, Complete: complete(pairOptions), Parse: parsePair,
	},
	{
		Name: "check", OfTask: true, Args: "[--force | --cancel]",
		Help: "run the check gate; --force runs it and records the verdict, but changes no state; " +
			"--cancel stops it",
		Disabled: disabledCheck, Complete: firstWord(checkWords...), Parse: parseCheck,
	},
	{Name: "approve", OfTask: true, Args: "[note]",
		Help:     "approve the submission; asks while there are alarms that need you",
		Disabled: off("approve"), Warn: warnApprove, Parse: parseApprove},
	{Name: "reject", OfTask: true, Args: "<notes>", Help: "send the submission back with notes",
		Disabled: off("reject"), Parse: parseReject},
	{
		Name: "land", OfTask: true, Args: "[--keep] [--with-changes] [message]",
		Help: "land approved work; shows it and asks first; conflicts and failed checks go back to the " +
			"executor, or are rolled back with --keep",
		Disabled: off("land"), Complete: complete(landOptions), Parse: parseLand,
	},
	{
		Name: "merge", Args: "[again | accept | resume] [branch | task]",
		Help: "show what is staged and what was merged, in which batch and on which trees; again checks a flaky " +
			"candidate again, accept counts its pass, resume clears a hold",
		Complete: firstWord(mergeWords...), Parse: parseMerge,
	},
	{
		Name: "adopt", Args: "[--agent name] <directory> [text]",
		Help: "queue your own work in a worktree or a clone as a task, with the session that you had there; " +
			"shows it and asks first",
		NeedsCompletions: true, Complete: complete(adoptOptions), Parse: parseAdopt,
	},
	{Name: "unland", Args: "<task>", Help: "queue a task that reverts what another one landed",
		Parse: parseUnland},
	{Name: "retry", OfTask: true, Help: "retry the failed task and reset its counters", Disabled: off("retry"),
		Parse: bare(retry)},
	{Name: "review", OfTask: true, Help: "start a reviewer now", Disabled: off("review"),
		Parse: bare(start{Slot: core.SlotReviewer, name: "a reviewer"})},
	{
		Name: "workflow", Args: "[<type> <title> | approve [note] | revise <notes> | unblock | replan | cancel]",
		Help: "show the open workflow and what it still needs, answer it, or start one: feature, debug, " +
			"refactor, oneshot",
		Complete: firstWord(workflowWords...), Parse: parseWorkflow,
	},
	{
		Name: "model", Args: "[role model | role --clear]",
		Help:             "choose the model of a role; without arguments, from a list",
		NeedsCompletions: true, Complete: completeModel, Parse: parseModel,
	},
	{
		Name: "switch", Args: "<role> <agent>", Help: "assign a role to another agent, even during a task",
		NeedsCompletions: true, Complete: completeSwitch, Parse: parseSwitch,
	},
	{
		Name: "register", Args: "--<role> <agent>",
		Help:             "set up the agents for use outside HQ as well; --remove undoes it; asks first during a task",
		NeedsCompletions: true, Complete: complete(registerOptions), Parse: parseRegister,
	},
	{
		Name: "resume", OfTask: true, Args: "[slot] [--take]",
		Help: "clear the hold and continue; with a slot, restart its session; --take " +
			"takes the lease from a silent session",
		Disabled: off("resume"), Complete: completeSlots, Parse: parseResume,
	},
	{Name: "trust", Help: "trust the check commands that /status shows, on this machine", Parse: bare(trust{})},
	{Name: "allow", Help: "accept the command from another terminal that the inbox shows; " +
		"it waits, because nothing proves that you gave it", Parse: parseAllow(true)},
	{Name: "deny", Help: "refuse the command from another terminal that the inbox shows", Parse: parseAllow(false)},
	{
		Name: "permit", Args: "[number] [once | task | never] [note]",
		Help: "permit what an agent asked for, once or for this task, or refuse it; a number alone shows all of that " +
			"request; without arguments, list what was asked",
		Complete: completePermit, Parse: parsePermit,
	},
	{
		Name: "network", Args: "[allow | always | no] [host]",
		Help: "allow or refuse a host that a program in the sandbox asked for, for this task or always; " +
			"without arguments, list the hosts",
		Complete: firstWord(networkWords...), Parse: parseNetwork,
	},
	{Name: "attach", OfTask: true, Args: "[slot]", Help: "focus a slot's pane: your keys go to its agent",
		Complete: completeSlots, Parse: parseAttach},
	{
		Name: "screen", OfTask: true, Args: "[slot]",
		Help: "move a slot's session to its program's own screen, or back; the program ends, and its conversation " +
			"continues there",
		Complete: completeSlots, Parse: parseScreen,
	},
	{
		Name: "tell", OfTask: true, Args: "<slot> <text>",
		Help: "send a message to a slot's session: the tool it waits in returns the message, or the agent is " +
			"interrupted",
		Talk: true, Complete: completeSlots, Parse: parseTell,
	},
	{Name: "status", OfTask: true, Args: "[--all]",
		Help:     "what the task is doing and what needs you; --all shows everything, with sessions and processes",
		Complete: complete(statusOptions), Parse: parseStatus},
	{
		Name: "inbox", Help: "everything that waits for you: answer it, go there, or snooze it",
		Parse: opens(func() dialog.Dialog { return dialog.Inbox("") }),
	},
	{Name: "stats", Help: "what tasks took, by agent: time in each state, gates, rejections, tokens and cost",
		Parse: bare(showStats{})},
	{Name: "projects", Help: "your projects on this machine, and what needs you in each; Enter opens the HQ of one, " +
		"and /quit returns from it", Parse: bare(projects{})},
	{
		Name: "queue", Args: "[<spec> | approve [number] | edit <number> <text> | cancel <number>]",
		Help: "queue the open milestones of a spec; without arguments, the tasks that a supervisor proposed, to " +
			"approve, edit or cancel",
		NeedsCompletions: true, Complete: completeQueue, Parse: parseQueue,
	},
	{Name: "workers", Args: "[drain <worker> | resume <worker>]",
		Help:     "other machines that run tasks: capacity, agents, load and connection; drain gives one no more tasks",
		Complete: firstWord(workerWords...), Parse: parseWorkers},
	{Name: "shell", OfTask: true, Help: "open your shell in the selected task's directory; exit returns to HQ",
		Parse: bare(intent.Shell{})},
	{Name: "try", OfTask: true, Args: "<command>", Help: "run a command in the selected task's directory, " +
		"before it lands, with the task's ports: /try npm start", Parse: parseTry},
	{Name: "tasks", Help: "the open tasks of the queue; Enter selects the one that the panes and commands are about",
		Parse: parseTasks},
	{
		Name: "show", Args: "[task | submission | review | spec [name] | <task id>]",
		Help:             "show a text of the task, a spec (the newest, or by name), or the texts of an archived task",
		NeedsCompletions: true, Complete: completeShow, Parse: parseShow,
	},
	{
		Name: "log", OfTask: true, Help: "the journal as a timeline; Enter opens an entry",
		Parse: opens(func() dialog.Dialog { return dialog.Log(view.EntryID{}) }),
	},
	{Name: "diff", OfTask: true, Help: "what the task changed since it started, file by file", Disabled: off("diff"),
		Parse: opens(dialog.Diff)},
	{Name: "stop", OfTask: true, Help: "stop all sessions and hold the task; asks while sessions are running",
		Disabled: off("stop"), Parse: parseStop},
	{Name: "reset", OfTask: true, Help: "archive the task and return to Idle; asks first", Disabled: off("reset"),
		Parse: parseReset},
	{Name: "reset-spec", Help: "deselect the spec and the milestone", Parse: bare(selectMilestone{})},
	// see init
	{Name: "help", Args: "[command | topic]", Help: "commands, keys and topics of the guide, or one of them"},
	{Name: "quit", Help: "leave ferrus; asks while sessions are running", Parse: parseQuit},
}

func init() { // the help is about the table that it is in
	for i := range Table {
		if Table[i].Name == "help" {
			Table[i].Complete, Table[i].Parse = completeHelp, parseHelp
		}
	}
}

// off says why a command is not available, whatever its arguments are.
func off(name string) func(*view.View, string) string {
	return func(v *view.View, _ string) string { return v.Disabled[name] }
}

// bare returns a command without arguments.
func bare(wanted intent.Intent) func(*view.View, string) (intent.Intent, error) {
	return func(_ *view.View, args string) (intent.Intent, error) { return wanted, noArguments(args) }
}

// opens returns a command without arguments that opens a dialog.
func opens(make func() dialog.Dialog) func(*view.View, string) (intent.Intent, error) {
	return func(_ *view.View, args string) (intent.Intent, error) {
		return dialog.Open{Dialog: make()}, noArguments(args)
	}
}
