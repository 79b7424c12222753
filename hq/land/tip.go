package land

import (
	"context"
	"errors"

	"ferrus/checks/git"
	"ferrus/hq/commit"
	"ferrus/hq/project"
)

// HookRefused is a [*Refused] of a hook of the repository: another message may pass.
type HookRefused struct {
	*RefusedError
	Words string // what the hook said
}

func (h *HookRefused) Unwrap() error { return h.RefusedError }

// word has the hooks of the repository word the message of a commit.
func (l *landing) word(ctx context.Context, d commit.Draft) error {
	cfg, _ := l.project.Config() // the last good one
	if !cfg.Merge.Hooks {
		trusted, err := l.project.Trusted(project.GateDefinition(cfg))
		if err != nil {
			return err
		}
		d.NoHooks = trusted
	}
	d.Message = l.options.Message
	result, err := commit.Words(ctx, l.work, d)
	refused := (*commit.RefusedError)(nil)
	if errors.As(err, &refused) {
		return &HookRefused{&RefusedError{What: refused.Error(),
			Fix: "land it with another message (-m, or e in HQ), " +
				"or set [merge] message for all of them"}, refused.Words}
	}
	if err != nil {
		return err
	}
	l.options.Message, l.skipped = result.Message, result.Skipped
	return nil
}

// commitTip makes the commit that lands, with the message that the hooks of the repository leave, and signed if you
// have git sign. No branch has it.
func (l *landing) commitTip(ctx context.Context, tree string) (string, error) {
	if err := l.word(ctx, commit.Draft{Branch: l.onto(), Parent: l.Old, Tree: tree}); err != nil {
		return "", err
	}
	for _, why := range l.skipped {
		l.options.Tell(why)
	}
	made, err := l.commit(ctx, tree, l.Old)
	if err != nil {
		return "", err
	}
	all, err := commit.Sign(ctx, l.work, l.Old, []string{made})
	if failed := (*git.SignError)(nil); errors.As(err, &failed) {
		return "", refuse(SignFix, "%v", failed)
	}
	if err != nil {
		return "", err
	}
	return all[0], nil
}

// SignFix is the way out where a commit could not be signed.
const SignFix = "unlock your key first (sign something in a terminal, or ssh-add it), then land again; or git config " +
	"commit.gpgSign false"
