package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/machine/task"
	"ferrus/store"
	"ferrus/ui/text"
)

// taskFlag gives a command the flag --task, which [streams.chosen] looks at. If the command fails without
// it because the tasks are in the queue, the error says so.
func taskFlag(std *streams, c *cobra.Command) *cobra.Command {
	c.Flags().StringVar(&std.task, "task", "", "the number of a task in the queue, such as 14")
	run := c.RunE
	c.RunE = func(cmd *cobra.Command, args []string) error {
		err := withTask(run(cmd, args), std.task)
		if err == nil || std.present == nil || errors.As(err, new(*os.PathError)) {
			return err
		}
		f := toExitError(err)
		if hint := inQueue(std.present); hint != "" && f.code == codeError {
			return failure(f.what, append([]string{hint}, f.hints...)...)
		}
		return err
	}
	return c
}

// sayNone says that there is nothing to list, and where else there may be something.
func (s *streams) sayNone(words string) {
	fmt.Fprintln(s.out, words)
	if s.present == nil {
		return
	}
	s.hint(inQueue(s.present))
}

// hint prints a hint, unless it is empty.
func (s *streams) hint(words string) {
	if words != "" {
		fmt.Fprintln(s.err, "ferrus: hint: "+text.Sanitize(words))
	}
}

// inQueue says how to name a task if the record of a project has none and the queue has tasks that have
// started; empty: one of both is not so.
func inQueue(pr *project.Task) string {
	if s, err := pr.World(); err != nil || s.World.Task != nil {
		return ""
	}
	rows, _ := queueRows(pr) // ferrus task says what is wrong with the queue
	rows = slices.DeleteFunc(rows, func(r queue.Row) bool { return r.Dir == "" || r.Final() || r.Task == "" })
	switch len(rows) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("the task is in the queue: add --task %d (%s)", rows[0].N, rows[0].Title)
	}
	return "the tasks are in the queue: add --task and a number; ferrus task list shows them"
}

// chosen returns the task that --task names; without it, the task of the session that this process
// is in, or else the task whose record is .ferrus. It takes the results of a function that opens a
// project.
func (s *streams) chosen(pr *project.Task, err error) (*project.Task, error) {
	switch {
	case err != nil:
		return pr, err
	case s.task != "":
		return namedTask(pr, s.task)
	}
	own, err := ownTask(pr, os.Getenv(project.TaskEnv))
	if own == nil && err == nil {
		s.present = pr
		return pr, nil // the variable names a task whose record is .ferrus, or none
	}
	return own, err
}

// chosenWorld is like [streams.chosen] with the state of the task.
func (s *streams) chosenWorld(pr *project.Task, err error) (*project.Task, store.State[core.World], error) {
	if pr, err = s.chosen(pr, err); err != nil {
		return nil, store.State[core.World]{}, err
	}
	state, err := pr.World()
	return pr, state, err
}

// chosenAsHuman is like [streams.chosen] for a command that agents may not give.
func (s *streams) chosenAsHuman(command string) (of *project.Task, err error) {
	_, err = openAsHumanFor(command, func(pr *project.Task) (err error) {
		of, err = s.chosen(pr, nil)
		return err
	})
	if err != nil {
		s.present = nil // that the tasks are in the queue is not why
		return nil, err
	}
	return of, nil
}

// chosenWorldAsHuman is like [streams.chosenAsHuman] with the state of the task.
func (s *streams) chosenWorldAsHuman(command string) (*project.Task, store.State[core.World], error) {
	of, err := s.chosenAsHuman(command)
	if err != nil {
		return nil, store.State[core.World]{}, err
	}
	state, err := of.World()
	return of, state, err
}

// namedTask opens the task that you name as [queue.Document.Find] says.
func namedTask(pr *project.Task, name string) (*project.Task, error) {
	q, item, err := openItem(pr, name)
	if err != nil {
		return nil, err
	}
	of, err := q.Task(item)
	if errors.Is(err, store.ErrNone) {
		return nil, failure(item.Name()+" has not started", "ferrus task list says what it waits for")
	}
	if err != nil || item.Dir != "" {
		return of, err
	}
	s, err := of.World()
	if t := s.World.Task; err == nil && (t == nil || t.ID != item.Task) {
		if item.Task == "" {
			return nil, failure(item.Name()+" has not started", "ferrus task list says what it waits for")
		}
		err = failure(item.Name()+" is not the open task", "ferrus report "+item.Task+" shows what it did")
	}
	return of, err
}

// taskToLand returns the task that an argument of ferrus land names or, without an
// argument, the task that can be landed. Id is set for an archived task, and empty for any
// other.
func taskToLand(pr *project.Task, name string) (of *project.Task, id string, err error) {
	q, err := queue.Open(pr)
	if errors.Is(err, store.ErrNone) {
		return pr, name, nil
	} else if err != nil {
		return nil, "", err
	}
	s, err := q.Load()
	if err != nil {
		return nil, "", err
	}
	if name != "" {
		item, err := s.World.Find(name)
		if err != nil || item.Task == "" {
			return pr, name, nil //nolint:nilerr // it may be an archived task
		}
		if item.Dir == "" {
			return pr, presentOrID(pr, item.Task), nil
		}
		of, err = q.Task(item)
		return of, "", err
	}
	return approvedTask(pr, q, s.World)
}

// presentOrID returns the id of a task; empty for the present one.
func presentOrID(pr *project.Task, id string) string {
	if s, err := pr.World(); err == nil && s.World.Task != nil && s.World.Task.ID == id {
		return ""
	}
	return id
}

// approvedTask returns the one task that can be landed: the present one, unless there is none
// and one of the others is approved.
func approvedTask(pr *project.Task, q *queue.Queue, d queue.Document) (*project.Task, string, error) {
	s, err := pr.World()
	if err != nil || s.World.Task != nil {
		return pr, "", err
	}
	var approved []string
	found := pr
	for _, item := range d.Items {
		if item.Dir == "" || item.Final() {
			continue
		}
		of, err := q.Task(item)
		if err != nil {
			continue // it is listed with what is wrong
		}
		if s, err := of.World(); err == nil && s.World.State == task.Complete && s.World.Task.Landed == nil {
			approved, found = append(approved, item.Name()), of
		}
	}
	if len(approved) > 1 {
		return nil, "", misuse(fmt.Sprintf("%d tasks are approved: %s", len(approved), strings.Join(approved, ", ")),
			"name one, such as: ferrus land "+approved[0][1:])
	}
	return found, "", nil
}

// ownTask returns the task with a directory of its own that has an id; nil: there is none.
func ownTask(pr *project.Task, id string) (*project.Task, error) {
	dirs, err := pr.TaskDirs()
	if err != nil || !slices.Contains(dirs, id) {
		return nil, err
	}
	return pr.OpenTask(id)
}
