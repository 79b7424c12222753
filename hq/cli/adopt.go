package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ferrus/checks/git"
	"ferrus/hq/adopt"
	"ferrus/hq/config"
	"ferrus/hq/project"
	"ferrus/store"
	"ferrus/ui/text"
)

// adoptOptions are the options of one run of ferrus adopt.
type adoptOptions struct {
	*streams
	adopt.Options
	dir, text      string
	dry, yes, json bool
}

func adoptCommand(std *streams) *cobra.Command {
	a := &adoptOptions{streams: std}
	c := &cobra.Command{
		Use:   "adopt <worktree|directory>",
		Short: "Continue your own work in a worktree as a task",
		Long: `Queues a task that continues the work in a worktree or a clone of this repository: the
commits of its branch, and its staged, modified and untracked files. The base is the merge
base with the branch that is checked out in the project.

The directory is only read: its files, index, HEAD and stash are not changed. The task
gets its own worktree with a copy, even if other tasks work in your checkout.

If you had a session there with an agent that can continue a conversation
(` + strings.Join(adopt.Agents(), ", ") + `), the newest session continues as the executor of
the task. End it first. In the sandbox a copy of the conversation continues, and the
original is unchanged.

Without --text, ferrus proposes a text for you to confirm: your first message in that
session, or else the name of the branch.`,
		Example: "  ferrus adopt ../fetch-retry\n  ferrus adopt --dry-run ../fetch-retry\n" +
			"  ferrus adopt --text \"Add retry to fetch\" --agent none ../fetch-retry",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError(cmd, "adopt takes one directory: a worktree or a clone")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("text") && strings.TrimSpace(a.text) == "" {
				return usageError(cmd, "the text is empty")
			}
			a.dir = args[0]
			ctx, stop := untilInterrupted(cmd.Context())
			defer stop()
			return a.run(ctx)
		},
	}
	f := c.Flags()
	f.StringVarP(&a.text, "text", "t", "", "the text of the task; - is standard input")
	f.StringVar(&a.Agent, "agent", "", "continue this agent's newest session, or none")
	f.BoolVar(&a.dry, "dry-run", false, "show what would be adopted, and change nothing")
	f.BoolVarP(&a.yes, "yes", "y", false, "do not ask for confirmation")
	f.BoolVar(&a.json, "json", false, "print one JSON object")
	return c
}

func (a *adoptOptions) run(ctx context.Context) error {
	dir, err := projectToAdopt()
	if err != nil {
		return err
	}
	open := func() (*project.Task, error) { return openAtAsHuman(dir, "adopt", nil) }
	if a.dry {
		open = func() (*project.Task, error) { return openAt(dir) }
	}
	pr, err := open()
	if err != nil {
		return err
	}
	found, err := adopt.Inspect(ctx, pr, a.dir, a.Options)
	if err != nil {
		return err
	}
	if err := a.readText(&found); err != nil {
		return err
	}
	if a.dry && a.json {
		return a.printJSON(found)
	}
	if !a.json {
		a.print(found)
	}
	if a.dry {
		return nil
	}
	if !a.yes && (!a.canAsk || a.json) {
		return misuse("adopt asks for confirmation, and there is no terminal to ask on", "run: ferrus adopt --yes")
	}
	if !a.yes && !a.confirm("adopt it?", true) {
		return failure("not adopted: nothing changed", `to change the text, run: ferrus adopt --text "..."`)
	}
	item, err := adopt.Adopt(ctx, pr, a.dir, a.Options, found.Text)
	if err == nil {
		err = callConductor(pr)
	}
	switch {
	case err != nil:
		return err
	case a.json:
		return a.printJSON(map[string]any{"added": item})
	}
	fmt.Fprintln(a.out, text.Sanitize(fmt.Sprintf("%s is queued: %s", item.Name(), item.Title)))
	return nil
}

// readText replaces the proposed text with the given one.
func (a *adoptOptions) readText(f *adopt.Found) error {
	if a.text == "-" {
		read, err := readText(a.streams, "-", maxTaskFile)
		if err != nil {
			return err
		}
		a.text = read
		if strings.TrimSpace(a.text) == "" {
			return failure("the text on standard input is empty")
		}
	}
	if a.text != "" {
		f.Text = a.text
	}
	return nil
}

// print prints what was found, and the text of the task.
func (a *adoptOptions) print(f adopt.Found) {
	for _, line := range f.Lines() {
		fmt.Fprintln(a.out, text.Sanitize(line))
	}
	fmt.Fprintln(a.out, "\ntask:")
	for line := range strings.Lines(strings.TrimSpace(text.SanitizeLines(f.Text)) + "\n") {
		fmt.Fprint(a.out, "  "+line)
	}
	fmt.Fprintln(a.out)
}

// projectToAdopt returns the project that adopts. In a linked worktree without one, it is the project of
// the checkout that the worktree belongs to.
func projectToAdopt() (string, error) {
	dir, err := findProject()
	if err != nil && !errors.Is(err, project.ErrNone) {
		return "", err
	}
	if err == nil {
		if _, opening := project.Inspect(dir, store.UserHeads()); !errors.Is(opening, store.ErrNone) {
			return dir, nil
		}
	}
	here, wrong := os.Getwd()
	if wrong != nil {
		return dir, err
	}
	r, wrong := git.Locate(here)
	if wrong != nil || !r.Linked() {
		return dir, err
	}
	below, wrong := filepath.Rel(r.Top, here)
	for home := filepath.Dir(r.Common); wrong == nil; below = filepath.Dir(below) {
		if _, missing := os.Stat(filepath.Join(home, below, config.File)); missing == nil {
			return filepath.Join(home, below), nil
		}
		if below == "." {
			break
		}
	}
	return dir, err
}
