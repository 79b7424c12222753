// Package cli is the command line: it parses, wires the layers together and
// words what came of it.
//
// [Main] runs the program and returns its exit code: 0 done, 1 error, refusal or
// red gate, 2 usage, 3 needs a person, 130 interrupted. What went wrong is one
// sentence on standard error, `ferrus: ...`, and what to do about it another,
// `ferrus: hint: ...`. A command that is refused has changed nothing.
//
// Whatever moves a task goes through [project.Project.Do]; the package holds no
// rule of the loop.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"ferrus/agent"
	"ferrus/hq/config"
	"ferrus/hq/project"
	"ferrus/store"
	"ferrus/ui"
)

// Main runs the program and returns its exit code.
func Main() int {
	p := &program{in: os.Stdin, out: os.Stdout, err: os.Stderr}
	p.asks = term.IsTerminal(os.Stdin.Fd())
	p.screen = p.asks && term.IsTerminal(os.Stdout.Fd())
	return p.run(context.Background(), os.Args[1:])
}

// program is what every command shares.
type program struct {
	in       io.Reader
	out, err io.Writer
	asks     bool // a person can be asked
	screen   bool // a person sees a screen
}

func (p *program) run(ctx context.Context, args []string) int {
	root := p.rootCommand()
	root.SetArgs(args)
	root.SetIn(p.in)
	root.SetOut(p.out)
	root.SetErr(p.err)
	return p.report(root.ExecuteContext(ctx))
}

// rootCommand is the whole tree of commands, in the order the help shows them.
func (p *program) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "ferrus",
		Short: "Run coding agents through a loop that ends in proven work",
		Long: `ferrus runs coding agents side by side through a loop that is a state machine on
disk: a supervisor plans the task, an executor implements it, the check gate
proves it, a reviewer accepts it or sends it back, and you are asked when only a
person can answer.

Without a command it opens HQ, the full screen, in the project around you.` + exitCodesHelp,
		Example: `  ferrus demo                      watch the whole loop on a throw-away repository
  ferrus init                      set ferrus up in a git repository
  ferrus                           open HQ
  ferrus run "Add retry to fetch"  the whole loop without a screen`,
		Args:          unknownCommand,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return p.openHQ(cmd.Context()) },
	}
	root.SuggestionsMinimumDistance = 2
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usageError(cmd, err.Error()) })
	root.SetHelpCommandGroupID("look")
	root.SetCompletionCommandGroupID("look")
	cobra.EnableCommandSorting = false
	root.AddGroup(&cobra.Group{ID: "loop", Title: "The loop:"}, &cobra.Group{ID: "move", Title: "What a person may do:"}, &cobra.Group{ID: "look", Title: "To look:"})
	addGroup(root, "loop", p.initCommand(), p.trustCommand(), p.registerCommand(), p.runCommand(), p.workflowCommand(), p.pairCommand(), p.demoCommand(), p.serveCommand())
	addGroup(root, "move", p.answerCommand(), p.tellCommand(), p.checkCommand(), p.approveCommand(), p.rejectCommand(), p.landCommand(), p.retryCommand(), p.resumeCommand(), p.resetCommand())
	addGroup(root, "look", p.statusCommand(), p.inboxCommand(), p.explainCommand(), p.reportCommand(), p.logCommand(), p.logsCommand(), p.attachCommand(), p.tasksCommand(), p.worktreeCommand(), p.specsCommand(), p.doctorCommand(), p.versionCommand())
	addGroup(root, "", p.gateCommand(), p.hostCommand(), p.demoAgentCommand(), p.docsCommand(), p.manCommand(), configHelp(), exitHelp())
	addCompletions(root)
	return root
}

const exitCodesHelp = `

Exit codes: 0 done; 1 error, refusal or red gate; 2 usage; 3 needs a person;
130 interrupted.`

func addGroup(root *cobra.Command, group string, all ...*cobra.Command) {
	for _, c := range all {
		c.GroupID = group
		root.AddCommand(c)
	}
}

// unknownCommand words what cobra would let through: a word that is no command.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return &exitError{code: 2, what: fmt.Sprintf("there is no command %q", args[0]), hints: []string{"did you mean: ferrus " + strings.Join(near, ", ferrus ") + "?"}}
	}
	return &exitError{code: 2, what: fmt.Sprintf("there is no command %q", args[0]), hints: []string{"run: ferrus help"}}
}

// noArgs accepts no arguments, at most n, or exactly n.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError(cmd, fmt.Sprintf("%s takes no arguments, and was given %q", cmd.CommandPath(), args[0]))
	}
	return nil
}

// agentNames are the built-in agents, those that play by default first.
func agentNames() config.Names {
	all := config.Names{agent.Default("supervisor"), agent.Default("executor")}
	for _, n := range agent.Names() {
		if n != all[0] && n != all[1] {
			all = append(all, n)
		}
	}
	return all
}

// keyActions are what keys of the screen do, for the table [keys].
func keyActions() config.Actions {
	all := make(config.Actions, 0, len(ui.Keys))
	for _, k := range ui.Keys {
		all = append(all, config.Action{Name: k.Name, Fixed: k.Fixed, Place: k.Place.String(), Keys: k.Bindings, Read: k.Read})
	}
	return all
}

// agentMeters are what those agents report.
func agentMeters() config.Meters {
	all := config.Meters{}
	for _, n := range agent.Names() {
		tokens, cost := agent.ReportsUsage(n)
		all[n] = config.Meter{Tokens: tokens, Cost: cost}
	}
	return all
}

// openProject finds and opens the project around the working directory.
func openProject() (*project.Project, error) {
	dir, err := findProject()
	if err != nil {
		return nil, err
	}
	return openAt(dir)
}

// openAt is a project that runs only the check commands its user let run.
func openAt(dir string) (*project.Project, error) {
	book, err := project.UserBook()
	if err != nil {
		return nil, err
	}
	p, err := project.Open(dir, agentNames()...)
	if older := (*store.OlderError)(nil); errors.As(err, &older) {
		p, err = project.Import(context.Background(), dir, agentNames()...)
	}
	if err == nil {
		p.Book, p.Actions, p.Meters = book, keyActions(), agentMeters()
	}
	return p, err
}

// openValid is open, for what needs ferrus.toml to be right.
func openValid() (*project.Project, config.Config, error) {
	p, err := openProject()
	if err != nil {
		return nil, config.Config{}, err
	}
	c, err := p.Config()
	return p, c, err
}

func findProject() (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the project: %w", err)
	}
	return project.Find(here)
}

// openAsHuman opens the project for a command that only a person may give.
func openAsHuman(command string) (*project.Project, error) {
	p, err := openProject()
	if err != nil {
		return nil, err
	}
	if e, inside := p.InsideSession(); inside {
		return nil, &exitError{code: 1, what: fmt.Sprintf("%s is for the person, and this is a session of %s", command, e.Name), hints: []string{"the person must act: in HQ, or in a terminal of their own"}}
	}
	return p, nil
}
