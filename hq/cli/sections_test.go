package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"ferrus/agent"
	"ferrus/checks/tamper"
	"ferrus/hq/adversary"
	"ferrus/hq/config"
	"ferrus/hq/guide"
	"ferrus/hq/tui/slash"
	"ferrus/machine/flow"
	"ferrus/machine/pair"
	"ferrus/machine/session"
	"ferrus/machine/task"
	"ferrus/ui"
)

// sections returns the generated parts of the documents by name.
func sections(t *testing.T) map[string]string {
	limits := task.Limits{CheckRetries: 20, ReviewCycles: 3}
	s := config.Default().Session
	all := map[string]string{
		"topics":         topicList(),
		"task-diagram":   mermaid(task.Table(limits).Mermaid()),
		"slash-commands": slashTable(),
		"keys":           keyTables(),
		"agents":         agentTable(),
		"alarms":         alarmTable(),
		"adversaries":    adversaryTable(),
		"config":         configTables(),
		"commands":       commandTables(),
		"exit-codes":     exitTable(),
		"mcp-tools":      toolTables(t),
		"mcp-resources":  resourceTable(t),
		"task-machine":   task.Table(limits).Markdown(),
		"session-machine": session.Table(session.Policy{MaxConsecutive: s.MaxConsecutiveErrors,
			MaxTotal: s.MaxTotalErrors}).Markdown(),
		"pair-machine": pair.Table(pair.Policy{Iterations: 20, Silent: pair.SilentLimit}).Markdown(),
	}
	for _, kind := range flow.Types {
		all[string(kind)+"-diagram"] = mermaid(flow.Of(kind).Mermaid(""))
		all[string(kind)+"-machine"] = flow.Of(kind).Table.Markdown()
	}
	return all
}

func mermaid(diagram string) string { return "```mermaid\n" + diagram + "```\n" }

// table returns rows of cells as Markdown.
func table(head []string, rows ...[]string) string {
	var b strings.Builder
	line := func(cells []string) {
		for i := range cells {
			cells[i] = cell(cells[i])
		}
		b.WriteString(strings.TrimRight("| "+strings.Join(cells, " | "), " ") + " |\n")
	}
	line(head)
	b.WriteString("|" + strings.Repeat("---|", len(head)) + "\n")
	for _, r := range rows {
		line(r)
	}
	return b.String()
}

func monospace(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}

func topicList() string {
	var b strings.Builder
	for _, part := range guide.Parts {
		fmt.Fprintf(&b, "\n## %s\n\n", part.Title)
		for _, t := range part.Topics() {
			fmt.Fprintf(&b, "* [%s](%[1]s.md): %s\n", t.Name, lowerFirst(strings.TrimSuffix(t.Summary, ".")))
		}
	}
	return b.String() + "\n"
}

// commandTables returns a table for each group of the help, with subcommands below their command.
func commandTables() string {
	var b strings.Builder
	root := rootCommand(&streams{})
	for _, g := range root.Groups() {
		var rows [][]string
		for _, c := range root.Commands() {
			if c.GroupID == g.ID {
				rows = append(rows, commandRows(c)...)
			}
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s", strings.TrimSuffix(g.Title, ":"),
			table([]string{"Command", "What it does", "Flags"}, rows...))
	}
	return b.String() + "\n"
}

func commandRows(c *cobra.Command) (rows [][]string) {
	rows = append(rows, []string{monospace(strings.TrimSuffix(c.UseLine(), " [flags]")),
		lowerFirst(c.Short), flagNames(c)})
	for _, below := range c.Commands() {
		if !below.Hidden && below.Name() != "help" && c.Name() != "completion" {
			rows = append(rows, commandRows(below)...)
		}
	}
	return rows
}

// flagNames returns the flags of a command, without --help.
func flagNames(c *cobra.Command) string {
	var names []string
	for line := range strings.Lines(c.LocalFlags().FlagUsages()) {
		for _, word := range strings.Fields(line) {
			if name := strings.TrimSuffix(word, ","); strings.HasPrefix(name, "--") && name != "--help" {
				names = append(names, monospace(name))
				break
			}
		}
	}
	return strings.Join(names, " ")
}

func configTables() string {
	var names []string
	rows := map[string][][]string{}
	for _, k := range config.Keys() {
		i := strings.LastIndexByte(k.Name, '.')
		name := k.Name[:i]
		if rows[name] == nil {
			names = append(names, name)
		}
		rows[name] = append(rows[name], []string{monospace(k.Name[i+1:]), monospace(defaultOf(k)), k.Help})
	}
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "\n## [%s]\n\n%s", name, table([]string{"Key", "Default", "Meaning"}, rows[name]...))
	}
	return b.String() + "\n"
}

func alarmTable() string {
	var rows [][]string
	for _, r := range tamper.Rules() {
		who := "a reviewer"
		if r.NeedsHuman {
			who = "you"
		}
		rows = append(rows, []string{monospace(r.Name), r.Why, who})
	}
	return table([]string{"Alarm", "What it says", "Who may approve"}, rows...)
}

func adversaryTable() string {
	var rows [][]string
	for _, a := range adversary.All {
		rows = append(rows, []string{a.Does, a.CaughtBy})
	}
	intro := fmt.Sprintf("The tests contain %d agents that cheat (`hq/adversary`), and all %[1]d are caught:\n\n",
		len(rows))
	return intro + table([]string{"An agent that", "is caught:"}, rows...)
}

func exitTable() string {
	var rows [][]string
	for _, e := range exitCodes {
		rows = append(rows, []string{fmt.Sprint(e.code), e.words})
	}
	return table([]string{"Code", "Meaning"}, rows...)
}

func slashTable() string {
	var rows [][]string
	for _, c := range slash.Table {
		rows = append(rows, []string{monospace(c.Usage()), c.Help})
	}
	return table([]string{"At the prompt", "What it does"}, rows...)
}

// keyTables returns a table for each place where keys apply.
func keyTables() string {
	var b strings.Builder
	var places []string
	rows := map[string][][]string{}
	for _, k := range ui.Keys {
		name := monospace(string(k.Action))
		if k.Fixed {
			name = ""
		}
		place := k.In.String()
		if rows[place] == nil {
			places = append(places, place)
		}
		rows[place] = append(rows[place], []string{k.Label, k.Help, name})
	}
	for _, p := range places {
		fmt.Fprintf(&b, "\n## %s%s\n\n%s", strings.ToUpper(p[:1]), p[1:],
			table([]string{"Key", "What it does", "In `[keys]`"}, rows[p]...))
	}
	return b.String() + "\n"
}

// invokes reports whether an adapter has a command line for a mode.
func invokes(a agent.Adapter, interactive, noServer bool) bool {
	_, err := a.Invoke(agent.Launch{
		Role: "executor", Mode: "work", Prompt: "x", Workspace: "/", Project: "/", Ferrus: "/ferrus",
		Interactive: interactive, NoServer: noServer,
	})
	return err == nil
}

// agentTable says what each agent can do, as its adapter words it. The last row is your own
// program.
func agentTable() string {
	yes := func(can bool) string { return map[bool]string{true: "yes", false: "no"}[can] }
	ownScreen := func(a agent.Adapter) string {
		if agent.Dialog(a) {
			return "a dialog"
		}
		return yes(invokes(a, true, false))
	}
	var rows [][]string
	for _, name := range agent.Names() {
		a, err := agent.Lookup(name, nil)
		if err != nil || a.Binary() == "" {
			continue
		}
		reports := "nothing"
		if tokens, cost := agent.ReportsUsage(name); tokens {
			reports = "tokens" + map[bool]string{true: ", cost"}[cost]
		}
		_, registers := a.(agent.Registrar)
		rows = append(rows, []string{monospace(name), yes(invokes(a, false, false)), ownScreen(a),
			yes(invokes(a, false, true)), yes(registers), reports})
	}
	rows = append(rows,
		[]string{monospace("[agent.<name>] command"), "yes", "with `interactive_command`", "yes", "no", "nothing"},
		[]string{monospace("[agent.<name>] acp"), "yes", "a dialog", "yes", "no", "what the agent says"})
	return table([]string{"Agent", "Loop, headless", "Loop, own screen", "Pair", "`ferrus register`", "Reports"},
		rows...) + "\n"
}
