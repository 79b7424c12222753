package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine/queue"
	"ferrus/store"
)

// Start begins the task of an item that has its turn. If that fails, the item gives its turn
// up, and after the third time it is held.
func (q *Queue) Start(ctx context.Context, item Item) error {
	err := q.createTask(ctx, item)
	if err == nil || ctx.Err() != nil {
		return err
	}
	giving := q.change(ctx, project.FerrusActor(), item.N, queue.Unadmit{},
		func(tx *store.Tx[Document], at int) (string, error) {
			item := &tx.World.Items[at]
			item.Why = core.TaskTitle(err.Error())
			return joinWords(item.Name()+" "+item.Title, item.Why), nil
		})
	return errors.Join(fmt.Errorf("start #%d: %w", item.N, err), giving)
}

// createTask creates the task of an item, unless a process that died has done so.
func (q *Queue) createTask(ctx context.Context, item Item) error {
	of := q.project
	if item.Dir != "" {
		made, err := q.project.MakeTask(ctx, item.Dir)
		if err != nil {
			return err
		}
		of = made
	}
	s, err := of.World()
	if err != nil {
		return err
	}
	if t := s.World.Task; t != nil && t.Item == item.N {
		return q.project.FreeAdopted(ctx, item.Adopted)
	}
	text, err := q.Request(item.N)
	if err != nil {
		return err
	}
	if text == "" {
		return errors.New("its request is gone")
	}
	c := core.Command{Kind: core.KindCreateTask, By: project.HumanActor(), Text: text, Item: item.N,
		Spec: item.Spec, Milestone: item.Milestone, Origin: item.Origin, Adopted: item.Adopted}
	if _, err = of.Do(ctx, store.Call{}, c); err != nil {
		return err
	}
	return q.project.FreeAdopted(ctx, item.Adopted)
}

// maxWords bounds the name of a directory, in bytes.
const maxWords = 24

// freeDir returns a name for the directory of an item's task, such as t-14-retry-fetch, that no
// other task of the repository has.
func freeDir(takenNames func() ([]string, error), i Item) (string, error) {
	taken, err := takenNames()
	if err != nil {
		return "", fmt.Errorf("find a name for the task of %s: %w", i.Name(), err)
	}
	name := fmt.Sprintf("t-%d", i.N)
	for _, word := range strings.FieldsFunc(strings.ToLower(i.Title), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}) {
		if len(name)+1+len(word) > maxWords {
			break
		}
		name += "-" + word
	}
	for k, free := 2, name; ; k++ {
		if !slices.Contains(taken, free) {
			return free, nil
		}
		free = fmt.Sprintf("%s-%d", name, k)
	}
}
