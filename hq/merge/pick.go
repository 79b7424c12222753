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
		return true, b.blame(ctx, &batch, staged[0], *blamed)
	}
	if len(batch.Picks) == 0 {
		return false, nil
	}
	known := b.merge.VerdictOn(batch.Tree, staged[0].Staged.Checks)
	e := merge.Open{Picks: len(batch.Picks), Next: b.merge.Tickets + 1, Proven: known.Passed > 0 && known.Failed == 0}
	return true, b.takeStep(ctx, e, queue.MergeStep{Also: also})
}

// saveCandidates has a ref keep the candidates of a batch, which no branch has yet. It reports that a git gc of yours
// swept them up before: then they have to be built again.
func (b *branch) saveCandidates(ctx context.Context, home git.Repository, batch queue.Batch) (swept bool, err error) {
	if len(batch.Picks) == 0 {
		return false, nil
	}
	if b.options.stop != nil && b.options.stop() {
		return false, errStopped
	}
	tip, _ := batch.Commit(len(batch.Picks))
	err = home.Git().Do(ctx, "update-ref", candidateRef(b.merge.Target), tip)
	if err != nil && home.Git().Do(ctx, "cat-file", "-e", tip) != nil {
		return true, nil
	}
	return false, err
}

// candidateRef names the ref that keeps the candidates of a branch.
func candidateRef(target string) string { return "refs/ferrus/merge/" + target }

// notApproved is the first item of a batch, if its approval does not hold on the branch.
type notApproved struct {
	item   queue.Item
	change land.Change
	why    string
}

func (n *notApproved) Error() string { return n.why }

// pick fills a batch with candidates. If the first item does not fit onto the branch itself it is the
// only one, and pick returns where it does not fit; another one sits this batch out. So does one whose
// approval does not hold; the error is a *notApproved for the first one.
func (b *branch) pick(ctx context.Context, batch *queue.Batch, staged []queue.Item) (*land.Conflict, error) {
	most, on := max(b.options.Batch, 1), batch.Head
	if b.merge.Data.Moved >= merge.MovedLimit {
		most = 1
	}
	for _, i := range staged {
		if len(batch.Picks) == most || i.Staged.Checks != staged[0].Staged.Checks {
			continue
		}
		c, err := b.change(ctx, i)
		if err != nil {
			return nil, err
		}
		made, err := land.Build(ctx, b.project.Project, on, c)
		conflict := (*land.Conflict)(nil)
		switch {
		case errors.As(err, &conflict) && len(batch.Picks) == 0:
			batch.Picks = []queue.Pick{{N: i.N, Commit: batch.Head, Tree: batch.Tree}}
			return conflict, nil
		case errors.As(err, &conflict) || errors.As(err, new(*checks.PointerError)):
			continue
		case err != nil:
			return nil, fmt.Errorf("build the candidate with %s: %w", i.Name(), err)
		}
		why, err := b.changed(ctx, i, c, made)
		switch {
		case err != nil:
			return nil, fmt.Errorf("compare what lands of %s with what was approved: %w", i.Name(), err)
		case why != "" && len(batch.Picks) == 0:
			return nil, &notApproved{i, c, why}
		case why != "":
			continue
		}
		batch.Picks = append(batch.Picks, queue.Pick{N: i.N, Commit: made.Commit, Tree: made.Tree})
		on = made.Commit
	}
	return nil, nil
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
	text, err := home.Git().Object(ctx, "commit", i.Staged.Commit)
	_, c.Message, _ = strings.Cut(string(text), "\n\n")
	return c, err
}

// blame returns the first item, which does not fit onto the branch.
func (b *branch) blame(ctx context.Context, batch *queue.Batch, i queue.Item, c land.Conflict) error {
	others, err := b.since(ctx, i, c.Files)
	if err != nil {
		return err
	}
	words := fmt.Sprintf("`%s` has moved to %.12s, and the change conflicts with it:\n\n- %s\n\n```diff\n%s\n```\n",
		b.merge.Target, batch.Head, strings.Join(c.Files, "\n- "), land.Bounded(c.Hunks))
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
