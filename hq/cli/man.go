package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ferrus/hq/config"
	"ferrus/hq/tui/slash"
)

// manCommand prints the manual page, ferrus(1), from the same texts as the help.
func manCommand(std *streams) *cobra.Command {
	return &cobra.Command{
		Use: "man", Short: "Print the manual page", Hidden: true, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprint(std.out, manualPage(cmd.Root()))
			return err
		},
	}
}

// manualPage returns the page in the macros of man(7). It has no date, so that the same
// source gives the same page.
func manualPage(root *cobra.Command) string {
	var m roff
	m.macro("TH", "FERRUS", "1", "", "ferrus "+releaseVersion, "")
	m.macro("SH", "NAME")
	m.writeLine("ferrus - " + lowerFirst(root.Short))
	m.macro("SH", "SYNOPSIS")
	m.WriteString(`\fBferrus\fR [\fIcommand\fR] [\fIarguments\fR]` + "\n")
	m.macro("SH", "DESCRIPTION")
	about, _, _ := strings.Cut(root.Long, exitCodesHelp)
	m.writeText(about)
	m.macro("SH", "COMMANDS")
	for _, c := range root.Commands() {
		m.command(c)
	}
	m.macro("SH", "HQ")
	m.writeText("At the prompt of HQ:")
	for _, c := range slash.Table {
		m.entry(c.Usage(), c.Help)
	}
	m.macro("SH", "CONFIGURATION")
	m.writeText(config.File + " is at the root of the project. Every key has a default.")
	for _, k := range config.Keys() {
		name := k.Name
		if def := defaultOf(k); def != "" {
			name += " = " + def
		}
		m.entry(name, k.Help)
	}
	m.macro("SH", "EXIT STATUS")
	for _, e := range exitCodes {
		m.entry(fmt.Sprint(e.code), e.words)
	}
	m.macro("SH", "EXAMPLES")
	m.example(root.Example)
	return m.String()
}

// roff writes lines of man(7).
type roff struct{ strings.Builder }

func (m *roff) macro(name string, arguments ...string) {
	m.WriteString("." + name)
	for _, a := range arguments {
		m.WriteString(` "` + strings.ReplaceAll(escapeRoff(a), `"`, `\(dq`) + `"`)
	}
	m.WriteByte('\n')
}

// writeLine writes one line of text.
func (m *roff) writeLine(line string) { m.WriteString(escapeRoff(line) + "\n") }

// escapeRoff keeps text from being read as a request: backslashes, hyphens, and a dot or
// quote at the start of a line.
func escapeRoff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}

// writeText writes paragraphs; indented lines are kept as they are.
func (m *roff) writeText(long string) {
	literal := false
	for line := range strings.SplitSeq(strings.TrimRight(long, "\n"), "\n") {
		if indented := strings.HasPrefix(line, "  "); indented != literal && line != "" {
			m.macro(map[bool]string{true: "nf", false: "fi"}[indented])
			literal = indented
		}
		if line == "" {
			m.macro("PP")
			continue
		}
		m.writeLine(line)
	}
	if literal {
		m.macro("fi")
	}
}

func (m *roff) entry(name, words string) {
	m.macro("TP")
	m.macro("B", name)
	m.writeLine(words)
}

func (m *roff) example(text string) {
	if text == "" {
		return
	}
	m.macro("PP")
	m.macro("nf")
	for line := range strings.SplitSeq(text, "\n") {
		m.writeLine(line)
	}
	m.macro("fi")
}

// command writes a command with its flags and the commands below it.
func (m *roff) command(c *cobra.Command) {
	if c.Hidden || !c.Runnable() && !c.HasAvailableSubCommands() {
		return
	}
	m.macro("SS", c.CommandPath()+strings.TrimPrefix(c.Use, c.Name()))
	long := c.Long
	if long == "" {
		long = c.Short + "."
	}
	m.writeText(long)
	for line := range strings.Lines(c.LocalFlags().FlagUsages()) {
		flag, words, _ := strings.Cut(strings.TrimSpace(line), "   ")
		m.entry(flag, strings.TrimSpace(words))
	}
	m.example(c.Example)
	for _, below := range c.Commands() {
		m.command(below)
	}
}

// defaultOf returns the default of a key; agents are unknown to package config.
func defaultOf(k config.Key) string {
	switch k.Name {
	case "hq.supervisor.agent":
		return fmt.Sprintf("%q", agentNames().Supervisor())
	case "hq.executor.agent":
		return fmt.Sprintf("%q", agentNames().Executor())
	}
	return k.Default
}
