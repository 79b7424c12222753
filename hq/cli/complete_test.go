package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// typedFlags are flags whose values a shell cannot complete.
var typedFlags = []string{
	"worker --nats", "worker --creds", "worker --ca", "worker --name", "worker --labels", "worker --slots",
	"answer --code", "demo --dir", "demo --request", "demo --speed", "demo --tasks",
	"doctor --bundle", "init --agents-path",
	"land --message", "log --lines",
	"adopt --text", "diff --round", "review --from", "review --pull-request", "review --note",
	"pair --done", "pair --max-iterations", "run --file", "stats --since", "task add --file", "task edit --file",
	"task add --touches", "task add --needs", "task edit --touches", "workflow start --text",
	"workflow cancel --reason",
}

// typedArguments are commands whose first argument is a text.
var typedArguments = []string{"answer", "approve", "reject", "run", "pair", "sandbox", "task add", "workflow approve",
	"workflow revise", "workflow unblock", "workflow replan"}

// TestCompletionsAreOfCommands finds commands and flags with a value that a shell could complete
// but does not, and completions of commands that no longer exist.
func TestCompletionsAreOfCommands(t *testing.T) {
	t.Parallel()
	all := completions()
	for _, c := range everyCommand(rootCommand((&streams{}))) {
		path := strings.TrimPrefix(c.CommandPath(), "ferrus ")
		if takes := strings.ContainsAny(c.Use, "[<\""); takes != (all[path] != nil) &&
			!slices.Contains(typedArguments, path) {
			t.Errorf("ferrus %s completes its argument: %v", c.Use, !takes)
		}
		delete(all, path)
		for _, line := range strings.Split(strings.TrimSpace(c.LocalFlags().FlagUsages()), "\n") {
			_, name, _ := strings.Cut(line, "--")
			name, value, _ := strings.Cut(name, " ")
			at := path + " --" + name
			if takes := name != "" && value != "" && value[0] != ' '; takes != (all[at] != nil) &&
				!slices.Contains(typedFlags, at) {
				t.Errorf("ferrus %s completes its value: %v", at, !takes)
			}
			delete(all, at)
		}
	}
	for at := range all {
		t.Errorf("there is no ferrus %s to complete", at)
	}
}

// everyCommand returns the commands of a tree that users run.
func everyCommand(root *cobra.Command) (all []*cobra.Command) {
	for _, c := range root.Commands() {
		if c.Hidden || c.Name() == "completion" || c.Name() == "serve" { // serve is written by register
			continue
		}
		all = append(append(all, c), everyCommand(c)...)
	}
	return all
}
