package merge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ferrus/hq/core"
	"ferrus/hq/land"
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

// Decide is like [Merger.Decide] for a process that does not merge. The merger finds it in the
// record.
func Decide(ctx context.Context, q *queue.Queue, by core.Actor, target string, d Decision) error {
	s, err := q.Load()
	if err != nil {
		return err
	}
	was := s.World.MergeOf(target)
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

// waiter is what waits for your decision: the merge of a branch, or the pull request of an item.
type waiter struct {
	target string
	pull   *queue.Item // nil: the merge
	fits   bool        // the decision is one that it waits for
}

// name returns what you call it.
func (w waiter) name() string {
	if w.pull != nil {
		return w.pull.Name()
	}
	return w.target
}

// waiters returns what waits for a decision, of what you name: a branch, or an item by its number or its task. Without
// a name it is all of them.
func waiters(d *queue.Document, name string, how Decision) (all []waiter) {
	item := 0
	if i, err := d.Find(name); err == nil {
		item = i.N
	}
	for _, m := range d.Merges {
		staged := slices.ContainsFunc(d.StagedFor(m.Target), func(i queue.Item) bool { return i.N == item })
		if m.NeedsHuman() && (name == "" || name == m.Target || staged) {
			all = append(all, waiter{target: m.Target, fits: slices.Contains(m.Answers(), string(how))})
		}
	}
	for _, i := range d.Items {
		if i.IsHeldPull() && (name == "" || name == i.Staged.Target || i.N == item) {
			all = append(all, waiter{i.Staged.Target, &i, how != Accept || i.Pull.Held == queue.PullDiffers})
		}
	}
	return all
}

// ErrNothingWaits says that no merge waits for a decision.
var ErrNothingWaits = errors.New("no merge waits for you")

// DecideNamed executes your decision about a merge that waits for you, named by its branch or by one of
// its items. Without a name it is the only one. It returns what it decided about.
func DecideNamed(ctx context.Context, q *queue.Queue, by core.Actor, name string, d Decision) (string, error) {
	w, err := find(q, name, d)
	if err != nil {
		return "", err
	}
	if w.pull != nil {
		return w.name(), decidePull(ctx, q, by, *w.pull, d)
	}
	return w.name(), Decide(ctx, q, by, w.target, d)
}

// CheckNamed returns the error of [DecideNamed] if no merge that waits for you has the name.
func CheckNamed(q *queue.Queue, name string, d Decision) error {
	_, err := find(q, name, d)
	return err
}

func find(q *queue.Queue, name string, d Decision) (w waiter, err error) {
	s, err := q.Load()
	if err != nil {
		return w, err
	}
	all := waiters(&s.World, name, d)
	if slices.ContainsFunc(all, func(w waiter) bool { return w.fits }) {
		all = slices.DeleteFunc(all, func(w waiter) bool { return !w.fits })
	}
	switch {
	case len(all) == 0 && name != "":
		return w, fmt.Errorf("%s: %w", name, ErrNothingWaits)
	case len(all) == 0:
		return w, ErrNothingWaits
	case len(all) > 1:
		var names []string
		for _, w := range all {
			names = append(names, w.name())
		}
		return w, &land.RefusedError{What: "more than one merge waits for you: " + strings.Join(names, ", "),
			Fix: "name one: ferrus merge " + string(d) + " " + names[0]}
	}
	return all[0], nil
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
