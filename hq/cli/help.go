package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ferrus/agent/suggest"
	"ferrus/hq/guide"
)

// exitCodes are the exit codes.
var exitCodes = []struct {
	code  int
	words string
}{
	{0, "success"},
	{codeError, "an error, a refusal or a failed check"},
	{codeUsage, "the command was not understood"},
	{codeWaiting, "waiting for you: a question, an approval, another decision, or a hold"},
	{codeInterrupted, "interrupted"},
}

const exitCodesHelp = `

Exit codes: 0 success; 1 error, refusal or failed check; 2 usage; 3 waiting for
you; 130 interrupted.`

// helpCommand shows the help of a command, or a topic of the guide; of a word that is both, the command
// first.
func helpCommand(std *streams) *cobra.Command {
	return &cobra.Command{
		Use: "help [command or topic]", Short: "Show help for a command or topic", GroupID: "inspect",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return helpWords(cmd.Root()), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			isCommand := err == nil && len(rest) == 0
			topic, isTopic := guide.Find(strings.Join(args, "-"))
			switch {
			case !isCommand && !isTopic:
				return unknownTopic(cmd, strings.Join(args, " "))
			case isCommand:
				found.InitDefaultHelpFlag()
				if err := found.Help(); err != nil || !isTopic {
					return err
				}
				fmt.Fprintln(std.out)
			}
			_, err = fmt.Fprint(std.out, topic.ForTerminal())
			return err
		},
	}
}

// unknownTopic reports a word that is neither a command nor a topic.
func unknownTopic(cmd *cobra.Command, word string) error {
	var known []string
	for _, described := range helpWords(cmd.Root()) {
		name, _, _ := strings.Cut(described, "\t")
		known = append(known, name)
	}
	hint := "run: ferrus help"
	if near := suggest.Word(word, known); near != "" {
		hint = "did you mean: ferrus help " + near + "?"
	}
	return misuse(fmt.Sprintf("there is no help topic %q", word), hint)
}

// helpWords returns the commands and topics with what a shell shows beside them.
func helpWords(root *cobra.Command) (all []string) {
	for _, c := range root.Commands() {
		if !c.Hidden {
			all = append(all, withDescription(c.Name(), c.Short))
		}
	}
	for _, t := range guide.List() {
		all = append(all, withDescription(t.Name, t.Summary))
	}
	slices.Sort(all)
	return all
}

// topicNames lists the topics at the end of the help, a line for each part.
func topicNames() string {
	var b strings.Builder
	for _, part := range guide.Parts {
		var names []string
		for _, t := range part.Topics() {
			names = append(names, t.Name)
		}
		line := fmt.Sprintf("  %-11s", part.Title)
		for i, name := range names {
			if len(line)+len(name) > 76 {
				fmt.Fprintln(&b, strings.TrimRight(line, " "))
				line = strings.Repeat(" ", 13)
			}
			if line += " " + name; i < len(names)-1 {
				line += ","
			}
		}
		fmt.Fprintln(&b, line)
	}
	return b.String()
}
