package gate

import (
	"context"
	"slices"

	"ferrus/checks"
	"ferrus/ui/text/lazyregexp"
)

// lockFile is written by programs that install what it lists.
var lockFile = lazyregexp.New(`\.(?:sum|lock)$|(?:^|/)(?:package-lock|npm-shrinkwrap)\.json$|(?:^|/)pnpm-lock\.yaml$`)

// compareWrites records which files of the tree the commands of a gate that passed wrote, though
// they leave them alone on the tree that the task started from: what they proved is then no longer
// the tree that was hashed. The base is gated first if it was not.
func (r *runner) compareWrites(ctx context.Context, j job, found *checks.Record) error {
	wrote := slices.Concat(found.Moved, found.Restored)
	wrote = slices.DeleteFunc(wrote, lockFile.MatchString)
	if found.Verdict != checks.Pass || j.task == nil || j.task.Definition == nil || len(wrote) == 0 {
		return nil
	}
	if j.base.Tree != "" && j.base.Tree != found.Tree.Hash {
		base, done := readBase(r.project, "checks", j.definition, j.base)
		if !done {
			var err error
			if base, err = r.runBase(ctx, *j.task, marked{Ticket: j.record.Ticket}); err != nil {
				return err
			}
		}
		wrote = slices.DeleteFunc(wrote, func(name string) bool {
			return slices.Contains(base.Moved, name) || slices.Contains(base.Restored, name)
		})
	}
	slices.Sort(wrote)
	found.Rewritten = wrote
	return nil
}

// lookedBack is how many gates are looked at for one that failed on the same tree.
const lookedBack = 500

// failedBefore returns the gates of a task that failed on the tree of one that passed.
func (r *runner) failedBefore(now Record) (all []uint64) {
	if now.Verdict != checks.Pass || now.Task == "" {
		return nil
	}
	for ticket := now.Ticket; ticket > 1 && now.Ticket-ticket < lookedBack; {
		ticket--
		was, err := Read(r.project, ticket)
		if err == nil && was.Task == now.Task && was.Verdict == checks.Fail && was.Tree.Hash == now.Tree.Hash {
			all = append(all, ticket)
		}
	}
	slices.Sort(all)
	return all
}
