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
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/store"
)

// tries is how often facts are gathered for one command.
const tries = 3

// errMoved means that facts were gathered for a state that is gone.
var errMoved = errors.New("the state moved on while facts were gathered")

// Do carries out one command: it gathers the facts that the command needs,
// decides under the lock and commits. When it returns nil, the Result is durable.
// A *machine.Refusal has changed nothing, with two exceptions that say so: an
// approval that finds the tree moved voids the submission, and a reviewer's of
// what only the person may approve is kept as one that endorses.
func (p *Project) Do(ctx context.Context, call store.Call, c core.Command) (core.Result, error) {
	cfg, broken := p.Config()
	if broken != nil && c.Kind == core.KindCreateTask {
		return core.Result{}, broken
	}
	if c.Kind == core.KindCreateTask || c.Kind == core.KindReset {
		p.TickMilestone(ctx) //nolint:errcheck // the conductor tells it, and a task must not wait for a box
	}
	for range tries {
		result, err := p.try(ctx, cfg, call, c)
		if errors.Is(err, errMoved) {
			continue
		}
		if err == nil && (c.Kind == core.KindApprove || c.Kind == core.KindLanded) {
			if err := p.TickMilestone(ctx); err != nil {
				result.Message = err.Error()
			}
		}
		return result, err
	}
	return core.Result{}, p.facts(c)
}

// try gathers and commits once.
func (p *Project) try(ctx context.Context, cfg config.Config, call store.Call, c core.Command) (core.Result, error) {
	state, err := p.World()
	if err != nil {
		return core.Result{}, err
	}
	if !needs(state.World, c) {
		return p.commit(ctx, cfg, call, c)
	}
	c.Seq = state.Seq
	p.present(&c, cfg, state.World, state.Seq+1)
	if err := gatherers[c.Kind].gather(p, ctx, cfg, state.World, &c); err != nil {
		return core.Result{}, err
	}
	if submitted(c.Kind) && state.World.Moved(c.Facts.Tree) {
		return p.moved(ctx, cfg, state, call, c)
	}
	result, err := p.commit(ctx, cfg, call, c)
	if c.Kind == core.KindCreateTask {
		err = errors.Join(err, p.disown(ctx, c))
	}
	if c.Kind == core.KindApprove && onlyAlarms(err) {
		return result, p.endorsed(ctx, cfg, c, err)
	}
	return result, err
}

// onlyAlarms reports an approval that only the human may give.
func onlyAlarms(err error) bool { return machine.AsRefusal(err).FailsOnly("person-approves-alarms") }

// endorsed keeps that a reviewer accepts what only the person may approve, and
// returns the refusal of the approval.
func (p *Project) endorsed(ctx context.Context, cfg config.Config, c core.Command, refusal error) error {
	c.Kind = core.KindEndorse
	if _, err := p.commit(ctx, cfg, store.Call{}, c); err != nil {
		return err
	}
	told := *machine.AsRefusal(refusal)
	told.Failed = slices.Clone(told.Failed)
	told.Failed[0].Fix = "end your session now: it is recorded that you accept it, and the person was told to approve or reject"
	return &told
}

// commit decides under the lock and writes what was decided.
func (p *Project) commit(ctx context.Context, cfg config.Config, call store.Call, c core.Command) (core.Result, error) {
	var result core.Result
	var event machine.Kind
	out, err := p.Store.Update(ctx, call, func(tx *store.Tx[core.World]) error {
		if c.Seq != 0 && c.Seq+1 != tx.Seq || c.Seq == 0 && tx.Seq > 1 && needs(tx.World, c) {
			return errMoved
		}
		if err := p.unpaired(c); err != nil {
			return err
		}
		p.present(&c, cfg, tx.World, tx.Seq)
		d, err := core.Decide(tx.World, c, limits(cfg))
		if err != nil {
			return err
		}
		if err := p.keepReview(tx.Seq, c, tx.World, d); err != nil {
			return err
		}
		result, event = d.Result, d.Event
		write(tx, c.By, d)
		return nil
	})
	if err != nil {
		return core.Result{}, err
	}
	if judges(event) {
		p.sweepReviews(out.State.Seq) //nolint:errcheck // what is left says nothing, and the next review tries again
	}
	if out.Replayed {
		if err := json.Unmarshal(out.Result, &result); err != nil {
			return core.Result{}, fmt.Errorf("read the result of an earlier call: %w", err)
		}
	}
	return result, nil
}

// needs reports that a command must not be decided without facts that take time.
// It may have needed none in the state that was there before the lock.
func needs(w core.World, c core.Command) bool {
	gather := gatherers[c.Kind]
	return gather != nil && gather.when(w, c)
}

// write puts a decision into the update.
func write(tx *store.Tx[core.World], by core.Actor, d core.Decision) {
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

// present fills in the facts that are at hand at any time.
func (p *Project) present(c *core.Command, cfg config.Config, w core.World, next uint64) {
	f := &c.Facts
	f.Now, f.NextSeq = time.Now(), next
	f.TTL, f.Unattended = cfg.Lease.TTL(), cfg.HQ.Unattended
	if w.Task == nil || w.Task.Definition == nil {
		f.AllowNone = cfg.Checks.AllowNone // Otherwise what was pinned counts.
	}
	f.HolderAlive, f.HolderGone = p.holder(w)
}

// holder says what is known of the process that holds the lease. A managed one
// counts as alive while its conductor is there to renew for it.
func (p *Project) holder(w core.World) (alive, gone bool) {
	if w.Claim == nil {
		return false, false
	}
	alive, known := process.Alive(w.Claim.Process)
	gone = known && !alive
	if alive && w.Claim.Managed {
		_, alive, _ = p.Store.Holder(ConductorLock) // A lock that cannot be looked at is not held.
	}
	return alive, gone
}

// submitted are the commands that judge a submission.
func submitted(kind machine.Kind) bool { return kind == core.KindApprove || kind == core.KindClaim }

// moved voids a submission whose tree is not the present one, if the command
// would have been accepted otherwise.
func (p *Project) moved(ctx context.Context, cfg config.Config, state store.State[core.World], call store.Call, c core.Command) (core.Result, error) {
	would := c
	would.Facts.Tree, would.Facts.Alarms = state.World.Submission.Tree, nil
	if _, err := core.Decide(state.World, would, limits(cfg)); err != nil {
		return core.Result{}, err
	}
	why := p.whichMoved(ctx, state.World, state.World.Submission.Tree, c.Facts.Tree)
	void := core.Command{Kind: core.KindVoided, By: FerrusActor(), Text: why, Seq: c.Seq, Facts: core.Facts{Tree: c.Facts.Tree, TreeWhy: why}}
	if _, err := p.commit(ctx, cfg, store.Call{}, void); err != nil {
		return core.Result{}, err
	}
	if c.Kind == core.KindClaim {
		c.Seq = 0 // It depends on no tree any more: there is nothing to review.
		return p.commit(ctx, cfg, call, c)
	}
	return core.Result{}, p.refuse(c, machine.Failed{
		Guard: "tree-unchanged", Reason: why + "; the submission is void and the task is back with the executor",
		Expected: "the tree that was submitted", Fix: "wait for the next submission",
	})
}

// whichMoved is one line that names what differs.
func (p *Project) whichMoved(ctx context.Context, w core.World, a, b string) string {
	paths, err := p.Work(w).Changed(ctx, a, b)
	if err != nil || len(paths) == 0 {
		return "files changed after the submission"
	}
	return checks.JoinPaths(paths) + " changed after the submission"
}

// facts refuses a command whose facts were never those of the state.
func (p *Project) facts(c core.Command) error {
	return p.refuse(c, machine.Failed{
		Guard: "facts-moved", Reason: errMoved.Error() + ", three times",
		Expected: "a state that rests for a moment", Fix: "call " + strings.ReplaceAll(string(c.Kind), string(core.KindClaim), "the wait") + " again",
	})
}

// refuse is a refusal in the present state.
func (p *Project) refuse(c core.Command, failed machine.Failed) error {
	r := &machine.Refusal{Code: machine.GuardFailed, Machine: "task", Event: c.Kind, By: c.By.Role, Failed: []machine.Failed{failed}}
	if state, err := p.World(); err == nil {
		r.State, r.Options = state.World.State, core.OpenTransitions(state.World)
	}
	return r
}
