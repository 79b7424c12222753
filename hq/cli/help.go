package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ferrus/hq/config"
)

// exitCodes are the exit codes.
var exitCodes = []struct {
	code  int
	words string
}{
	{0, "done"},
	{codeError, "an error, a refusal or a red gate"},
	{codeUsage, "the command was not understood"},
	{codeWaiting, "a person is needed: a question is open, or the task is on hold"},
	{codeInterrupted, "interrupted"},
}

// exitHelp and configHelp are pages of help, not commands.
func exitHelp() *cobra.Command {
	var b strings.Builder
	b.WriteString("Every command of ferrus ends with one of these:\n\n")
	for _, e := range exitCodes {
		fmt.Fprintf(&b, "  %3d  %s\n", e.code, e.words)
	}
	return &cobra.Command{Use: "exit-codes", Short: "What the exit codes mean", Long: b.String()}
}

func configHelp() *cobra.Command {
	c := &cobra.Command{Use: "config", Short: "Every key of ferrus.toml"}
	c.SetHelpFunc(func(cmd *cobra.Command, _ []string) { fmt.Fprint(cmd.OutOrStdout(), configPage()) })
	return c
}

// configPage lists the keys by section.
func configPage() string {
	var b strings.Builder
	b.WriteString("ferrus.toml lies at the root of the project. Every key has a default:\n")
	section := ""
	for _, k := range config.Keys() {
		i := strings.LastIndexByte(k.Name, '.')
		if s := k.Name[:i]; s != section {
			section = s
			fmt.Fprintf(&b, "\n[%s]\n", strings.ReplaceAll(section, "*", "<name>"))
		}
		word := strings.ReplaceAll(k.Name[i+1:], "*", "<action>")
		if def := defaultOf(k); def != "" {
			word += " = " + def
		}
		fmt.Fprintf(&b, "  %-31s %s\n", word, k.Words)
	}
	return b.String()
}
