package ui

import (
	"errors"
	"fmt"
	"strings"

	"ferrus/ui/text"
	"ferrus/ui/view"
)

// Command is one slash command. The table of them is the help, the completion
// and the page in the README.
type Command struct {
	Name string // without the slash
	Args string // [--force|--cancel]
	Help string
	// Disabled says why it cannot be given now; empty when it can.
	Disabled func(v *view.View, args string) string
	// Complete suggests the word after those already typed.
	Complete func(v *view.View, words []string) []view.Suggestion
	// NeedsCompletions says that it suggests what is not in a View before it is looked for:
	// see [LoadCompletions].
	NeedsCompletions bool
	// Make reads the arguments.
	Make func(v *view.View, args string) (Intent, error)
}

// Commands is the one table of commands, in the order they are shown.
var Commands []Command

func init() { // Commands holds functions that look at Commands.
	Commands = []Command{
		{Name: "task", Args: "[--manual | --again | --now] [--with-changes] [text]", Help: "a supervisor writes the task with you, from the selected milestone; --manual without it; --again though it is done; --now creates it as written; --with-changes takes what is not committed into its work tree",
			Disabled: off("task"), Complete: options(taskOptions), Make: makeTask},
		{Name: "plan", Args: "[text]", Help: "a supervisor plans: specs and tasks", Make: session("plan", "supervisor")},
		{Name: "spec", Args: "[text]", Help: "a supervisor writes a spec with you", Make: session("spec", "supervisor")},
		{Name: "milestones", Args: "[spec [milestone]]", Help: "choose the milestone that the next task comes from, from a list or by its names", Complete: completeMilestones, NeedsCompletions: true, Make: makeMilestones},
		{Name: "supervisor", Help: "a supervisor session without a purpose", Make: session("free", "supervisor")},
		{Name: "executor", Help: "an executor session without a purpose", Make: session("free", "executor")},
		{Name: "pair", Args: "<task> | --resume [id] | --list", Help: "two agents without tools: one works, the gate proves, the other reviews; --mode review, consensus or single, --primary and --secondary name agents, --done the word that ends the work; --resume goes on with a run, --list shows them",
			Disabled: offPair, Complete: options(pairOptions), NeedsCompletions: true, Make: makePair},
		{Name: "check", Args: "[--force | --cancel]", Help: "run the check gate; --force runs and records it but changes no state", Disabled: offCheck, Complete: first(checkWords...), Make: makeCheck},
		{Name: "approve", Args: "[note]", Help: "accept the submission",
			Disabled: off("approve"), Make: func(_ *view.View, a string) (Intent, error) { return Approve{a}, nil }},
		{Name: "reject", Args: "<notes>", Help: "send the submission back with notes",
			Disabled: off("reject"), Make: makeReject},
		{Name: "land", Args: "[--keep] [--with-changes] [message]", Help: "bring approved work home: shows it and asks; what does not fit onto the branch goes back to the executor, or is undone with --keep",
			Disabled: off("land"), Complete: options(landOptions), Make: makeLand},
		{Name: "retry", Help: "go on with a failed task, counters at 0",
			Disabled: off("retry"), Make: bare(Retry{})},
		{Name: "review", Help: "start a reviewer now", Disabled: off("review"), Make: bare(Review{})},
		{Name: "workflow", Args: "[<type> <title> | approve [note] | revise <notes> | unblock | replan | cancel]", Help: "where the workflow stands, and what is missing; begin one: feature, debug, refactor, oneshot; or answer it",
			Complete: first(workflowWords...), Make: makeWorkflow},
		{Name: "model", Args: "[role model | role --clear]", Help: "choose the model of a role; alone: a list to choose from", Complete: completeModel, NeedsCompletions: true, Make: makeModel},
		{Name: "register", Args: "--<role> <agent>", Help: "set the agents up for use outside HQ too; --remove undoes it",
			Complete: options(registerOptions), NeedsCompletions: true, Make: makeRegister},
		{Name: "resume", Args: "[slot]", Help: "clear a hold and go on; with a slot: start its session again",
			Disabled: off("resume"), Complete: slots, Make: makeResume},
		{Name: "trust", Help: "let the check commands that /status shows run on this machine", Make: bare(Trust{})},
		{Name: "attach", Args: "<slot>", Help: "give the keys to the pane of a slot", Complete: slots, Make: makeAttach},
		{Name: "tell", Args: "<slot> <text>", Help: "tell the session of a slot something: it is interrupted, or its waiting tool returns with it", Complete: slots, Make: makeTell},
		{Name: "status", Help: "everything that is known of the task, the sessions and what is open", Make: bare(openStatus{})},
		{Name: "inbox", Help: "everything that waits for you: answer it, go there, or put it off", Make: bare(openInbox{})},
		{Name: "show", Args: "[task | submission | review | spec [name] | <task id>]", Help: "a text of the task, a specification (the newest, or by its name), or the texts of a task that was put away", Complete: completeShow, NeedsCompletions: true, Make: makeShow},
		{Name: "log", Help: "the journal as a timeline; Enter tells all that belongs to an entry", Make: bare(openLog{})},
		{Name: "diff", Help: "what the task changed since it began, file by file", Disabled: off("diff"), Make: bare(openDiff{})},
		{Name: "stop", Help: "end all sessions and hold", Disabled: off("stop"), Make: bare(Stop{})},
		{Name: "reset", Help: "put the task away and go back to Idle; asks first", Disabled: off("reset"), Make: bare(askReset{})},
		{Name: "reset-spec", Help: "select no specification and no milestone", Make: bare(SelectMilestone{})},
		{Name: "help", Args: "[command]", Help: "commands and keys, or one command", Complete: completeHelp, Make: makeHelp},
		{Name: "quit", Help: "leave ferrus; asks while a session lives", Make: bare(askQuit{})},
	}
}

// Lookup finds a command by its exact name.
func Lookup(name string) (Command, bool) {
	for _, c := range Commands {
		if c.Name == name {
			return c, true
		}
	}
	return Command{}, false
}

// Parse reads a line that begins with a slash.
func Parse(v *view.View, line string) (Intent, error) {
	name, args := word(strings.TrimPrefix(strings.TrimSpace(line), "/"))
	c, ok := Lookup(name)
	if !ok {
		return nil, fmt.Errorf("there is no command /%s: Tab shows what there is; a blank in front makes it plain text", text.Sanitize(name))
	}
	intent, err := c.Make(v, args)
	if err != nil {
		return nil, err
	}
	if c.Disabled != nil {
		if why := c.Disabled(v, args); why != "" {
			return nil, fmt.Errorf("/%s is off: %s", name, why)
		}
	}
	return intent, nil
}

// word is the first word of a text, and what comes after it.
func word(text string) (first, rest string) {
	i := strings.IndexAny(text, " \n")
	if i < 0 {
		return text, ""
	}
	return text[:i], strings.TrimSpace(text[i:])
}

func bare(i Intent) func(*view.View, string) (Intent, error) {
	return func(_ *view.View, args string) (Intent, error) {
		if args != "" {
			return nil, fmt.Errorf("this command takes nothing after its name: %q", args)
		}
		return i, nil
	}
}

func session(mode, role string) func(*view.View, string) (Intent, error) {
	return func(_ *view.View, args string) (Intent, error) {
		if mode == "free" && args != "" {
			return nil, fmt.Errorf("/%s takes no text: type it into the pane", role)
		}
		return Session{mode, role, args}, nil
	}
}

func makeTask(v *view.View, args string) (Intent, error) {
	if args == "" && (v.Spec.Last != "" || v.Spec.Milestone != "") {
		return openSpecs{}, nil
	}
	var t Task
	for t.Text = args; strings.HasPrefix(t.Text, "--"); {
		var flag string
		switch flag, t.Text = word(t.Text); flag {
		case "--now":
			t.Now = true
		case "--manual":
			t.Manual = true
		case "--again":
			t.Again = true
		case "--with-changes":
			t.Changes = true
		default:
			return nil, fmt.Errorf("/task knows --manual, --again, --now and --with-changes, not %s", flag)
		}
	}
	switch {
	case t.Now && t.Text == "":
		return nil, errors.New("/task --now needs the text of the task after it")
	case t.Now && (t.Manual || t.Again):
		return nil, errors.New("/task --now takes the text as it is: from no milestone")
	case t.Manual && t.Again:
		return nil, errors.New("/task --manual leaves the milestone alone and --again takes it again: say one of them")
	}
	return t, nil
}

func makeWorkflow(_ *view.View, args string) (Intent, error) {
	if word, _, _ := strings.Cut(args, " "); word == "cancel" {
		return askCancel{args}, nil
	}
	return Workflow{args}, nil
}

// off returns what says why a command is not available, whatever its arguments are.
func off(name string) func(*view.View, string) string {
	return func(v *view.View, _ string) string { return v.Disabled[name] }
}

func offCheck(v *view.View, args string) string {
	switch args {
	case "--force":
		return ""
	case "--cancel":
		return v.Disabled["check --cancel"]
	}
	return v.Disabled["check"]
}

func makeCheck(_ *view.View, args string) (Intent, error) {
	switch args {
	case "", "--force", "--cancel":
		return RunCheck{Force: args == "--force", Cancel: args == "--cancel"}, nil
	}
	return nil, fmt.Errorf("/check knows --force and --cancel, not %s", args)
}

func makeLand(_ *view.View, args string) (Intent, error) {
	var l Land
	for l.Message = args; strings.HasPrefix(l.Message, "--"); {
		var flag string
		switch flag, l.Message = word(l.Message); flag {
		case "--keep":
			l.Keep = true
		case "--with-changes":
			l.Changes = true
		default:
			return nil, fmt.Errorf("/land knows --keep and --with-changes, not %s", flag)
		}
	}
	return l, nil
}

func makeReject(_ *view.View, args string) (Intent, error) {
	if args == "" {
		return nil, errors.New("/reject needs notes: what has to change")
	}
	return Reject{args}, nil
}

func makeRegister(_ *view.View, args string) (Intent, error) {
	if args == "" {
		return nil, errors.New("/register needs --supervisor, --executor or --remove after it")
	}
	return Register{args}, nil
}
