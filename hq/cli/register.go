package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ferrus/agent"
	"ferrus/checks/git"
	"ferrus/hq/project"
	"ferrus/hq/register"
	"ferrus/store"
	"ferrus/ui/text"
)

// registration is one run of ferrus register.
type registration struct {
	supervisor, executor           string
	supervisorModel, executorModel string
	remove, print                  bool
}

func (r *registration) flags(c *cobra.Command) {
	f, agents := c.Flags(), strings.Join(register.Names(), ", ")
	f.StringVar(&r.supervisor, "supervisor", "", "agent that plans and reviews: "+agents)
	f.StringVar(&r.executor, "executor", "", "agent that implements: "+agents)
	f.StringVar(&r.supervisorModel, "supervisor-model", "", "model of the supervisor (empty: the agent's default)")
	f.StringVar(&r.executorModel, "executor-model", "", "model of the executor (empty: the agent's default)")
	f.BoolVar(&r.remove, "remove", false, "undo what register did, for the given roles or all")
	f.BoolVar(&r.print, "print", false, "print what would be written, and write nothing")
}

func registerCommand(std *streams) *cobra.Command {
	var r registration
	c := &cobra.Command{
		Use:   "register",
		Short: "Choose the agents, and set them up for use outside HQ",
		Long: `Writes the agent of each role to ferrus.toml and adds ferrus to that agent's own project
configuration, so that a session you start by hand has the tools of its role. HQ and
ferrus run do not need this: they pass everything when they launch an agent.

Entries, comments and their order are preserved. Before its first edit, a file is copied
to <file>` + register.Backup + `. A second run changes nothing.`,
		Example: fmt.Sprintf("  ferrus register --supervisor %s --executor %s\n"+
			"  ferrus register --executor %[2]s --executor-model \"\" --print\n  ferrus register --remove",
			agent.Default("supervisor"), agent.Default("executor")),
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if what := r.validate(cmd); what != "" {
				return usageError(cmd, what)
			}
			pr, err := openAsHuman("register")
			if err != nil {
				return err
			}
			return r.run(pr, cmd, std.out)
		},
	}
	r.flags(c)
	return c
}

// validate returns what is wrong with the flags.
func (r *registration) validate(cmd *cobra.Command) string {
	switch {
	case r.supervisor == "" && r.executor == "" && !r.remove:
		return "register needs --supervisor, --executor or both"
	case cmd.Flags().Changed("supervisor-model") && r.supervisor == "":
		return "--supervisor-model needs --supervisor"
	case cmd.Flags().Changed("executor-model") && r.executor == "":
		return "--executor-model needs --executor"
	case r.remove && (cmd.Flags().Changed("supervisor-model") || cmd.Flags().Changed("executor-model")):
		return "--remove takes no model"
	}
	for _, name := range []string{r.supervisor, r.executor} {
		if name != "" && !slices.Contains(register.Names(), name) {
			return fmt.Sprintf("%q cannot be registered; use one of: %s (set others in ferrus.toml, "+
				"[hq.supervisor] and [hq.executor] agent)", name, strings.Join(register.Names(), ", "))
		}
	}
	return ""
}

// roles returns the roles that the flags name.
func (r *registration) roles(cmd *cobra.Command) (all []register.Role) {
	for _, role := range []struct{ name, agent, model string }{
		{"supervisor", r.supervisor, r.supervisorModel}, {"executor", r.executor, r.executorModel},
	} {
		if role.agent == "" {
			continue
		}
		asked := register.Role{Role: role.name, Agent: role.agent}
		if cmd.Flags().Changed(role.name + "-model") {
			asked.Model = &role.model
		}
		all = append(all, asked)
	}
	return all
}

// registeredFile is the record of what was changed, below .ferrus.
const registeredFile = "registered.json"

// run plans the changes, and writes or prints them.
func (r *registration) run(pr *project.Task, cmd *cobra.Command, out io.Writer) error {
	do := r.write
	if r.print {
		do = r.show
	}
	plan, err := do(pr, cmd, out)
	if err != nil {
		return registerError(err)
	}
	r.printResult(out, plan)
	if !r.remove {
		warnTracked(cmd.Context(), pr.Dir, plan, out)
	}
	return nil
}

// warnTracked names the files with entries that git tracks: what is ignored has no effect on
// them, and the entries name paths of this machine.
func warnTracked(ctx context.Context, dir string, plan *register.Plan, out io.Writer) {
	repository, err := git.Locate(dir)
	if err != nil {
		return // outside a repository no file is tracked
	}
	below, err := filepath.Rel(repository.Top, dir)
	if err != nil {
		return
	}
	for _, e := range plan.Entries {
		name := ":(literal)" + filepath.ToSlash(filepath.Join(below, e.File))
		tracked, err := repository.Git().List(ctx, "ls-files", "-z", "--", name)
		if err != nil || len(tracked) == 0 {
			continue // that git does not answer is reported where the task needs it
		}
		fmt.Fprintf(out, "note: git tracks %s, and the entry has paths of this machine: do not commit it; "+
			"git update-index --skip-worktree %[1]s leaves it out of your commits, and ferrus register --remove "+
			"takes it out of the file\n", e.File)
	}
}

func (r *registration) show(pr *project.Task, cmd *cobra.Command, out io.Writer) (*register.Plan, error) {
	plan, err := r.plan(pr, cmd)
	if err == nil {
		fmt.Fprint(out, text.Escape(plan.Format()))
	}
	return plan, err
}

// write makes the changes. One register runs at a time in a project.
func (r *registration) write(pr *project.Task, cmd *cobra.Command, out io.Writer) (*register.Plan, error) {
	lock, err := pr.Files.TryLock(project.RegisterLock)
	if held := (*store.LockedError)(nil); errors.As(err, &held) {
		return nil, errors.New("another ferrus register is running here")
	} else if err != nil {
		return nil, err
	}
	defer lock.Close() //nolint:errcheck // the lock ends with the process
	plan, err := r.plan(pr, cmd)
	if err != nil {
		return nil, err
	}
	if err := plan.Write(func(record []byte) error { return saveRecord(pr, record) }); err != nil {
		return nil, err
	}
	for _, c := range plan.Changes {
		fmt.Fprintln(out, c.Verb(), c.File)
	}
	return plan, nil
}

func (r *registration) plan(pr *project.Task, cmd *cobra.Command) (*register.Plan, error) {
	record, err := pr.Store.ReadFile(registeredFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the registration: %w", err)
	}
	binary, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	o := register.Options{Dir: pr.Dir, Ferrus: binary, Roles: r.roles(cmd), Record: record}
	if r.remove {
		return register.Remove(o)
	}
	return register.Add(o)
}

func saveRecord(pr *project.Task, record []byte) error {
	if record != nil {
		return pr.Store.WriteFile(registeredFile, record)
	}
	return pr.Store.Remove(registeredFile)
}

// registerError adds that nothing was written because of a file that cannot be read.
func registerError(err error) error {
	if f := (*register.FileError)(nil); errors.As(err, &f) {
		return failure(f.Error(), "nothing was written; fix that file, then run ferrus register again")
	}
	return err
}

// printResult prints how to start the registered agents.
func (r *registration) printResult(out io.Writer, plan *register.Plan) {
	if len(plan.Changes) == 0 {
		state := map[bool]string{true: "nothing is registered here", false: "already registered"}[r.remove]
		fmt.Fprintln(out, "nothing to do: "+state)
	}
	both := r.supervisor == r.executor
	for _, e := range plan.Entries {
		start := e.Start
		if both {
			start = e.Alone
		}
		fmt.Fprintf(out, "%s is %s in %s; to start it outside HQ: %s\n", e.ID, e.Server, e.File, start)
		for _, n := range e.Notes {
			fmt.Fprintln(out, "note:", n)
		}
	}
}

// registerLine runs the command for HQ's prompt and returns its result in one line.
func registerLine(ctx context.Context, flags string) (string, error) {
	var out strings.Builder
	c := registerCommand((&streams{out: &out}))
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetArgs(strings.Fields(flags))
	c.SetOut(io.Discard)
	if slices.Contains(strings.Fields(flags), "--print") {
		return "", errors.New("--print is not available here; run ferrus register --print in a shell")
	}
	if err := c.ExecuteContext(ctx); err != nil {
		return "", err
	}
	written, words := 0, []string{}
	for line := range strings.Lines(out.String()) {
		verb, _, _ := strings.Cut(line, " ")
		if slices.Contains([]string{"created", "changed", "removed"}, verb) {
			written++
			continue
		}
		words = append(words, strings.TrimSpace(line))
	}
	if written > 0 {
		words = append([]string{fmt.Sprintf("%d files written", written)}, words...)
	}
	return strings.Join(words, "; "), nil
}
