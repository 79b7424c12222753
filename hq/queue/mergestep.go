package queue

import (
	"context"
	"slices"

	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/machine/merge"
	"ferrus/store"
)

// MergeStep is a step of the merge of one branch, and what one commit of the queue changes with it.
type MergeStep struct {
	By    core.Actor
	Event machine.Event
	Batch int // [merge] batch
	// Also changes the batch, and returns what is written in the journal; nil: nothing.
	Also  func(*Merge) string
	Items map[int]machine.Event // steps of items, by their numbers
	Done  func(*Item)           // of each of those items, after its step; nil: nothing
	Texts map[string]string     // of the queue; an empty one is removed
}

// StepMerge takes a step of the merge of a branch. A refusal is a *machine.Refusal.
func (q *Queue) StepMerge(ctx context.Context, target string, s MergeStep) error {
	_, err := q.update(ctx, s.By, "merge_"+s.Event.Kind(), func(tx *store.Tx[Document]) (string, error) {
		m := tx.World.MergeOf(target)
		if m.Batch != nil {
			copied := *m.Batch
			copied.Picks = slices.Clone(copied.Picks)
			m.Batch = &copied
		}
		to, _, err := merge.Table(max(s.Batch, 1)).Step(m.snap(), s.By.Role, s.Event)
		if err != nil {
			return "", err
		}
		m.State, m.Data, m.Why = to.At, to.Data, ""
		m.Tickets = max(m.Tickets, m.Data.Ticket)
		why := ""
		if s.Also != nil {
			why = s.Also(&m)
		}
		if m.State == merge.StateIdle {
			m.Batch = nil
		}
		for n, e := range s.Items {
			at := tx.World.Index(n)
			if at < 0 {
				return "", unknown(n)
			}
			if err := tx.World.Items[at].step(s.By.Role, e); err != nil {
				return "", err
			}
			if s.Done != nil {
				s.Done(&tx.World.Items[at])
			}
		}
		for name, text := range s.Texts {
			tx.SetText(name, text)
		}
		tx.World.put(m)
		return joinWords(target, why), nil
	})
	return err
}

// AcceptVerdicts records that you decided about a tree on which the checks failed and passed.
func (q *Queue) AcceptVerdicts(tree string) error { return q.project.AcceptVerdicts(tree) }

// NoteMerge changes what is shown of a merge, or what is known of its batch, without a step.
func (q *Queue) NoteMerge(ctx context.Context, by core.Actor, target, event string,
	change func(*Merge) (why string)) error {
	_, err := q.update(ctx, by, machine.Kind(event), func(tx *store.Tx[Document]) (string, error) {
		m := tx.World.MergeOf(target)
		if m.Batch != nil {
			copied := *m.Batch
			m.Batch = &copied
		}
		why := change(&m)
		tx.World.put(m)
		return joinWords(target, why), nil
	})
	return err
}
