package slash

import (
	"context"
	"errors"
	"strings"

	"ferrus/ui/dialog"
	"ferrus/ui/intent"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

var registerOptions = []option{
	{name: "--supervisor", help: "plans and reviews", takes: registrable},
	{name: "--executor", help: "implements", takes: registrable},
	{name: "--supervisor-model", help: "the supervisor's model", takes: modelsOf("supervisor")},
	{name: "--executor-model", help: "the executor's model", takes: modelsOf("executor")},
	{name: "--remove", help: "undo it, for the given roles or for all"},
}

func registrable(v *view.View) []view.Suggestion { return suggest(v.Agents) }

// register sets the agents up, as the flags of ferrus register say.
type register struct{ Flags string }

// parseRegister asks during a task, whose change the files would become a part of.
func parseRegister(v *view.View, args string) (intent.Intent, error) {
	if args == "" {
		return nil, errors.New("/register needs --supervisor, --executor or --remove")
	}
	if v.Disabled["task"] == "" { // no task is open
		return register{args}, nil
	}
	return dialog.Open{Dialog: dialog.Question{
		Of: dialog.KindRegister, Title: "Register during a task?",
		Yes: dialog.Button{Words: "write the files", Intent: register{args}},
		Text: "This writes ferrus.toml, the agents' own configuration and backups into this directory, where " +
			"they become part of the task's change. The open task keeps its agents.",
	}}, nil
}

// Intent implements [intent.Intent].
func (register) Intent() {}

// Run registers the agents.
func (r register) Run(ctx context.Context, e *Env) (Result, error) {
	return report(e.Project.Register(ctx, r.Flags))
}

// CommandLine returns the command with its flags.
func (r register) CommandLine() string { return "/register " + r.Flags }

// trust trusts the check commands that the screen shows.
type trust struct{ once }

// Run trusts them.
func (trust) Run(ctx context.Context, e *Env) (Result, error) {
	v := e.Viewer.View()
	shown := v.Gate.Untrusted
	if v.Moved != "" {
		return report("ferrus continues its record: "+text.Sanitize(v.Moved), e.Gate.Trust(ctx, nil))
	}
	if len(shown) == 0 {
		return report("Nothing to do: the check commands are trusted on this machine", nil)
	}
	words := "These check commands are trusted on this machine: " + text.Sanitize(strings.Join(shown, "; "))
	return report(words, e.Gate.Trust(ctx, shown))
}
