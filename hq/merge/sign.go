package merge

import (
	"context"
	"errors"

	"ferrus/checks/git"
	"ferrus/hq/commit"
	"ferrus/hq/land"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/ui/text"
)

// readyToMove reports that the commits that land are signed, or need not be. A signer may wait for you, so it runs
// where gates run, before the branch moves. One that failed runs again when you say so.
func (b *branch) readyToMove(ctx context.Context) (bool, error) {
	if b.merge.Batch.Signed {
		return true, nil
	}
	if b.merge.Batch.Unsigned != "" {
		return false, nil
	}
	home, err := git.Locate(b.project.Dir)
	if err != nil {
		return false, err
	}
	signer, err := home.Signer()
	if errors.As(err, new(*git.SignError)) {
		return false, b.noteUnsigned(ctx, err)
	}
	if err != nil {
		return false, err
	}
	b.prove = signer.Signs()
	return !b.prove, nil
}

// sign signs the commits that land. Candidates that do not land are not signed.
func (b *branch) sign(ctx context.Context) error {
	home, err := git.Locate(b.project.Dir)
	if err != nil {
		return err
	}
	var made []string
	for _, p := range b.merge.Batch.Picks[:b.merge.Data.Green] {
		made = append(made, p.Commit)
	}
	signed, err := commit.Sign(ctx, home, b.merge.Batch.Head, made)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, new(*git.SignError)):
		return b.noteUnsigned(ctx, err)
	case err != nil:
		return err
	}
	if b.options.stop != nil && b.options.stop() {
		return errStopped
	}
	ref := b.queue.CandidateRef(b.merge.Target)
	if err := home.Git().Do(ctx, "update-ref", ref, signed[len(signed)-1]); err != nil {
		return err
	}
	return b.noteSigned(ctx, signed)
}

// noteSigned records the commits that land.
func (b *branch) noteSigned(ctx context.Context, signed []string) error {
	return b.noteBatch(ctx, "merge_signed", func(batch *queue.Batch) string {
		batch.Picks = append([]queue.Pick(nil), batch.Picks...)
		for i, c := range signed {
			batch.Picks[i].Commit = c
		}
		batch.Signed = true
		return text.Count(len(signed), "commit")
	})
}

// noteUnsigned records why the commits could not be signed. Nothing has moved.
func (b *branch) noteUnsigned(ctx context.Context, err error) error {
	words := err.Error() + ": " + land.SignFix
	return b.noteBatch(ctx, "merge_waits", func(batch *queue.Batch) string {
		batch.Unsigned = words
		return words
	})
}

// noteBatch changes the batch that is proven, if it still is.
func (b *branch) noteBatch(ctx context.Context, event string, change func(*queue.Batch) string) error {
	if b.options.stop != nil && b.options.stop() {
		return errStopped
	}
	return b.queue.NoteMerge(ctx, project.FerrusActor(), b.merge.Target, event, func(m *queue.Merge) string {
		if m.Batch == nil || m.Batch.N != b.merge.Batch.N {
			return "it is no longer wanted"
		}
		why := change(m.Batch)
		m.Why = m.Batch.Unsigned
		return why
	})
}
