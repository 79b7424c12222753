package gate

import (
	"context"
	"io"

	"ferrus/checks"
)

// compareTests compares the tests of a gate that passed with those of the tree that the
// task started from, where their runner names them. The base is gated first if it was not.
func (r *runner) compareTests(ctx context.Context, j job, found *checks.Record, log io.Writer) error {
	if found.Verdict != checks.Pass || j.task == nil || j.task.Definition == nil || j.base.Tree == "" ||
		found.Tree.Hash == j.base.Tree {
		return nil
	}
	base, done := readBase(r.project, "checks", j.definition, j.base)
	if !done {
		if len(found.Names()) == 0 {
			return nil
		}
		var err error
		if base, err = r.runBase(ctx, *j.task, marked{Ticket: j.record.Ticket}); err != nil {
			return err
		}
	}
	before := base.Names()
	if len(before) == 0 {
		return nil
	}
	found.Demands = &checks.Demands{Gone: checks.Gone(before, found.Names())}
	return nil
}
