package merge

import (
	"context"
	"fmt"

	"ferrus/hq/core"
	"ferrus/hq/queue"
	"ferrus/machine"
	"ferrus/machine/merge"
)

// Decision is what you decide about a merge that waits for you.
type Decision string

// The decisions.
const (
	Again  Decision = "again"  // check the flaky candidate again
	Accept Decision = "accept" // the PASS of the flaky candidate counts
	Resume Decision = "resume" // end a hold
	Grant  Decision = "grant"  // the proven batch may move the branch where it is checked out
)

// Decide carries out what you decided about the merge of a branch.
func (m *Merger) Decide(ctx context.Context, by core.Actor, target string, d Decision, o Options) error {
	return Decide(ctx, m.queue, by, target, d)
}

// Decide is [Merger.Decide] for a process that does not merge. The merger finds it in the record.
func Decide(ctx context.Context, q *queue.Queue, by core.Actor, target string, d Decision) error {
	s, err := q.Load()
	if err != nil {
		return err
	}
	was := s.World.MergeOf(target)
	if i, held := heldPull(&s.World, target); held && !was.NeedsHuman() && d != Grant {
		return decidePull(ctx, q, by, i, d)
	}
	step := queue.MergeStep{By: by, Batch: len(s.World.Items) + 1}
	switch d {
	case Grant:
		return q.NoteMerge(ctx, by, target, "merge_granted", func(m *queue.Merge) string {
			if m.Batch != nil {
				m.Batch.Granted, m.Batch.Unsigned = true, ""
			}
			return "the branch may move where it is checked out"
		})
	case Resume:
		step.Event = merge.Resume{}
	case Again, Accept:
		if step.Event = machine.Event(merge.Again{Next: was.Tickets + 1}); d == Accept {
			step.Event = merge.Accept{Next: was.Tickets + 1}
		}
		step.Also = func(m *queue.Merge) string {
			_, tree := was.Batch.Commit(was.Data.At)
			v := withoutFailures(was, tree)
			if d == Accept {
				v.Passed = max(v.Passed, 1)
			} else {
				v.Passed = 0
			}
			m.Remember(v)
			return fmt.Sprintf("the human decides: %s", d)
		}
	}
	err = q.StepMerge(ctx, target, step)
	if err == nil && (d == Again || d == Accept) {
		_, tree := was.Batch.Commit(was.Data.At)
		err = q.AcceptVerdicts(tree)
	}
	return err
}

// withoutFailures returns the verdict on a tree without its failures.
func withoutFailures(m queue.Merge, tree string) queue.Verdict {
	for _, v := range m.Verdicts {
		if v.Tree == tree {
			v.Failed = 0
			return v
		}
	}
	return queue.Verdict{Tree: tree}
}
