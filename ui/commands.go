package ui

import (
	"errors"
	"fmt"
	"strings"
)

// Command is one slash command. The table of them is the help, the completion
// and the page in the README.
type Command struct {
	Name  string // without the slash
	Args  string // [--force|--cancel]
	Words string
	// Off says why it cannot be given now; empty when it can.
	Off func(v *View, args string) string
	// Complete suggests the word after those already typed.
	Complete func(v *View, words []string) []Suggestion
	// Discovers says that it suggests what is not in a View before it is looked for:
	// see [Discover].
	Discovers bool
	// Make reads the arguments.
	Make func(v *View, args string) (Intent, error)
}

// Commands is the one table of commands, in the order they are shown.
var Commands []Command

func init() { // Commands holds functions that look at Commands.
	Commands = []Command{
		{Name: "task", Args: "[--manual | --again | --now] [--with-changes] [text]", Words: "a supervisor writes the task with you, from the selected milestone; --manual without it; --again though it is done; --now creates it as written; --with-changes takes what is not committed into its work tree",
			Off: func(v *View, _ string) string { return v.Allowed.Task }, Complete: options(taskOptions), Make: makeTask},
		{Name: "plan", Args: "[text]", Words: "a supervisor plans: specs and tasks", Make: session("plan", "supervisor")},
		{Name: "spec", Args: "[text]", Words: "a supervisor writes a spec with you", Make: session("spec", "supervisor")},
		{Name: "milestones", Args: "[spec [milestone]]", Words: "choose the milestone that the next task comes from, from a list or by its names", Complete: completeMilestones, Discovers: true, Make: makeMilestones},
		{Name: "supervisor", Words: "a supervisor session without a purpose", Make: session("free", "supervisor")},
		{Name: "executor", Words: "an executor session without a purpose", Make: session("free", "executor")},
		{Name: "pair", Args: "<task> | --resume [id] | --list", Words: "two agents without tools: one works, the gate proves, the other reviews; --mode review, consensus or single, --primary and --secondary name agents, --done the word that ends the work; --resume goes on with a run, --list shows them",
			Off: offPair, Complete: options(pairOptions), Discovers: true, Make: makePair},
		{Name: "check", Args: "[--force | --cancel]", Words: "run the check gate; --force runs and records it but changes no state", Off: offCheck, Complete: first(checkWords...), Make: makeCheck},
		{Name: "approve", Args: "[note]", Words: "accept the submission",
			Off: func(v *View, _ string) string { return v.Allowed.Approve }, Make: func(_ *View, a string) (Intent, error) { return Approve{a}, nil }},
		{Name: "reject", Args: "<notes>", Words: "send the submission back with notes",
			Off: func(v *View, _ string) string { return v.Allowed.Reject }, Make: makeReject},
		{Name: "land", Args: "[--keep] [--with-changes] [message]", Words: "bring approved work home: shows it and asks; what does not fit onto the branch goes back to the executor, or is undone with --keep",
			Off: func(v *View, _ string) string { return v.Allowed.Land }, Complete: options(landOptions), Make: makeLand},
		{Name: "retry", Words: "go on with a failed task, counters at 0",
			Off: func(v *View, _ string) string { return v.Allowed.Retry }, Make: bare(Retry{})},
		{Name: "review", Words: "start a reviewer now", Off: func(v *View, _ string) string { return v.Allowed.Review }, Make: bare(Review{})},
		{Name: "workflow", Args: "[<type> <title> | approve [note] | revise <notes> | unblock | replan | cancel]", Words: "where the workflow stands, and what is missing; begin one: feature, debug, refactor, oneshot; or answer it",
			Complete: first(workflowWords...), Make: makeWorkflow},
		{Name: "model", Args: "[role model | role --clear]", Words: "choose the model of a role; alone: a list to choose from", Complete: completeModel, Discovers: true, Make: makeModel},
		{Name: "register", Args: "--<role> <agent>", Words: "set the agents up for use outside HQ too; --remove undoes it",
			Complete: options(registerOptions), Discovers: true, Make: makeRegister},
		{Name: "resume", Args: "[slot]", Words: "clear a hold and go on; with a slot: start its session again",
			Off: func(v *View, _ string) string { return v.Allowed.Resume }, Complete: slots, Make: makeResume},
		{Name: "trust", Words: "let the check commands that /status shows run on this machine", Make: bare(Trust{})},
		{Name: "attach", Args: "<slot>", Words: "give the keys to the pane of a slot", Complete: slots, Make: makeAttach},
		{Name: "tell", Args: "<slot> <text>", Words: "tell the session of a slot something: it is interrupted, or its waiting tool returns with it", Complete: slots, Make: makeTell},
		{Name: "status", Words: "everything that is known of the task, the sessions and what is open", Make: bare(openStatus{})},
		{Name: "inbox", Words: "everything that waits for you: answer it, go there, or put it off", Make: bare(openInbox{})},
		{Name: "show", Args: "[task | submission | review | spec [name] | <task id>]", Words: "a text of the task, a specification (the newest, or by its name), or the texts of a task that was put away", Complete: completeShow, Discovers: true, Make: makeShow},
		{Name: "log", Words: "the journal as a timeline; Enter tells all that belongs to an entry", Make: bare(openLog{})},
		{Name: "diff", Words: "what the task changed since it began, file by file", Off: func(v *View, _ string) string { return v.Allowed.Diff }, Make: bare(openDiff{})},
		{Name: "stop", Words: "end all sessions and hold", Off: func(v *View, _ string) string { return v.Allowed.Stop }, Make: bare(Stop{})},
		{Name: "reset", Words: "put the task away and go back to Idle; asks first", Off: func(v *View, _ string) string { return v.Allowed.Reset }, Make: bare(askReset{})},
		{Name: "reset-spec", Words: "select no specification and no milestone", Make: bare(Choose{})},
		{Name: "help", Args: "[command]", Words: "commands and keys, or one command", Complete: completeHelp, Make: makeHelp},
		{Name: "quit", Words: "leave ferrus; asks while a session lives", Make: bare(askQuit{})},
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
func Parse(v *View, line string) (Intent, error) {
	name, args := word(strings.TrimPrefix(strings.TrimSpace(line), "/"))
	c, ok := Lookup(name)
	if !ok {
		return nil, fmt.Errorf("there is no command /%s: Tab shows what there is; a blank in front makes it plain text", Clean(name))
	}
	intent, err := c.Make(v, args)
	if err != nil {
		return nil, err
	}
	if c.Off != nil {
		if why := c.Off(v, args); why != "" {
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

func bare(i Intent) func(*View, string) (Intent, error) {
	return func(_ *View, args string) (Intent, error) {
		if args != "" {
			return nil, fmt.Errorf("this command takes nothing after its name: %q", args)
		}
		return i, nil
	}
}

func session(mode, role string) func(*View, string) (Intent, error) {
	return func(_ *View, args string) (Intent, error) {
		if mode == "free" && args != "" {
			return nil, fmt.Errorf("/%s takes no text: type it into the pane", role)
		}
		return Session{mode, role, args}, nil
	}
}

func makeTask(v *View, args string) (Intent, error) {
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

func makeWorkflow(_ *View, args string) (Intent, error) {
	if word, _, _ := strings.Cut(args, " "); word == "cancel" {
		return askCancel{args}, nil
	}
	return Workflow{args}, nil
}

func offCheck(v *View, args string) string {
	switch args {
	case "--force":
		return ""
	case "--cancel":
		return v.Allowed.Cancel
	}
	return v.Allowed.Check
}

func makeCheck(_ *View, args string) (Intent, error) {
	switch args {
	case "", "--force", "--cancel":
		return RunCheck{Force: args == "--force", Cancel: args == "--cancel"}, nil
	}
	return nil, fmt.Errorf("/check knows --force and --cancel, not %s", args)
}

func makeLand(_ *View, args string) (Intent, error) {
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

func makeReject(_ *View, args string) (Intent, error) {
	if args == "" {
		return nil, errors.New("/reject needs notes: what has to change")
	}
	return Reject{args}, nil
}

func makeRegister(_ *View, args string) (Intent, error) {
	if args == "" {
		return nil, errors.New("/register needs --supervisor, --executor or --remove after it")
	}
	return Register{args}, nil
}
