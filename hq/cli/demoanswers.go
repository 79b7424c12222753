package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/demo"
	"ferrus/hq/project"
	"ferrus/hq/workflow"
	"ferrus/machine"
	"ferrus/store"
)

// startAnswering answers questions as you would, until stop is called.
func (d *demonstration) startAnswering(ctx context.Context, pr *project.Task) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := answerQuestions(ctx, pr); err != nil && ctx.Err() == nil {
			fmt.Fprintf(d.err, "ferrus: answer the question: %v\n", err)
		}
	}()
	return func() { cancel(); <-done }
}

func answerQuestions(ctx context.Context, pr *project.Task) error {
	changed, err := pr.Store.Watch(ctx, workflow.Dir)
	if err != nil {
		return err
	}
	look := time.NewTicker(answerEvery)
	defer look.Stop()
	for {
		state, err := pr.World()
		if err != nil {
			return err
		}
		if err := decideWorkflow(ctx, pr); err != nil {
			return err
		}
		if err := answerQuestion(ctx, pr, state); err != nil {
			return err
		}
		if err := answerTasks(ctx, pr); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-look.C:
		case _, open := <-changed:
			if !open {
				return nil
			}
		}
	}
}

// answerEvery is the interval at which questions of tasks with a directory of their own are
// looked for.
const answerEvery = 250 * time.Millisecond

// answerTasks answers the questions of the tasks that have directories of their own.
func answerTasks(ctx context.Context, pr *project.Task) error {
	dirs, err := pr.TaskDirs()
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		of, err := pr.OpenTask(dir)
		if err != nil {
			continue // it is being made
		}
		state, err := of.World()
		if err != nil {
			return err
		}
		if err := answerQuestion(ctx, of, state); err != nil {
			return err
		}
	}
	return nil
}

// answerQuestion answers the open question of a task, if there is one.
func answerQuestion(ctx context.Context, of *project.Task, state store.State[core.World]) error {
	if !questionOpen(state.World) {
		return nil
	}
	question, err := of.Store.ReadText(state, core.QuestionText)
	if errors.Is(err, store.ErrStale) {
		return nil // it was answered meanwhile
	}
	if err != nil {
		return err
	}
	_, err = of.Do(ctx, store.Call{}, core.Command{Kind: core.KindAnswer, By: project.HumanActor(),
		Text: demo.AnswerTo(question), Ticket: state.World.Question.Ticket})
	if machine.IsRefusal(err) {
		return nil // it was answered meanwhile
	}
	return err
}
