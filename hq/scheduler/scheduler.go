// Package scheduler runs the tasks of a project: its own one, and those in its queue, each by a conductor.
//
// [Start] a scheduler and end it with [conductor.Conductor.Close] or [conductor.Conductor.Detach]: it is the conductor
// of the project, with a [conductor.Queue] that runs the other tasks in the turns of its loop. queue.go reconciles:
// it takes the steps that are due in the record of the queue (package queue), which decides the tasks that have their
// turn, merges what is approved (mergerun.go), and starts and ends the conductors of tasks (tasks.go). What a task does
// with its turn is decided by its own conductor.
//
// A [Selection] is what a screen has of it: one task at a time is selected, and commands are about that one.
package scheduler

import (
	"context"

	"ferrus/hq/conductor"
	"ferrus/hq/guest"
	"ferrus/hq/project"
)

// Scheduler is the running conductor of a project, with the conductors of its other tasks. Its exported methods may be
// called from any goroutine.
type Scheduler struct {
	*conductor.Conductor
	QueueCommands
	queue *taskQueue
	tasks *tasks
}

// Start starts the conductor of a project, and the conductors of the tasks in its queue as they get their turn. Admit
// serves an HQ that joins over a NATS server until it has left; nil: none joins. The errors are those of
// [conductor.Start].
func Start(
	ctx context.Context, p *project.Task, o conductor.Options, admit func(context.Context, guest.Guest),
) (*Scheduler, error) {
	s := &Scheduler{QueueCommands: QueueCommands{p}}
	var err error
	s.Conductor, err = conductor.Start(ctx, p, o, func(main *conductor.Conductor) conductor.Queue {
		s.tasks = newTasks(o, main)
		s.queue = newQueue(p, s.tasks)
		s.queue.guests.Serve = admit
		return s.queue
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// View returns what can be seen now of the project's own task and of the queue.
func (s *Scheduler) View() conductor.View {
	v := s.Conductor.View()
	v.Proving = s.queue.merges.view.View()
	return v
}

// Task returns the conductor of a task that has a directory of its own; nil: it has none.
func (s *Scheduler) Task(dir string) *conductor.Conductor { return s.tasks.of(dir) }
