package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/hq/workflow"
	"ferrus/store"
	"ferrus/ui/text"
)

func taskCommand(std *streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "task",
		Short: "Queue tasks and change their order",
		Long: `Queues tasks. HQ and ferrus run start them in order, several at a time if each has a
worktree; the list shows why each one waits. Name a task by its number, such as 12 or
'#12'. Without a command, it lists the queue.`,
		Example: "  ferrus task add \"Add retry to fetch\"\n  ferrus task add -f tasks.md\n" +
			"  ferrus task move 14 --before 12",
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return runTaskList(std, false) },
	}
	for _, make := range []commandFunc{taskAddCommand, taskListCommand, taskShowCommand, taskMoveCommand,
		taskEditCommand, taskHoldCommand, taskResumeCommand,
		taskRetryCommand, taskApproveCommand, taskCancelCommand, taskPathCommand, taskShellCommand} {
		c.AddCommand(make(std))
	}
	return c
}

// callConductor makes the conductor look at a queue that it may not watch yet.
func callConductor(pr *project.Task) error {
	if _, held, err := pr.Store.Holder(project.ConductorLock); err != nil || !held {
		return err
	}
	return pr.Store.WriteFile(queue.WakeFile, nil)
}

func taskListCommand(std *streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the queue, with why each task waits",
		Args:  noArgs,
		RunE:  func(*cobra.Command, []string) error { return runTaskList(std, asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the queue as one JSON object")
	return c
}

// queueRow is an item of the queue as JSON.
type queueRow struct {
	N       int       `json:"n"`
	Title   string    `json:"title"`
	State   string    `json:"state"`
	Task    string    `json:"task,omitempty"` // the state of its task
	TaskID  string    `json:"task_id,omitempty"`
	Why     string    `json:"why,omitempty"`
	Needs   bool      `json:"needs_you"`
	After   []int     `json:"after"`
	Touches []string  `json:"touches"`
	AddedAt time.Time `json:"added_at"`
}

func runTaskList(std *streams, asJSON bool) error {
	pr, err := openProject()
	if err != nil {
		return err
	}
	rows, err := queueRows(pr)
	if err != nil {
		return err
	}
	if asJSON {
		return std.printJSON(map[string]any{"queue": queueJSON(rows)})
	}
	if len(rows) == 0 {
		fmt.Fprintln(std.out, "the queue is empty; ferrus task add adds a task, and ferrus tasks lists earlier tasks")
	}
	for _, r := range rows {
		line := fmt.Sprintf("%-5s %-9s %s", r.Name(), r.State, r.Title)
		if r.Why != "" {
			line += "  (" + r.Why + ")"
		}
		fmt.Fprintln(std.out, text.Sanitize(line))
	}
	return nil
}

// queueJSON returns the rows of the queue for programs.
func queueJSON(rows []queue.Row) []queueRow {
	all := []queueRow{}
	for _, r := range rows {
		all = append(all, queueRow{r.N, r.Title, string(r.State), string(r.Task), cmp.Or(r.Item.Task, r.Dir), r.Why,
			r.NeedsYou(), append([]int{}, r.After...), append([]string{}, r.Touches...), r.AddedAt})
	}
	return all
}

// queueRows returns the rows of the queue; none where it was not started.
func queueRows(pr *project.Task) ([]queue.Row, error) {
	q, err := queue.Open(pr)
	if errors.Is(err, store.ErrNone) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	c := queue.ConditionsOf(pr)
	c.Busy, err = workflow.Open(pr).Busy()
	if err != nil {
		return nil, err
	}
	return q.Rows(c)
}

// queueMoves reports whether the next task of the queue begins as soon as a conductor runs.
func queueMoves(pr *project.Task) (bool, error) {
	rows, err := queueRows(pr)
	return slices.ContainsFunc(rows, func(r queue.Row) bool { return r.Moves }), err
}

// openItem opens the queue and finds the item that you name.
func openItem(pr *project.Task, name string) (*queue.Queue, queue.Item, error) {
	q, err := queue.Open(pr)
	if errors.Is(err, store.ErrNone) {
		return nil, queue.Item{}, failure("the queue is empty", "ferrus task add adds a task")
	} else if err != nil {
		return nil, queue.Item{}, err
	}
	s, err := q.Load()
	if err != nil {
		return nil, queue.Item{}, err
	}
	item, err := s.World.Find(name)
	if err != nil {
		return nil, item, failure(err.Error(), "ferrus task list lists them")
	}
	return q, item, nil
}

func taskShowCommand(std *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "show <task>",
		Short: "Print the texts of a task",
		Args:  oneTask,
		RunE:  func(_ *cobra.Command, args []string) error { return showTask(std, args[0]) },
	}
}

// showTask prints the texts of a task in the queue, or of one that has been archived.
func showTask(std *streams, name string) error {
	pr, err := openProject()
	if err != nil {
		return err
	}
	q, item, err := openItem(pr, name)
	_, unnumbered := strconv.Atoi(strings.TrimPrefix(name, "#"))
	switch {
	case err != nil && unnumbered != nil:
		return printTask(std, name) // it is no longer in the queue, or never was
	case err != nil:
		return err
	case item.Task != "":
		return printTask(std, item.Task)
	}
	request, err := q.Request(item.N)
	if err != nil {
		return err
	}
	if request == "" {
		return failure(item.Name()+" was cancelled before it started, and its text is gone", "")
	}
	fmt.Fprintln(std.out, strings.TrimRight(text.SanitizeLines(request), "\n"))
	return nil
}

// oneTask accepts the name of one task.
func oneTask(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usageError(cmd, cmd.CommandPath()+" takes one task, such as 12")
	}
	return nil
}

// onItem runs your command on an item, and prints what was done.
func onItem(std *streams, command, name, done string, f func(*queue.Queue, queue.Item) error) error {
	var q *queue.Queue
	var item queue.Item
	pr, err := openAsHumanFor("task "+command, func(pr *project.Task) (err error) {
		q, item, err = openItem(pr, name)
		return err
	})
	if err == nil {
		err = f(q, item)
	}
	if err == nil {
		err = callConductor(pr)
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(std.out, text.Sanitize(item.Name()+" "+item.Title+" "+done))
	return nil
}

func taskHoldCommand(std *streams) *cobra.Command {
	return &cobra.Command{
		Use: "hold <task>", Short: "Hold a task that has not started", Args: oneTask,
		RunE: func(cmd *cobra.Command, args []string) error {
			return onItem(std, "hold", args[0], "is held", func(q *queue.Queue, item queue.Item) error {
				return q.Hold(cmd.Context(), project.HumanActor(), item.N)
			})
		},
	}
}

func taskResumeCommand(std *streams) *cobra.Command {
	return &cobra.Command{
		Use: "resume <task>", Short: "Resume a task that is held", Args: oneTask,
		RunE: func(cmd *cobra.Command, args []string) error {
			return onItem(std, "resume", args[0], "is queued again", func(q *queue.Queue, item queue.Item) error {
				return q.Resume(cmd.Context(), project.HumanActor(), item.N)
			})
		},
	}
}

func taskRetryCommand(std *streams) *cobra.Command {
	return &cobra.Command{
		Use: "retry <task>", Short: "Retry a task that has failed, and reset its counters", Args: oneTask,
		RunE: func(cmd *cobra.Command, args []string) error {
			std.task = args[0]
			err := doAsHuman(cmd.Context(), std, "retry", core.Command{Kind: core.KindRetry}, "retrying")
			return withTask(err, queueNumber(args[0]))
		},
	}
}

func taskApproveCommand(std *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "approve [task]",
		Short: "Approve tasks that a supervisor proposed",
		Long: `Approves the tasks that a supervisor proposed with queue_tasks, all of them or one, so that
they can start. Until then you can edit or cancel them.`,
		Args: atMostOne("task"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var q *queue.Queue
			var item queue.Item // none: all of them
			pr, err := openAsHumanFor("task approve", func(pr *project.Task) (err error) {
				if len(args) > 0 {
					q, item, err = openItem(pr, args[0])
				} else if q, err = queue.Open(pr); errors.Is(err, store.ErrNone) {
					return failure("no task is proposed: there is nothing to approve")
				}
				return err
			})
			if err != nil {
				return err
			}
			approved, err := q.Approve(cmd.Context(), project.HumanActor(), item.N)
			if err != nil {
				return err
			}
			if err := callConductor(pr); err != nil {
				return err
			}
			return printAdded(std, pr, approved)
		},
	}
}

func taskCancelCommand(std *streams) *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use:   "cancel <task>",
		Short: "Cancel a task",
		Long: `Removes a task from the queue. A task that has started is archived, as ferrus reset does;
files in the repository are not touched.`,
		Args: oneTask,
		RunE: func(cmd *cobra.Command, args []string) error {
			return onItem(std, "cancel", args[0], "is cancelled", func(q *queue.Queue, item queue.Item) error {
				if item.Attempt > 0 && !item.Final() && !yes {
					if !std.canAsk {
						return misuse(item.Name()+" has started, and there is no terminal to confirm it",
							"run: ferrus task cancel --yes "+args[0])
					}
					if !std.confirm(fmt.Sprintf("archive %q?", item.Title), false) {
						return failure("not cancelled: nothing changed")
					}
				}
				return q.Cancel(cmd.Context(), project.HumanActor(), item.N)
			})
		},
	}
	c.Flags().BoolVar(&yes, "yes", false, "do not ask for confirmation")
	return c
}
