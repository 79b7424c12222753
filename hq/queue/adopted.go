package queue

import (
	"context"
	"fmt"

	"ferrus/hq/core"
)

// giveAdopted gives a new item the work that it continues, with the conversation. It has a directory of its
// own from now on: it never works in your checkout, whose files are not its own.
func (q *Queue) giveAdopted(ctx context.Context, d *Document, item *Item, n New) (err error) {
	if n.Adopted == nil {
		return nil
	}
	for _, other := range d.Items {
		if other.Adopted != nil && other.Adopted.Dir == n.Adopted.Dir && !other.Final() {
			return fmt.Errorf("%s is already adopted as #%d %s", n.Adopted.Dir, other.N, other.Title)
		}
	}
	if item.Dir, err = freeDir(q.takenNames(ctx), *item); err != nil {
		return err
	}
	if n.Staged != "" {
		if err := q.project.KeepConversation(item.Dir, n.Staged); err != nil {
			return err
		}
	}
	item.Adopted = n.Adopted
	d.Items[d.Index(item.N)].Dir, d.Items[d.Index(item.N)].Adopted = item.Dir, item.Adopted
	return nil
}

// Adopting returns the work of items whose tasks have not started.
func (d *Document) Adopting() (all []core.Adopted) {
	for _, i := range d.Items {
		if i.Adopted != nil && i.Task == "" && !i.Final() {
			all = append(all, *i.Adopted)
		}
	}
	return all
}

// WaitingDirs returns the directories of items whose tasks have not started, and that have one already.
func (q *Queue) WaitingDirs() (all []string, err error) {
	s, err := q.Load()
	for _, i := range s.World.Items {
		if i.Adopted != nil && i.Task == "" && !i.Final() {
			all = append(all, i.Dir)
		}
	}
	return all, err
}
