package merge

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ferrus/checks/git"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/land"
	"ferrus/hq/queue"
	"ferrus/machine"
	"ferrus/machine/merge"
	"ferrus/ui/text"
)

// changed returns why the approval of an item does not hold for its candidate; empty: it does. It holds
// if the patch is the approved one, whatever else the branch has by now, and raises no alarm that it did
// not raise then.
func (b *branch) changed(ctx context.Context, i queue.Item, c land.Change, made land.Candidate) (string, error) {
	if made.Below == c.Base && made.Merged == c.Work || made.Merged == made.Below {
		return "", nil
	}
	same, err := b.project.Repo().SamePatch(ctx, [2]string{c.Base, c.Work}, [2]string{made.Below, made.Merged},
		made.Union)
	if err != nil {
		return "", err
	}
	if !same {
		return fmt.Sprintf("on %s the change of %s differs from the approved one", b.merge.Target, i.Name()), nil
	}
	of, err := b.queue.Task(i)
	if err != nil {
		return "", err
	}
	s, err := of.World()
	if err != nil {
		return "", err
	}
	for _, a := range of.AlarmsBetween(ctx, s.World, made.Below, made.Merged) {
		if a.NeedsHuman && !raised(s.World.Submission, a) {
			return fmt.Sprintf("on %s the change of %s raises an alarm that was not approved: %s", b.merge.Target,
				i.Name(), a), nil
		}
	}
	return "", nil
}

// raised reports whether a submission had an alarm when it was approved.
func raised(s *core.Submission, a core.Alarm) bool {
	return s != nil && slices.ContainsFunc(s.Alarms, func(was core.Alarm) bool {
		return was.Rule == a.Rule && was.Path == a.Path
	})
}

// judge opens a batch of an item alone whose approval does not hold: it is proven, and then it goes back to its
// reviewer. The candidate has what the worktree will have, without the milestone that its commit ticks.
func (b *branch) judge(ctx context.Context, batch queue.Batch, i queue.Item, c land.Change, why string) error {
	c.Spec, c.Milestone = "", ""
	made, err := land.Build(ctx, b.project.Project, batch.Head, c)
	if err != nil {
		return fmt.Errorf("build the candidate with %s: %w", i.Name(), err)
	}
	batch.Picks = []queue.Pick{{N: i.N, Commit: made.Commit, Tree: made.Tree}}
	batch.Judge = why
	home, err := git.Locate(b.project.Dir)
	if err != nil {
		return err
	}
	if swept, err := b.saveCandidates(ctx, home, batch); err != nil || swept {
		return err
	}
	return b.takeStep(ctx, merge.Open{Picks: 1, Next: b.merge.Tickets + 1, Rejudge: true},
		queue.MergeStep{Also: func(m *queue.Merge) string {
			m.Batch, m.Batches, m.Head = &batch, batch.N, ""
			return fmt.Sprintf("batch %d: %s on %.12s, to be reviewed again: %s", batch.N, batch.Names(), batch.Head,
				why)
		}})
}

// rejudge gives the item of a batch, which is green, to its reviewer.
func (b *branch) rejudge(ctx context.Context, i queue.Item) error {
	of, err := b.queue.Task(i)
	if err != nil {
		return err
	}
	record, err := gate.ReadForced(b.project, b.merge.Batch.Record)
	if err != nil {
		return err
	}
	pick := b.merge.Batch.Picks[0]
	text, err := b.difference(ctx, i, pick.Commit)
	if err != nil {
		return err
	}
	return land.Rejudge(ctx, of, land.Judgement{Branch: b.merge.Target, Onto: b.merge.Batch.Head, Commit: pick.Commit,
		Tree: pick.Tree, Text: text, Record: record}, b.options.stop)
}

// judgedAgain gives the item of a batch to its reviewer, and records it.
func (b *branch) judgedAgain(ctx context.Context, i queue.Item) error {
	if err := b.rejudge(ctx, i); err != nil {
		if land.IsStopped(err) {
			err = errStopped
		}
		return err
	}
	why, tree := b.merge.Batch.Judge, b.merge.Batch.Picks[0].Tree
	return b.takeStep(ctx, merge.Returned{Taken: true}, queue.MergeStep{
		Also:  note("%s, to its reviewer: %s", i.Name(), why),
		Items: map[int]machine.Event{i.N: returnedEvent()},
		Done: func(i *queue.Item) {
			if i.Staged.ByHuman {
				i.Again = tree
			}
			i.Staged, i.Returned = nil, why
		}})
}

// difference returns what a reviewer reads of an approved change that is another one on the
// branch.
func (b *branch) difference(ctx context.Context, i queue.Item, commit string) (string, error) {
	home, err := git.Locate(b.project.Dir)
	if err != nil {
		return "", err
	}
	out, err := home.Git().Output(ctx, "range-diff", "--no-color", "--creation-factor=999", "--no-ext-diff",
		"--no-textconv", i.Staged.Commit+"^!", commit+"^!")
	if err != nil {
		return "", fmt.Errorf("compare the approved change with the one on %s: %w", b.merge.Target, err)
	}
	return fmt.Sprintf("%s\n\nThe change was approved as %.12s. `%s` has moved since, and the change is now on %.12s "+
		"of it, where the checks pass. This is `git range-diff` of the approved change and the current one: lines "+
		"with + or - in the first column are the differences. Review those.\n\n%s\n",
		b.merge.Batch.Judge, i.Staged.Commit, b.merge.Target, b.merge.Batch.Head,
		text.Fence("diff", land.Bounded(out))), nil
}

// gateAlarms returns what only you may let in of what the gate found on a candidate: it counted fewer tests than
// on the branch, or none. What was approved with such an alarm raises none.
func (b *branch) gateAlarms(record gate.Record) (all []string) {
	if b.merge.Data.At == 0 || b.merge.Data.Rejudge {
		return nil
	}
	for _, a := range b.project.CountAlarms(record.Record, b.merge.Batch.Tree) {
		if a.NeedsHuman && !b.approvedWith(a) {
			all = append(all, a.String())
		}
	}
	return all
}

// approvedWith reports whether an item of the candidate was approved with an alarm, or alarms are off for all
// of them.
func (b *branch) approvedWith(a core.Alarm) bool {
	off := true
	for _, p := range b.merge.Batch.Picks[:b.merge.Data.At] {
		of, err := b.queue.Task(b.doc.Items[b.doc.Index(p.N)])
		if err != nil {
			return false
		}
		s, err := of.World()
		if err != nil {
			return false
		}
		if raised(s.World.Submission, a) {
			return true
		}
		off = off && b.definition(s.World).Unprotected
	}
	return off
}

// alarmed says what only you may let in; empty: nothing.
func (b *branch) alarmed() string {
	batch := b.merge.Batch
	if batch.Granted || batch.Found == nil || b.merge.Data.Green != batch.Found.At {
		return ""
	}
	return fmt.Sprintf("only you can approve it: %s: /land lands it", strings.Join(batch.Found.Alarms, "; "))
}
