package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/ui/text"
)

func taskAddCommand(std *streams) *cobra.Command {
	var file, specName, after, touches, needs string
	var asJSON bool
	c := &cobra.Command{
		Use:   "add [\"task text\"]",
		Short: "Add a task, or all tasks of a file",
		Long: `Adds a task at the end of the queue; its first line is its title. With --file, adds all
tasks of a file or none. In the file, each line "# Title" starts a task; below it,
"After: #12, Another title" names what must land first, and "Touches: fetch/*.go" what
the task will change. With --spec, adds the open milestones of a spec, each of which waits
for the milestones it depends on; landing one ticks it.`,
		Example: "  ferrus task add \"Add retry to fetch\" --after 12\n  ferrus task add -f tasks.md",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch words := joinArgs(args); {
			case specName != "" && (words != "" || file != "" || after != "" || touches != "" || needs != ""):
				return usageError(cmd, "--spec adds the milestones as tasks, without a text or other flags")
			case specName != "":
				return addTasks(cmd.Context(), std, milestonesOf(specName), asJSON)
			case file == "" && words == "":
				return usageError(cmd, "task add takes the text of a task, --file or --spec")
			case file != "" && (len(args) > 0 || after != "" || touches != "" || needs != ""):
				return usageError(cmd, "with --file, the file has the texts, dependencies and paths of the tasks")
			case file != "":
				all, err := parseTasks(std, file)
				if err != nil {
					return err
				}
				return addTasks(cmd.Context(), std, given(all), asJSON)
			default:
				refs, err := parseTaskRefs(after)
				if err != nil {
					return usageError(cmd, err.Error())
				}
				n := queue.New{Text: words, After: refs, Touches: queue.Words(touches), Needs: queue.Words(needs)}
				return addTasks(cmd.Context(), std, given([]queue.New{n}), asJSON)
			}
		},
	}
	c.Flags().StringVarP(&file, "file", "f", "", "add the tasks of this file; - is standard input")
	c.Flags().StringVar(&specName, "spec", "", "add the open milestones of this spec")
	c.Flags().StringVar(&after, "after", "", "the tasks that have to land first, separated by commas")
	c.Flags().StringVar(&needs, "needs", "", "labels of the worker that it has to run on, separated by commas")
	c.Flags().StringVar(&touches, "touches", "", "the files that it will change, separated by commas")
	c.Flags().BoolVar(&asJSON, "json", false, "print the new items as one JSON object")
	return c
}

// parseTaskRefs reads numbers with or without #, and titles.
func parseTaskRefs(list string) ([]queue.Ref, error) {
	words := queue.Words(list)
	for i, w := range words {
		if strings.Trim(w, "0123456789") == "" {
			words[i] = "#" + w
		}
	}
	return queue.ParseRefs(strings.Join(words, ","))
}

// parseTasks reads the tasks of a file.
func parseTasks(std *streams, name string) ([]queue.New, error) {
	content, err := readText(std, name, maxTaskFile)
	if err != nil {
		return nil, err
	}
	all, err := queue.ParseFile(content)
	if err != nil {
		return nil, failure(fmt.Sprintf("%s: %v", name, err))
	}
	if len(all) == 0 {
		return nil, failure(name+" has no task", "each begins with a line \"# Title\"")
	}
	return all, nil
}

// newTasks returns the tasks to add, by what is in the queue already.
type newTasks func(*project.Task, *queue.Queue) ([]queue.New, error)

// given adds tasks as they are, whatever is in the queue.
func given(all []queue.New) newTasks {
	return func(*project.Task, *queue.Queue) ([]queue.New, error) { return all, nil }
}

// milestonesOf returns the open milestones of a specification.
func milestonesOf(name string) newTasks {
	return func(pr *project.Task, q *queue.Queue) ([]queue.New, error) {
		all, err := pr.Specs().List()
		if err != nil {
			return nil, err
		}
		s, err := findSpec(pr, all, name)
		if err != nil {
			return nil, err
		}
		return q.Milestones(s)
	}
}

func addTasks(ctx context.Context, std *streams, all newTasks, asJSON bool) error {
	pr, err := openAsHuman("task add")
	if err != nil {
		return err
	}
	items, err := addTo(ctx, pr, all)
	if err != nil {
		return err
	}
	if err := callConductor(pr); err != nil {
		return err
	}
	if asJSON {
		return std.printJSON(map[string]any{"added": items})
	}
	return printAdded(std, pr, items)
}

// addTo adds tasks to the queue of a project.
func addTo(ctx context.Context, pr *project.Task, all newTasks) ([]queue.Item, error) {
	q, err := queue.OpenOrCreate(ctx, pr)
	if err != nil {
		return nil, err
	}
	found, err := all(pr, q)
	if err != nil {
		return nil, err
	}
	return q.Add(ctx, project.HumanActor(), found)
}

// printAdded prints new items, with what they wait for.
func printAdded(std *streams, pr *project.Task, items []queue.Item) error {
	rows, err := queueRows(pr)
	if err != nil {
		return err
	}
	why := map[int]string{}
	for _, r := range rows {
		why[r.N] = r.Why
	}
	for _, i := range items {
		fmt.Fprintln(std.out, text.Sanitize(fmt.Sprintf("%s is queued: %s (%s)", i.Name(), i.Title, why[i.N])))
	}
	return nil
}
