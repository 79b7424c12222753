// Package cli implements the command line: it parses arguments, wires the layers
// together and prints results.
//
// [Main] runs the program and returns its exit code: 0 success, 1 error, refusal or
// failed check, 2 usage, 3 waiting for you, 130 interrupted. An error is one line on
// standard error, `ferrus: ...`; a second one, `ferrus: hint: ...`, says what to do
// about it. A refused command has changed nothing.
//
// Every command that acts on a task goes through [project.Task.Do]; the package has
// none of the loop's rules.
package cli

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"ferrus/agent/statedir"
)

// startGarbage is how much memory may be garbage, in percent of what is in use: a command that is over soon, or has yet
// to show its first screen, has better uses for the processor than to collect it. What runs on sets less, see [runsOn].
const startGarbage = 400

// runsOn sets the percentage of garbage for a process that stays, a second after its
// start.
func runsOn(percent int) { time.AfterFunc(time.Second, func() { debug.SetGCPercent(percent) }) }

// Main runs the program and returns its exit code.
func Main() int {
	if os.Getenv("HOME") == "" { // as in some services: what ferrus records for you, git and agents look there
		os.Setenv("HOME", statedir.Home()) //nolint:errcheck // a fixed, valid name
	}
	debug.SetGCPercent(startGarbage)
	std := &streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}
	std.canAsk = term.IsTerminal(os.Stdin.Fd())
	std.fullScreen = std.canAsk && term.IsTerminal(os.Stdout.Fd())
	std.columns, _, _ = term.GetSize(os.Stdout.Fd())
	std.out = &standardOut{file: os.Stdout}
	if term.IsTerminal(os.Stdout.Fd()) {
		std.out = plainOut{os.Stdout}
	}
	if term.IsTerminal(os.Stderr.Fd()) {
		std.err = plainOut{os.Stderr}
	}
	return runCommandLine(context.Background(), std, os.Args[1:])
}

// runCommandLine executes the command that the arguments name and returns its exit code.
func runCommandLine(ctx context.Context, std *streams, args []string) int {
	root := rootCommand(std)
	root.SetArgs(args)
	root.SetIn(std.in)
	root.SetErr(std.err)
	return std.report(std.lost(root.ExecuteContext(ctx)))
}

// cobra keeps these for the whole program, so they are set once, before anything reads them.
func init() {
	cobra.EnableCommandSorting = false
}

// rootCommand returns the whole tree of commands, in the order that help shows them.
func rootCommand(std *streams) *cobra.Command {
	var debug bool
	var where joinFlags
	root := &cobra.Command{
		Use:   "ferrus",
		Short: "Run coding agents through a loop that ends in proven work",
		Long: `ferrus runs coding agents through a loop that ends in proven work. A supervisor
plans the task, an executor implements it, ferrus runs your checks, and a reviewer
approves the work or sends it back. You are asked only what you alone can answer.

Without a command, ferrus opens HQ, the full screen, for the enclosing project.` + exitCodesHelp,
		Example: `  ferrus demo                      watch the whole loop in a throwaway repository
  ferrus init                      set up ferrus in a git repository
  ferrus                           open HQ
  ferrus run "Add retry to fetch"  run the whole loop without a screen`,
		Args:          unknownCommand,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if where.url != "" {
				return openJoined(cmd.Context(), std, &where)
			}
			return openHQ(cmd.Context(), std, debug)
		},
	}
	root.SetOut(std.out) // before cobra's own commands keep it
	where.flags(root)
	debugFlag(root, &debug)
	root.SuggestionsMinimumDistance = 2
	root.SetFlagErrorFunc(flagError)
	root.SetUsageFunc(printUsage)
	root.SetHelpCommand(helpCommand(std))
	root.SetCompletionCommandGroupID("inspect")
	addGroup(root, std, "run", "Run the loop:", initCommand, trustCommand, registerCommand, runCommand,
		workflowCommand, pairCommand,
		demoCommand, serveCommand)
	addGroup(root, std, "act", "Act on the task:", answerCommand, permitCommand, tellCommand, switchCommand,
		checkCommand, approveCommand,
		rejectCommand, reviewCommand,
		landCommand, mergeCommand, unlandCommand, retryCommand, resumeCommand, resetCommand, taskCommand, adoptCommand)
	addGroup(root, std, "inspect", "Inspect:", statusCommand, inboxCommand, explainCommand, diffCommand,
		reportCommand, logCommand,
		logsCommand,
		attachCommand, tasksCommand, statsCommand, projectsCommand, workerCommand,
		worktreeCommand, specsCommand, sandboxCommand, networkCommand, gcCommand, doctorCommand,
		versionCommand)
	for _, hidden := range []commandFunc{
		gateCommand, hostCommand, joinCommand, protocolCommand, appServerCommand, demoAgentCommand, manCommand,
	} {
		root.AddCommand(hidden(std))
	}
	addCompletions(root)
	return root
}

// commandFunc makes one command of the tree.
type commandFunc = func(*streams) *cobra.Command

// addGroup adds commands under a heading of the help.
func addGroup(root *cobra.Command, std *streams, id, title string, all ...commandFunc) {
	root.AddGroup(&cobra.Group{ID: id, Title: title})
	for _, make := range all {
		c := make(std)
		c.GroupID = id
		root.AddCommand(c)
	}
}

// unknownCommand reports a word that is no command, which cobra would let through.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	path, hint, of := cmd.CommandPath(), "run: ferrus help", ""
	if cmd.HasParent() {
		hint, of = "run: "+path+" --help", " of "+path
		cmd.SuggestionsMinimumDistance = cmd.Root().SuggestionsMinimumDistance
	}
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean: " + path + " " + strings.Join(near, ", "+path+" ") + "?"
	}
	return misuse(fmt.Sprintf("unknown command %q%s", args[0], of), hint)
}
