package queue

import (
	"context"
	"slices"

	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/store"
)

// Worker is another machine that tasks can be given to.
type Worker struct {
	Name   string
	Slots  int // tasks at the same time
	Labels []string
	Free   bool // it is connected, and can run the agents
}

// has reports whether a worker has all labels.
func (w Worker) has(labels []string) bool {
	return !slices.ContainsFunc(labels, func(one string) bool { return !slices.Contains(w.Labels, one) })
}

// chooseWorker returns the worker that an item would be given: the free one with
// the most free slots. Empty: it works on this machine, as does one that continues a
// conversation, which is kept here. A task that has begun on a worker continues there as long as it can.
func (f *facts) chooseWorker(d *Document, i Item) (name string) {
	if !f.apart(i) || i.Adopted != nil && i.Adopted.Conversation != "" {
		return ""
	}
	most := 0
	for _, w := range f.Workers {
		left := w.Slots - f.claimed.remote[w.Name]
		if !w.Free || left <= 0 || d.IsDrained(w.Name) || !w.has(i.Needs) {
			continue
		}
		if w.Name == i.Worker {
			return w.Name
		}
		if left > most {
			name, most = w.Name, left
		}
	}
	return name
}

// The events after which a worker gets tasks again, or no longer.
const (
	KindDrain   machine.Kind = "drain_worker"
	KindUndrain machine.Kind = "resume_worker"
)

// Drain stops giving tasks to a worker, or starts again. What runs there continues.
func (q *Queue) Drain(ctx context.Context, by core.Actor, worker string, drained bool) error {
	kind := KindUndrain
	if drained {
		kind = KindDrain
	}
	_, err := q.update(ctx, by, kind, func(tx *store.Tx[Document]) (string, error) {
		d := &tx.World
		d.Drained = slices.DeleteFunc(slices.Clone(d.Drained), func(name string) bool { return name == worker })
		if drained {
			d.Drained = append(d.Drained, worker)
		}
		return worker, nil
	})
	return err
}

// IsDrained reports whether a worker gets no task and no gate.
func (d *Document) IsDrained(worker string) bool { return slices.Contains(d.Drained, worker) }
