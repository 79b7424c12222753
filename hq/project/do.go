package project

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"ferrus/agent/process"
	"ferrus/checks"
	"ferrus/hq/advice"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/machine/task"
	"ferrus/store"
)

// Do executes one command: it gathers the facts that the command needs, decides
// under the lock and commits. When it returns nil, the Result is durable.
// A *machine.Refusal has changed nothing, with two exceptions that say so: an approval
// that finds the tree changed voids the submission, and a reviewer's approval of what
// only the human may approve is recorded as an endorsement.
func (t *Task) Do(ctx context.Context, call store.Call, c core.Command) (core.Result, error) {
	cfg, broken := t.Config()
	if broken != nil && c.Kind == core.KindCreateTask {
		return core.Result{}, broken
	}
	if c.Kind == core.KindCreateTask || c.Kind == core.KindReset {
		t.TickMilestone(ctx) //nolint:errcheck // the conductor reports it, and a task must not wait for a checkbox
	}
	result, c, err := t.transact(ctx, cfg, call, c, t.gather)
	switch {
	case err == nil && (c.Kind == core.KindApprove || c.Kind == core.KindLanded):
		if c.Kind == core.KindApprove && c.By.Role == machine.Human {
			if err := t.AcceptVerdicts(c.Facts.Tree); err != nil {
				return result, err
			}
		}
		if err := t.TickMilestone(ctx); err != nil {
			result.Message = err.Error()
		}
	case c.Kind == core.KindApprove && onlyAlarms(err):
		err = t.endorse(ctx, cfg, c, err)
	}
	return result, err
}

// gathering reads what a command needs in a state, and reports whether its decision
// depends on that state.
type gathering func(context.Context, config.Config, store.State[core.World], *core.Command) (bound bool, err error)

// transact carries a command through the pipeline of the store. It returns the command
// with the facts that it was decided on, too.
func (t *Task) transact(
	ctx context.Context, cfg config.Config, call store.Call, asked core.Command, gather gathering,
) (core.Result, core.Command, error) {
	c := asked
	var decided core.Decision
	out, err := t.Store.Transact(ctx, call, store.Transaction[core.World]{
		Gather: func(s store.State[core.World]) (bool, error) {
			c = asked
			return gather(ctx, cfg, s, &c)
		},
		Decide: func(tx *store.Tx[core.World]) (err error) {
			decided, err = t.decide(cfg, tx, c)
			return err
		},
		Drop: func() error { return t.discardWorktree(ctx, c) },
	})
	if errors.Is(err, store.ErrStale) {
		err = t.refuse(asked, factsMoved(asked))
	}
	if err != nil {
		return core.Result{}, c, err
	}
	result, err := t.committed(out, decided)
	return result, c, err
}

// gather reads what takes too long to be read under the lock. A submission whose tree
// is not the present one is voided instead of judged.
func (t *Task) gather(ctx context.Context, cfg config.Config, s store.State[core.World],
	c *core.Command) (bool, error) {
	if !needs(s.World, *c) {
		return false, nil
	}
	c.Seq = s.Seq
	t.gatherPresent(c, cfg, s.World, s.Seq+1)
	if err := gatherers[c.Kind].gather(t, ctx, cfg, s.World, c); err != nil {
		return false, err
	}
	if judgesSubmission(c.Kind) && s.World.TreeChanged(c.Facts.Tree) {
		return false, t.void(ctx, cfg, s, c)
	}
	return true, nil
}

// needs reports whether a command must not be decided without facts that take time.
func needs(w core.World, c core.Command) bool {
	gather := gatherers[c.Kind]
	return gather != nil && gather.when(w, c)
}

// decide decides a command under the lock. It may need facts there that it did not
// need in the state before, and the state may have moved on since its caller looked.
func (t *Task) decide(cfg config.Config, tx *store.Tx[core.World], c core.Command) (core.Decision, error) {
	if c.Seq != 0 && c.Seq+1 != tx.Seq || c.Seq == 0 && tx.Seq > 1 && needs(tx.World, c) {
		return core.Decision{}, store.ErrStale
	}
	if err := t.refuseWhilePaired(c); err != nil {
		return core.Decision{}, err
	}
	t.gatherPresent(&c, cfg, tx.World, tx.Seq)
	d, err := core.Decide(tx.World, c, limits(cfg))
	if err != nil {
		return core.Decision{}, err
	}
	if d.Result.Next == "" {
		d.Result.Next = advice.Next(d.World, c.By)
	}
	if err := t.keepReview(tx.Seq, c, tx.World, d); err != nil {
		return core.Decision{}, err
	}
	apply(tx, c.By, d)
	tx.From(t.Origin(c.By))
	return d, nil
}

// commit decides and commits a command whose facts are at hand.
func (t *Task) commit(ctx context.Context, cfg config.Config, c core.Command) error {
	var decided core.Decision
	out, err := t.Store.Update(ctx, store.Call{}, func(tx *store.Tx[core.World]) (err error) {
		decided, err = t.decide(cfg, tx, c)
		return err
	})
	if err == nil {
		_, err = t.committed(out, decided)
	}
	return err
}

// committed returns the result of a decision, or the result of an equal earlier call.
func (t *Task) committed(out store.UpdateResult[core.World], d core.Decision) (core.Result, error) {
	if judges(d.Event) {
		t.sweepReviews(out.State.Seq) //nolint:errcheck // leftovers do no harm, and the next review tries again
	}
	if out.Replayed {
		if err := json.Unmarshal(out.Result, &d.Result); err != nil {
			return core.Result{}, fmt.Errorf("read the result of an earlier call: %w", err)
		}
	}
	return d.Result, nil
}

// onlyAlarms reports an approval that only the human may give.
func onlyAlarms(err error) bool {
	r := machine.AsRefusal(err)
	return r != nil && len(r.Failed) > 0 && !slices.ContainsFunc(r.Failed, func(f machine.Failed) bool {
		return f.Guard != task.GuardHumanApproves && f.Guard != task.GuardFlaky
	})
}

// endorse records that a reviewer accepts what only the human may approve, and returns
// the refusal of the approval.
func (t *Task) endorse(ctx context.Context, cfg config.Config, c core.Command, refusal error) error {
	c.Kind = core.KindEndorse
	if err := t.commit(ctx, cfg, c); err != nil {
		return err
	}
	answer := *machine.AsRefusal(refusal)
	answer.Failed = slices.Clone(answer.Failed)
	answer.Failed[0].Fix = core.EndSession +
		": your acceptance is recorded, and the human has been asked to approve or reject"
	return &answer
}

// apply puts a decision into an update.
func apply(tx *store.Tx[core.World], by core.Actor, d core.Decision) {
	before := tx.World
	tx.World = d.World
	if d.Event == "" {
		if !reflect.DeepEqual(before.Normalize(), d.World) {
			tx.Renew()
		}
		return
	}
	for name, text := range d.Texts {
		tx.SetText(name, text)
	}
	if d.Archive != "" {
		tx.Archive(d.Archive)
	}
	tx.SetResult(d.Result)
	tx.Record(string(d.Event), by.ID, by.Session, d.Why)
}

func limits(cfg config.Config) core.Limits {
	return core.Limits{CheckRetries: cfg.Limits.MaxCheckRetries, ReviewCycles: cfg.Limits.MaxReviewCycles}
}

// gatherPresent fills in the facts that take no time to gather.
func (t *Task) gatherPresent(c *core.Command, cfg config.Config, w core.World, next uint64) {
	f := &c.Facts
	f.Now, f.NextSeq = time.Now(), next
	f.TTL, f.Unattended = cfg.Lease.TTL(), Unattended(cfg, w)
	f.Pin, f.Widening = pinOf(cfg), cfg.Widening
	if c.Adopted != nil {
		f.Pin.Executor = adopter(cfg, f.Pin.Executor, c.Adopted.Agent)
	}
	if w.Task == nil || w.Task.Definition == nil {
		f.AllowNone = cfg.Checks.AllowNone // Otherwise the task's pinned definition counts.
	}
	f.HolderAlive, f.HolderGone = t.holderAlive(w)
}

// holderAlive returns what is known of the process that holds the lease. A managed one
// counts as alive only while a conductor runs, which renews for it.
func (t *Task) holderAlive(w core.World) (alive, gone bool) {
	if w.Claim == nil {
		return false, false
	}
	alive, known := process.Alive(w.Claim.Process)
	gone = known && !alive
	if alive && w.Claim.Managed {
		_, alive, _ = t.Store.Holder(ConductorLock) // A lock that cannot be inspected counts as free.
	}
	return alive, gone
}

// judgesSubmission reports whether a command is about the submission under review.
func judgesSubmission(kind machine.Kind) bool {
	return kind == core.KindApprove || kind == core.KindClaim
}

// void voids a submission whose tree is not the present one, if the command would have
// been accepted otherwise. A claim finds nothing to review then, whatever the tree is;
// an approval is refused.
func (t *Task) void(ctx context.Context, cfg config.Config, s store.State[core.World], c *core.Command) error {
	would := *c
	would.Facts.Tree, would.Facts.Alarms = s.World.Submission.Tree, nil
	if _, err := core.Decide(s.World, would, limits(cfg)); err != nil {
		return err
	}
	why := t.describeChanged(ctx, s.World, s.World.Submission.Tree, c.Facts.Tree)
	err := t.commit(ctx, cfg, core.Command{
		Kind: core.KindVoided, By: FerrusActor(), Text: why, Seq: c.Seq,
		Facts: core.Facts{Tree: c.Facts.Tree, TreeWhy: why},
	})
	if err != nil {
		return err
	}
	if c.Kind == core.KindClaim {
		c.Seq = 0
		return nil
	}
	return t.refuse(*c, machine.Failed{
		Guard: task.GuardTreeUnchanged, Reason: why + "; the submission is void and the task is back with the executor",
		Expected: "the tree that was submitted", Fix: "wait for the next submission",
	})
}

// describeChanged returns one line that names the files that differ.
func (t *Task) describeChanged(ctx context.Context, w core.World, a, b string) string {
	paths, err := t.Work(w).Changed(ctx, a, b)
	if err != nil || len(paths) == 0 {
		return "files changed after the submission"
	}
	return checks.JoinPaths(paths) + " changed after the submission"
}

// factsMoved describes a command whose state kept changing while facts were gathered.
func factsMoved(c core.Command) machine.Failed {
	again := strings.ReplaceAll(string(c.Kind), string(core.KindClaim), "the wait")
	return machine.Failed{
		Guard: core.GuardFactsMoved, Reason: "the state changed three times while facts were gathered",
		Expected: "a state that does not change in the meantime", Fix: "call " + again + " again",
	}
}

// refuse returns a refusal in the present state.
func (t *Task) refuse(c core.Command, failed machine.Failed) error {
	r := &machine.Refusal{Code: machine.GuardFailed, Machine: "task", Event: c.Kind, By: c.By.Role,
		Failed: []machine.Failed{failed}}
	if state, err := t.World(); err == nil {
		r.State, r.Options = state.World.State, core.OpenTransitions(state.World)
	}
	return r
}
