package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ferrus/agent"
	"ferrus/agent/sandbox"
	"ferrus/checks/git"
	"ferrus/hq/adopt"
	"ferrus/hq/advice"
	"ferrus/hq/core"
	"ferrus/hq/pair"
	"ferrus/hq/project"
	"ferrus/hq/register"
	"ferrus/hq/workflow"
	"ferrus/hq/worktree"
	"ferrus/machine/flow"
	"ferrus/ui/text"
)

// completions returns, by command and flag, what a shell completes the first argument
// or the value with. What cannot be read completes nothing.
func completions() map[string]func(cmd *cobra.Command) []string {
	ids, tasks, agents := fromProject(workflowIDs), fromProject(taskIDs), fromProject(knownAgents)
	items, workers := fromProject(itemWords), fromProject(workerNames)
	types, registered := fixedWords(flow.Types...), fixedWords(register.Names()...)
	all := map[string]func(*cobra.Command) []string{
		"attach": slotWords, "logs": slotWords, "tell": slotWords, "switch": fixedWords("supervisor", "executor"),
		"task show": items, "task move": items, "task move --before": items, "task edit": items,
		"task edit --after": items, "task add --after": items, "task hold": items, "task resume": items,
		"task cancel": items, "task path": items, "task retry": items, "task approve": items, "task shell": items,
		"unland": items, "adopt": fromProject(adoptable),
		"worker drain": workers, "worker resume": workers, "worker copy": workers,
		"adopt --agent": fixedWords(append(adopt.Agents(), adopt.NoAgent)...),
		"tasks":         tasks, "report": tasks, "land": tasks, "worktree remove": tasks,
		"task add --spec": fromProject(specWords), "run --spec": fromProject(specWords),
		"specs": fromProject(specWords), "specs --select": fromProject(milestoneWords),
		"pair --mode": fixedWords(pair.Modes...), "pair --primary": agents, "pair --secondary": agents,
		"pair --resume": fromProject(runIDs), "pair --tell": fromProject(runIDs),
		"register --supervisor": registered, "register --supervisor-model": fromProject(modelsOf("supervisor")),
		"register --executor": registered, "register --executor-model": fromProject(modelsOf("executor")),
		"network": fixedWords(advice.HostAnswers...), "permit": fixedWords(core.PermissionAnswers...),
		"merge":             fixedWords("again", "accept", "resume"),
		"sandbox --network": fixedWords(sandbox.Open, sandbox.Proxied, sandbox.Unshared),
		"workflow start":    types, "workflow start --policy": fixedWords(flow.Always, flow.Never, flow.OnRequest),
		"workflow show": ids, "workflow status --id": ids, "workflow approve --id": ids, "workflow revise --id": ids,
		"workflow unblock --id": ids, "workflow replan --id": ids, "workflow cancel --id": ids,
		"workflow cleanup --id": ids, "demo --workflow": types,
	}
	for _, command := range advice.TaskCommands {
		all[command+" --task"] = items
	}
	return all
}

// addCompletions gives every command of a tree its completions, and keeps the shell
// from offering files elsewhere.
func addCompletions(root *cobra.Command) {
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	for at, words := range completions() {
		path, flag, ofFlag := strings.Cut(at, " --")
		c, _, err := root.Find(strings.Fields(path))
		if err != nil {
			panic(err) // TestCompletionsAreOfCommands
		}
		if !ofFlag {
			c.ValidArgsFunction = completionFunc(words, true)
		} else if err := c.RegisterFlagCompletionFunc(flag, completionFunc(words, false)); err != nil {
			panic(err) // as above
		}
	}
	describeCompletion(root)
}

// describeCompletion replaces cobra's help of the completion command.
func describeCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	c, _, err := root.Find([]string{"completion"})
	if err != nil {
		panic(err) // the line above adds it
	}
	c.Short = "Print a completion script for your shell"
	c.Long = "Prints a script with which your shell completes ferrus's commands, flags, tasks and\n" +
		"slots. The help of each shell says how to load it."
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usageError(c, fmt.Sprintf("unknown shell %q", args[0]))
		}
		return c.Help()
	}
	c.Args = nil // as RunE says
	for _, shell := range c.Commands() {
		shell.Args = noArgs
		shell.Short = "Print the completion script for " + shell.Name()
	}
}

func completionFunc(words func(*cobra.Command) []string, first bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if first && len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return words(cmd), cobra.ShellCompDirectiveNoFileComp
	}
}

func fixedWords[T ~string](words ...T) func(*cobra.Command) []string {
	return func(*cobra.Command) (all []string) {
		for _, w := range words {
			all = append(all, string(w))
		}
		return all
	}
}

func fromProject(words func(*project.Task) []string) func(*cobra.Command) []string {
	return func(*cobra.Command) []string {
		pr, err := openProject()
		if err != nil {
			return nil
		}
		return words(pr)
	}
}

func slotWords(*cobra.Command) []string { return strings.Split(core.SlotNames(), ", ") }

// withDescription returns a word with what a shell shows beside it.
func withDescription(word, words string) string {
	return text.Sanitize(word) + "\t" + text.Sanitize(words)
}

func taskIDs(pr *project.Task) (all []string) {
	tasks, _ := newestTasks(pr, maxSuggestedTasks) // as many as can be read
	for _, t := range tasks {
		all = append(all, withDescription(t.ID, t.describe()+"  "+t.Title))
	}
	return all
}

func itemWords(pr *project.Task) (all []string) {
	rows, _ := queueRows(pr) // as above
	for _, r := range rows {
		if !r.Final() {
			all = append(all, withDescription(fmt.Sprint(r.N), string(r.State)+"  "+r.Title))
		}
	}
	return all
}

// workerNames returns the workers of ferrus.toml.
func workerNames(pr *project.Task) []string {
	cfg, _ := pr.Config() // the last good one
	return slices.Sorted(maps.Keys(cfg.Worker))
}

// adoptable returns the other worktrees of the repository that belong to no task.
func adoptable(pr *project.Task) (all []string) {
	r, err := git.Locate(pr.Dir)
	if err != nil {
		return nil
	}
	lines, _ := r.Places().List(context.Background(), "worktree", "list", "--porcelain", "-z") // as above
	for _, line := range lines {
		dir, is := strings.CutPrefix(line, "worktree ")
		if _, ours := worktree.Find(dir); is && !ours && dir != r.Top {
			all = append(all, text.Sanitize(dir))
		}
	}
	return all
}

func runIDs(pr *project.Task) (all []string) {
	runs, _ := pair.List(pr) // as above
	for _, m := range runs {
		all = append(all, withDescription(m.ID, pairRun(m).Status))
	}
	return all
}

func workflowIDs(pr *project.Task) (all []string) {
	list, _ := workflow.Open(pr).List() // as above
	for _, w := range list {
		all = append(all, withDescription(w.ID, string(w.Phase)+"  "+w.Title))
	}
	return all
}

func specWords(pr *project.Task) (all []string) {
	specs, _ := pr.Specs().List() // as above
	for _, s := range specs {
		all = append(all, withDescription(s.Name(), s.Title))
	}
	return all
}

// milestoneWords returns the milestones of all specs: the name of the spec may come
// before or after the flag.
func milestoneWords(pr *project.Task) (all []string) {
	specs, _ := pr.Specs().List() // as above
	for _, s := range specs {
		for _, m := range s.Milestones {
			if m.ID != "" {
				all = append(all, withDescription(m.ID, s.Name()+"  "+m.String()))
			}
		}
	}
	slices.Sort(all)
	return all
}

func modelsOf(role string) func(*project.Task) []string {
	return func(pr *project.Task) []string {
		c, _ := pr.Config() // a broken file has its last valid values
		name := c.HQ.Executor.Agent
		if role == "supervisor" {
			name = c.HQ.Supervisor.Agent
		}
		return append(agent.Models(name), usedModels(pr)[name]...)
	}
}
