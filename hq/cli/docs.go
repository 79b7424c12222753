package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"ferrus/checks/tamper"
	"ferrus/hq/adversary"
	"ferrus/hq/config"
	"ferrus/machine/pair"
	"ferrus/machine/session"
	"ferrus/machine/task"
	"ferrus/machine/workflow"
	"ferrus/ui"
)

// tables are the pages that are written from the tables the program runs on, by
// the name they have in a document.
func tables(std *streams) map[string]string {
	all := map[string]string{
		"commands": commandTable(std),
		"config":   configTable(),
		"exits":    exitTable(),
		"agents":   agentTable(),
		"alarms":   alarmTable(),
		"liars":    liarTable(),
		"slash":    slashTable(),
		"keys":     keyTable(),
		"session":  sessionTable(),
		"pair":     pair.Table(pair.Policy{Iterations: 20, Silent: pair.SilentLimit}).Markdown(),
		"task":     task.Table(task.Limits{CheckRetries: 20, ReviewCycles: 3}).Markdown(),
		"diagram":  "```mermaid\n" + task.Table(task.Limits{CheckRetries: 20, ReviewCycles: 3}).Mermaid() + "```\n",
	}
	for _, kind := range workflow.Types {
		all["workflow-"+string(kind)] = workflowTable(workflow.Flows[kind])
	}
	return all
}

// workflowTable is a type of workflow: its diagram, and its table folded away.
func workflowTable(f *workflow.Flow) string {
	return fmt.Sprintf("```mermaid\n%s```\n\n<details><summary>every row of %s</summary>\n\n%s\n</details>\n\n", f.Mermaid(""), f.Type, f.Table.Markdown())
}

// docsCommand writes the generated parts of a document anew.
func docsCommand(std *streams) *cobra.Command {
	return &cobra.Command{
		Use: "docs <file>", Short: "Write the generated parts of a document", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			before, err := os.ReadFile(args[0])
			if err != nil {
				return fmt.Errorf("write the generated parts: %w", err)
			}
			after, err := generate(string(before), tables(std))
			if err != nil || after == string(before) {
				return err
			}
			return os.WriteFile(args[0], []byte(after), 0o644)
		},
	}
}

// The lines around a generated part.
const (
	beginMark = "<!-- generated: "
	endMark   = "<!-- end of generated -->"
)

// generate puts each table between its marks.
func generate(doc string, tables map[string]string) (string, error) {
	var b strings.Builder
	for rest := doc; ; {
		before, after, found := strings.Cut(rest, beginMark)
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		name, after, _ := strings.Cut(after, " -->")
		_, after, closed := strings.Cut(after, endMark)
		table, known := tables[name]
		if !known || !closed {
			return "", fmt.Errorf("write the generated parts: %q is not a table, or has no end", name)
		}
		fmt.Fprintf(&b, "%s%s -->\n%s%s", beginMark, name, table, endMark)
		rest = after
	}
}

func commandTable(std *streams) string {
	var b strings.Builder
	b.WriteString("| Command | What it does |\n|---|---|\n")
	root := rootCommand(std)
	fmt.Fprintf(&b, "| `ferrus` | open HQ |\n")
	for _, c := range root.Commands() {
		if !c.Hidden && c.Runnable() {
			fmt.Fprintf(&b, "| `ferrus %s` | %s |\n", cell(usageLine(c)), cell(lowerFirst(c.Short)))
		}
	}
	return b.String()
}

// usageLine is the command with its own flags.
func usageLine(c *cobra.Command) string {
	line := c.Use
	for _, flag := range strings.Split(strings.TrimSpace(c.LocalFlags().FlagUsages()), "\n") {
		words := strings.Fields(flag)
		if len(words) == 0 {
			continue
		}
		name := strings.TrimSuffix(words[0], ",")
		if len(words) > 1 && strings.HasPrefix(words[1], "--") {
			name = words[1]
		}
		line += " [" + name + "]"
	}
	return line
}

func configTable() string {
	var b strings.Builder
	b.WriteString("| Key | Default | What it is |\n|---|---|---|\n")
	for _, k := range config.Keys() {
		def := defaultOf(k)
		if def != "" {
			def = "`" + def + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.Name, def, cell(k.Words))
	}
	return b.String()
}

// defaultOf knows the agents, which package config does not.
func defaultOf(k config.Key) string {
	switch k.Name {
	case "hq.supervisor.agent":
		return fmt.Sprintf("%q", agentNames().Supervisor())
	case "hq.executor.agent":
		return fmt.Sprintf("%q", agentNames().Executor())
	}
	return k.Default
}

// alarmTable lists what a change may do to its own checks.
func alarmTable() string {
	var b strings.Builder
	b.WriteString("| Alarm | What it says | Who may approve |\n|---|---|---|\n")
	for _, r := range tamper.Rules() {
		who := "a reviewer"
		if r.Person {
			who = "you"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.Name, cell(r.Why), who)
	}
	return b.String()
}

// liarTable lists the ways to cheat that the tests try.
func liarTable() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d agents that lie are in the tests (`hq/adversary`), and %d are caught:\n\n", len(adversary.All), len(adversary.All))
	b.WriteString("| An agent that | is caught: |\n|---|---|\n")
	for _, l := range adversary.All {
		fmt.Fprintf(&b, "| %s | %s |\n", cell(l.Does), cell(l.Caught))
	}
	return b.String()
}

// sessionTable has the rows for the limits that ferrus.toml has by itself; only
// the words of a row name a limit.
func sessionTable() string {
	c := config.Default().Session
	return session.Table(session.Policy{MaxConsecutive: c.MaxConsecutiveErrors, MaxTotal: c.MaxTotalErrors}).Markdown()
}

func exitTable() string {
	var b strings.Builder
	b.WriteString("| Code | Means |\n|---|---|\n")
	for _, e := range exitCodes {
		fmt.Fprintf(&b, "| %d | %s |\n", e.code, e.words)
	}
	return b.String()
}

// slashTable lists what HQ's prompt takes.
func slashTable() string {
	var b strings.Builder
	b.WriteString("| At the prompt | What it does |\n|---|---|\n")
	for _, c := range ui.Commands {
		fmt.Fprintf(&b, "| `%s` | %s |\n", cell(strings.TrimSpace("/"+c.Name+" "+c.Args)), cell(c.Help))
	}
	return b.String()
}

// keyTable lists the keys of HQ.
func keyTable() string {
	var b strings.Builder
	b.WriteString("| Key | Where | What it does | In `[keys]` |\n|---|---|---|---|\n")
	for _, k := range ui.Keys {
		name := "`" + k.Name + "`"
		if k.Fixed {
			name = ""
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", cell(k.Label), k.Place, cell(k.Help), name)
	}
	return b.String()
}
