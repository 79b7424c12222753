package cli

import (
	"github.com/spf13/cobra"

	"ferrus/hq/project"
	"ferrus/hq/queue"
)

func taskMoveCommand(std *streams) *cobra.Command {
	var before string
	var first, last bool
	c := &cobra.Command{
		Use:   "move <task>",
		Short: "Move a task before another one, first or last",
		Args:  oneTask,
		RunE: func(cmd *cobra.Command, args []string) error {
			if n := len(queue.Words(before)); (n == 1) == (first || last) || first && last {
				return usageError(cmd, "task move takes one of --before, --first and --last")
			}
			return onItem(std, "move", args[0], "is moved", func(q *queue.Queue, item queue.Item) error {
				s, err := q.Load()
				if err != nil {
					return err
				}
				to := 0
				switch {
				case first:
					if to = s.World.First(); to == item.N {
						return nil
					}
				case before != "":
					other, err := s.World.Find(before)
					if err != nil {
						return failure(err.Error(), "ferrus task list lists them")
					}
					to = other.N
				}
				return q.Move(cmd.Context(), project.HumanActor(), item.N, to)
			})
		},
	}
	c.Flags().StringVar(&before, "before", "", "the task that comes right after it")
	c.Flags().BoolVar(&first, "first", false, "before all waiting tasks")
	c.Flags().BoolVar(&last, "last", false, "after all other tasks")
	return c
}

func taskEditCommand(std *streams) *cobra.Command {
	var after, touches, file string
	c := &cobra.Command{
		Use:   "edit <task>",
		Short: "Change what a task waits for or touches, or its text before it starts",
		Example: "  ferrus task edit 14 --after 12,13\n  ferrus task edit 14 --after none\n" +
			"  ferrus task edit 14 -f text.md",
		Args: oneTask,
		RunE: func(cmd *cobra.Command, args []string) error {
			given := cmd.Flags().Changed
			if !given("after") && !given("touches") && file == "" {
				return usageError(cmd, "task edit takes --after, --touches or --file")
			}
			return onItem(std, "edit", args[0], "is changed", func(q *queue.Queue, item queue.Item) error {
				var changes queue.Changes
				if file != "" {
					text, err := readText(std, file, maxTaskFile)
					if err != nil {
						return err
					}
					changes.Text = &text
				}
				if given("after") {
					all, err := itemNumbers(q, after)
					if err != nil {
						return err
					}
					changes.After = &all
				}
				if given("touches") {
					all := queue.Words(touches)
					changes.Touches = &all
				}
				return q.Edit(cmd.Context(), project.HumanActor(), item.N, changes)
			})
		},
	}
	c.Flags().StringVarP(&file, "file", "f", "", "its new text; - is standard input")
	c.Flags().StringVar(&after, "after", "", "the tasks that have to land first, separated by commas; none: nothing")
	c.Flags().StringVar(&touches, "touches", "", "the files that it will change, separated by commas")
	return c
}

// itemNumbers returns the numbers of the items in a list.
func itemNumbers(q *queue.Queue, list string) ([]int, error) {
	all := []int{}
	if list == "none" {
		return all, nil
	}
	s, err := q.Load()
	if err != nil {
		return nil, err
	}
	for _, word := range queue.Words(list) {
		item, err := s.World.Find(word)
		if err != nil {
			return nil, failure(err.Error(), "ferrus task list lists them")
		}
		all = append(all, item.N)
	}
	return all, nil
}
