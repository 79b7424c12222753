package merge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ferrus/checks"
	"ferrus/checks/git"
	"ferrus/hq/land"
	"ferrus/hq/queue"
	"ferrus/machine/merge"
)

// open opens a batch of what is staged.
func (b *branch) open(ctx context.Context, head string) (moved bool, err error) {
	switch held := b.merge.Data.Held; {
	case held == merge.TargetRed && head != b.merge.Head:
		return true, b.takeStep(ctx, merge.Moved{}, queue.MergeStep{Also: note("the branch moved to %.12s", head)})
	case held != merge.NotHeld:
		return false, nil
	}
	staged := b.doc.StagedFor(b.merge.Target)
	if len(staged) == 0 {
		return false, nil
	}
	batch := queue.Batch{N: b.merge.Batches + 1, Head: head, Began: time.Now().UTC().Truncate(time.Millisecond)}
	home, err := git.Locate(b.project.Dir)
	if err == nil {
		batch.Tree, err = home.Git().TreeOf(ctx, head)
	}
	if err != nil {
		return false, err
	}
	blamed, err := b.pick(ctx, &batch, staged)
	if again := (*notApproved)(nil); errors.As(err, &again) {
		return true, b.judge(ctx, batch, again.item, again.change, again.why)
	}
	if err != nil {
		return false, err
	}
	swept, err := b.saveCandidates(ctx, home, batch)
	if err != nil || swept {
		return swept, err
	}
	also := func(m *queue.Merge) string {
		m.Batch, m.Batches, m.Head = &batch, batch.N, ""
		return fmt.Sprintf("batch %d: %s on %.12s", batch.N, batch.Names(), head)
	}
	if blamed != nil {
		return true, b.blame(ctx, &batch, b.doc.Items[b.doc.Index(batch.Picks[0].N)], *blamed)
	}
	if len(batch.Picks) == 0 {
		return false, nil
	}
	first := b.doc.Items[b.doc.Index(batch.Picks[0].N)]
	known := b.merge.VerdictOn(batch.Tree, b.checksOf(first))
	e := merge.Open{Picks: len(batch.Picks), Next: b.merge.Tickets + 1, Proven: known.Passed > 0 && known.Failed == 0}
	return true, b.takeStep(ctx, e, queue.MergeStep{Also: also})
}

// saveCandidates keeps the candidates of a batch, which no branch has yet, on a ref. It reports whether
// your git gc removed them before that: then they have to be built again.
func (b *branch) saveCandidates(ctx context.Context, home git.Repository, batch queue.Batch) (swept bool, err error) {
	if len(batch.Picks) == 0 {
		return false, nil
	}
	if b.options.stop != nil && b.options.stop() {
		return false, errStopped
	}
	tip, _ := batch.Commit(len(batch.Picks))
	err = home.Git().Do(ctx, "update-ref", b.queue.CandidateRef(b.merge.Target), tip)
	if err != nil && home.Git().Do(ctx, "cat-file", "-e", tip) != nil {
		return true, nil
	}
	return false, err
}

// freeCandidates removes the ref that keeps candidates.
func (b *branch) freeCandidates(ctx context.Context) error {
	home, err := git.Locate(b.project.Dir)
	if err != nil {
		return err
	}
	return home.Git().Do(ctx, "update-ref", "-d", b.queue.CandidateRef(b.merge.Target))
}

// notApproved is the first item of a batch, if its approval does not hold on the branch.
type notApproved struct {
	item   queue.Item
	change land.Change
	why    string
}

func (n *notApproved) Error() string { return n.why }

// pick fills a batch with candidates. If the first item does not fit onto the branch itself it is the
// only one, and pick returns where it does not fit; another one sits this batch out. So does one whose
// approval does not hold; the error is a *notApproved for the first one. An item whose candidate cannot be built at
// all, as its commit is gone or damaged, keeps no other from landing: it is an error only where there is no other.
func (b *branch) pick(ctx context.Context, batch *queue.Batch, staged []queue.Item) (*land.Conflict, error) {
	most, on := max(b.options.Batch, 1), batch.Head
	if b.merge.Data.Moved >= merge.MovedLimit {
		most = 1
	}
	checked := "" // what the first one that can be built has to pass
	var faults []error
	for _, i := range staged {
		if len(batch.Picks) == most || checked != "" && i.Staged.Checks != checked {
			continue
		}
		c, made, why, err := b.build(ctx, i, on)
		conflict := (*land.Conflict)(nil)
		switch {
		case errors.As(err, &conflict) && len(batch.Picks) == 0:
			batch.Picks = []queue.Pick{{N: i.N, Commit: batch.Head, Tree: batch.Tree}}
			return conflict, nil
		case errors.As(err, &conflict):
			continue
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			faults = append(faults, fmt.Errorf("build the candidate with %s: %w", i.Name(), err))
			continue
		}
		checked = i.Staged.Checks
		switch {
		case why != "" && len(batch.Picks) == 0:
			return nil, &notApproved{i, c, why}
		case why != "":
			continue
		}
		batch.Picks = append(batch.Picks, queue.Pick{N: i.N, Commit: made.Commit, Tree: made.Tree})
		on = made.Commit
	}
	if len(batch.Picks) == 0 {
		return nil, errors.Join(faults...)
	}
	return nil, nil
}

// build builds the candidate of an item, and says why its approval does not hold there; empty: it does.
func (b *branch) build(ctx context.Context, i queue.Item, on string) (
	c land.Change, made land.Candidate, why string, err error) {
	if c, err = b.change(ctx, i); err != nil {
		return c, made, "", err
	}
	if made, err = land.Build(ctx, b.project.Project, on, c); err != nil {
		return c, made, "", err
	}
	why, err = b.changed(ctx, i, c, made)
	return c, made, why, err
}

// change returns what an item adds to a commit.
func (b *branch) change(ctx context.Context, i queue.Item) (c land.Change, err error) {
	home, err := git.Locate(b.project.Dir)
	if err != nil {
		return c, err
	}
	c = land.Change{Union: b.options.Union, Base: i.Staged.Base,
		Tree: i.Staged.Tree, Spec: i.Staged.Spec, Milestone: i.Staged.Milestone}
	if c.Work, err = home.Git().TreeOf(ctx, i.Staged.Commit); err != nil {
		return c, err
	}
	data, err := home.Git().Object(ctx, "commit", i.Staged.Commit)
	_, c.Message, _ = strings.Cut(string(data), "\n\n")
	return c, err
}

// blame returns the first item, which does not fit onto the branch.
func (b *branch) blame(ctx context.Context, batch *queue.Batch, i queue.Item, c land.Conflict) error {
	others, err := b.since(ctx, i, c.Files)
	if err != nil {
		return err
	}
	words := c.Describe(b.merge.Target, batch.Head)
	if others != "" {
		words += "\n" + others
	}
	what := fmt.Sprintf("the work conflicts with %s: %s", b.merge.Target, checks.JoinPaths(c.Files))
	batch.Report = reportText(b.merge.Target)
	return b.takeStep(ctx, merge.Conflict{}, queue.MergeStep{
		Also: func(m *queue.Merge) string {
			m.Batch, m.Batches, m.Why = batch, batch.N, what
			return fmt.Sprintf("%s: %s", batch.Names(), what)
		},
		Texts: map[string]string{batch.Report: what + "\n\n" + words}})
}
