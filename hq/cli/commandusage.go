package cli

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
)

// printUsage prints what cobra would, with the topics of the guide. It is not a template: with
// text/template the linker keeps each exported method of the program, which is 3 MB.
func printUsage(c *cobra.Command) error {
	var b strings.Builder
	b.WriteString("Usage:")
	if c.Runnable() {
		b.WriteString("\n  " + c.UseLine())
	}
	if c.HasAvailableSubCommands() {
		b.WriteString("\n  " + c.CommandPath() + " [command]")
	}
	if c.HasExample() {
		b.WriteString("\n\nExamples:\n" + c.Example)
	}
	writeCommands(&b, c)
	if c.HasAvailableLocalFlags() {
		b.WriteString("\n\nFlags:\n" + trimSpaceRight(c.LocalFlags().FlagUsages()))
	}
	if !c.HasParent() {
		b.WriteString("\n\nHelp topics, each printed by ferrus help <topic>:\n" + trimSpaceRight(topicNames()))
	}
	_, err := fmt.Fprintln(c.OutOrStderr(), b.String())
	return err
}

// writeCommands lists what is below a command, in groups if it has any.
func writeCommands(b *strings.Builder, c *cobra.Command) {
	line := func(c *cobra.Command) { fmt.Fprintf(b, "\n  %-*s %s", c.NamePadding(), c.Name(), c.Short) }
	for _, group := range c.Groups() {
		b.WriteString("\n\n" + group.Title)
		for _, below := range c.Commands() {
			if below.GroupID == group.ID {
				line(below)
			}
		}
	}
	if len(c.Groups()) > 0 || !c.HasAvailableSubCommands() {
		return
	}
	b.WriteString("\n\nCommands:")
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() {
			line(below)
		}
	}
}

func trimSpaceRight(s string) string { return strings.TrimRightFunc(s, unicode.IsSpace) }
