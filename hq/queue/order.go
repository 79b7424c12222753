package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/machine/queue"
	"ferrus/store"
)

// Move puts an item before another one; before 0 is the end.
func (q *Queue) Move(ctx context.Context, by core.Actor, n, before int) error {
	return q.change(ctx, by, n, queue.Move{}, func(tx *store.Tx[Document], at int) (string, error) {
		d := &tx.World
		item := d.Items[at]
		if before == n {
			return "", fmt.Errorf("#%d cannot be before itself", n)
		}
		d.Items = slices.Delete(d.Items, at, at+1)
		to := len(d.Items)
		if before != 0 {
			if to = d.Index(before); to < 0 {
				return "", unknown(before)
			}
		}
		d.Items = slices.Insert(d.Items, to, item)
		if before == 0 {
			return fmt.Sprintf("#%d to the end", n), nil
		}
		return fmt.Sprintf("#%d before #%d", n, before), nil
	})
}

// First returns the number of the item that gets its turn first; 0: none waits.
func (d *Document) First() int {
	for _, i := range d.Items {
		if i.State == queue.StateQueued {
			return i.N
		}
	}
	return 0
}

// Changes are what Edit changes of an item; what is nil stays.
type Changes struct {
	Text    *string // and with it the title; only before the task begins
	After   *[]int
	Touches *[]string
}

// Edit changes an item: all that is asked, or nothing.
func (q *Queue) Edit(ctx context.Context, by core.Actor, n int, c Changes) error {
	_, err := q.update(ctx, by, queue.KindEdit, func(tx *store.Tx[Document]) (string, error) {
		at := tx.World.Index(n)
		if at < 0 {
			return "", unknown(n)
		}
		item := &tx.World.Items[at]
		if c.After != nil {
			item.After = unique(*c.After)
		}
		if c.Touches != nil {
			if err := checkTouches(*c.Touches); err != nil {
				return "", fmt.Errorf("%s touches %w", item.Name(), err)
			}
			item.Touches = *c.Touches
		}
		if err := item.step(by.Role, queue.Edit{Order: tx.World.order(*item)}); err != nil {
			return "", err
		}
		if c.Text != nil {
			if err := rewrite(tx, at, *c.Text); err != nil {
				return "", err
			}
		}
		switch {
		case c.After == nil && c.Touches == nil:
			return item.Name() + " " + item.Title, nil
		case len(item.After) == 0:
			return item.Name() + " waits for no other task", nil
		}
		return item.Name() + " waits for " + names(item.After), nil
	})
	return err
}

// rewrite gives an item whose task has not started another text, and with it another title.
func rewrite(tx *store.Tx[Document], at int, text string) error {
	title := core.TaskTitle(text)
	if err := checkNew(New{Text: text}, title, 0, 1); err != nil {
		return err
	}
	i := &tx.World.Items[at]
	if i.Text == "" {
		return fmt.Errorf("%s has started, and its text can no longer be edited", i.Name())
	}
	for _, other := range tx.World.Items {
		if other.N != i.N && !other.Final() && other.Title == title {
			return fmt.Errorf("%q is already #%d: give this task another title", other.Title, other.N)
		}
	}
	data, err := json.Marshal(map[int]string{i.N: text})
	if err != nil {
		return err
	}
	dropText(tx, at)
	i.Title, i.Text = title, tx.World.freeText()
	tx.SetText(i.Text, string(data))
	return nil
}

// Hold keeps an item from getting its turn until [Queue.Resume].
func (q *Queue) Hold(ctx context.Context, by core.Actor, n int) error {
	t, err := q.taskOf(n)
	if err != nil {
		return err
	}
	if t.Begun() && by.Role == machine.Human {
		return fmt.Errorf("#%d has started: /stop in HQ holds its task", n)
	}
	return q.change(ctx, by, n, queue.Hold{Task: t}, nil)
}

// Resume ends a hold.
func (q *Queue) Resume(ctx context.Context, by core.Actor, n int) error {
	return q.change(ctx, by, n, queue.Resume{}, func(tx *store.Tx[Document], at int) (string, error) {
		tx.World.Items[at].Why = ""
		return tx.World.Items[at].Name() + " " + tx.World.Items[at].Title, nil
	})
}

// Cancel ends an item without landing it. A task that it has begun is reset.
func (q *Queue) Cancel(ctx context.Context, by core.Actor, n int) error {
	_, err := q.update(ctx, by, queue.KindCancel, func(tx *store.Tx[Document]) (string, error) {
		at := tx.World.Index(n)
		if at < 0 {
			return "", unknown(n)
		}
		item := &tx.World.Items[at]
		if err := item.step(by.Role, queue.Cancel{Merging: tx.World.merging(n)}); err != nil {
			return "", err
		}
		item.Staged = nil
		dropText(tx, at)
		return item.Name() + " " + item.Title, tx.World.withdraw(n)
	})
	if err != nil {
		return err
	}
	i, err := q.Item(n)
	if err != nil {
		return err
	}
	return q.resetTask(ctx, i, by)
}

// resetTask resets the task of an item that was cancelled.
func (q *Queue) resetTask(ctx context.Context, i Item, by core.Actor) error {
	of, err := q.Task(i)
	if errors.Is(err, store.ErrNone) {
		return nil // it has not started
	}
	if err != nil {
		return err
	}
	s, err := of.World()
	t := s.World.Task
	if err != nil || t == nil || t.Item != i.N && t.ID != i.Task {
		return err
	}
	_, err = of.Do(ctx, store.Call{}, core.Command{Kind: core.KindReset, By: by})
	return err
}

// Task opens the task of an item: the project's, unless it has a directory of its own. The
// error is store.ErrNone if such a task has not started.
func (q *Queue) Task(i Item) (*project.Task, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if of := q.opened[i.Dir]; of != nil {
		return of, nil
	}
	of, err := q.project.OpenTask(i.Dir)
	if err == nil {
		q.opened[i.Dir] = of
	}
	return of, err
}

// Item returns an item as it is now. The error is [ErrUnknown] if there is none with the number.
func (q *Queue) Item(n int) (Item, error) {
	_, i, err := q.item(n)
	return i, err
}

func (q *Queue) item(n int) (s store.State[Document], i Item, err error) {
	if s, err = q.Load(); err != nil {
		return s, i, err
	}
	at := s.World.Index(n)
	if at < 0 {
		return s, i, unknown(n)
	}
	return s, s.World.Items[at], nil
}

// taskOf returns what the task of an item says of itself.
func (q *Queue) taskOf(n int) (t queue.Task, err error) {
	s, i, err := q.item(n)
	if err != nil {
		return t, err
	}
	f, err := q.facts(s.World, Conditions{})
	if err != nil {
		return t, err
	}
	return f.task(i), nil
}

// Find returns the item that you name: by its number, with or without #, by the id of
// its task, or by its title.
func (d *Document) Find(name string) (Item, error) {
	var n int
	if _, err := fmt.Sscanf(name, "#%d", &n); err != nil {
		n = 0
		fmt.Sscanf(name, "%d", &n) //nolint:errcheck // then it is no number
	}
	if n > 0 && (name == fmt.Sprint(n) || name == fmt.Sprintf("#%d", n)) {
		if at := d.Index(n); at >= 0 {
			return d.Items[at], nil
		}
		return Item{}, unknown(n)
	}
	for _, i := range slices.Backward(d.Items) {
		if i.Task == name && name != "" || i.Title == name {
			return i, nil
		}
	}
	return Item{}, fmt.Errorf("%.80q: %w", name, ErrUnknown)
}

// Approve lets the tasks begin that were proposed: all of them, or the one with a number. It returns them.
func (q *Queue) Approve(ctx context.Context, by core.Actor, n int) (approved []Item, err error) {
	_, err = q.update(ctx, by, queue.KindResume, func(tx *store.Tx[Document]) (string, error) {
		approved = nil
		for at := range tx.World.Items {
			i := &tx.World.Items[at]
			if !i.Proposed() || n != 0 && i.N != n {
				continue
			}
			if err := i.step(by.Role, queue.Resume{}); err != nil {
				return "", err
			}
			approved = append(approved, *i)
		}
		switch {
		case len(approved) == 0 && n != 0:
			return "", fmt.Errorf("#%d is not proposed: there is nothing to approve", n)
		case len(approved) == 0:
			return "", errors.New("no task is proposed: there is nothing to approve")
		case len(approved) == 1:
			return approved[0].Name() + " " + approved[0].Title + " is approved", nil
		}
		return fmt.Sprintf("%d proposed tasks are approved", len(approved)), nil
	})
	return approved, err
}
