package merge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/land"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/machine"
	"ferrus/machine/merge"
)

// branch is the merge of one branch, as the record had it.
type branch struct {
	*Merger
	options Options
	doc     queue.Document
	merge   queue.Merge
	prove   bool // the gate of a candidate has to run
}

// step takes one step, if there is one that needs no gate.
func (b *branch) step(ctx context.Context) (moved bool, err error) {
	head, err := b.move("").Head(ctx)
	if err != nil {
		return false, err
	}
	if head == "" {
		return b.gone(ctx)
	}
	switch b.merge.State {
	case merge.StateIdle:
		return b.open(ctx, head)
	case merge.StateProving, merge.StateProven:
		switch {
		case head != b.merge.Batch.Head:
			return true, b.takeStep(ctx, merge.Moved{}, queue.MergeStep{Also: note("the branch moved to %.12s", head)})
		case b.withdrawn() != "":
			return true, b.takeStep(ctx, merge.Withdrawn{}, queue.MergeStep{Also: note("%s", b.withdrawn())})
		case b.merge.State == merge.StateProving:
			return b.proving(ctx)
		}
		return b.proven(ctx)
	case merge.StateMoving:
		return b.moving(ctx, head)
	case merge.StateReturning:
		return b.returning(ctx)
	}
	return false, nil
}

// gone dissolves the batch of a branch that no longer exists, so that its items can be cancelled.
func (b *branch) gone(ctx context.Context) (moved bool, err error) {
	switch b.merge.State {
	case merge.StateProving, merge.StateProven, merge.StateMoving:
		return true, b.takeStep(ctx, merge.Moved{}, queue.MergeStep{Also: note("the branch is gone")})
	case merge.StateIdle:
		if len(b.doc.StagedFor(b.merge.Target)) == 0 {
			return false, nil
		}
	case merge.StateReturning:
		return false, fmt.Errorf("the branch %s no longer exists: recreate it (git branch %[1]s %.12s)", b.merge.Target,
			b.merge.Batch.Head)
	}
	return false, fmt.Errorf("the branch %s no longer exists: recreate it, or cancel what is staged for it",
		b.merge.Target)
}

// takeStep takes a step of the machine.
func (b *branch) takeStep(ctx context.Context, e machine.Event, s queue.MergeStep) error {
	if b.options.stop != nil && b.options.stop() {
		return errStopped
	}
	s.By, s.Event, s.Batch = project.FerrusActor(), e, b.options.Batch
	return b.queue.StepMerge(ctx, b.merge.Target, s)
}

// note returns a change of nothing but the words in the journal.
func note(format string, args ...any) func(*queue.Merge) string {
	return func(*queue.Merge) string { return fmt.Sprintf(format, args...) }
}

// move returns the branch with the commit that it is moved to.
func (b *branch) move(tip string) land.Move {
	m := land.Move{Main: b.project, Branch: b.merge.Target, Tip: tip, Lock: b.lockOf(b.merge.Target)}
	if b.merge.Batch != nil {
		m.Old = b.merge.Batch.Head
	}
	return m.StopWhen(b.options.stop)
}

// waits reports whether nothing happens to the branch until you act. Another project may merge into it then:
// the batch is built anew if the branch moves.
func (b *branch) waits() bool {
	return b.merge.NeedsHuman() || b.merge.State == merge.StateProven
}

// withdrawn says which item of the batch is no longer staged; empty: all are.
func (b *branch) withdrawn() string {
	for _, p := range b.merge.Batch.Picks {
		if at := b.doc.Index(p.N); at < 0 || b.doc.Items[at].State != itemStaged {
			return fmt.Sprintf("#%d is no longer staged", p.N)
		}
	}
	return ""
}

// reportText names the text of the queue about the item of a branch that is returned.
func reportText(target string) string { return "merge-" + hashOf(target) + ".md" }

// proving answers for a candidate's gate if its result is known already.
func (b *branch) proving(ctx context.Context) (moved bool, err error) {
	d := b.merge.Data
	if d.Flaky || d.Ticket == 0 {
		return false, nil
	}
	if b.merge.Batch.Running == d.Ticket && !b.proves(b.merge.Target) {
		return true, b.takeStep(ctx, merge.GateLost{Ticket: d.Ticket}, queue.MergeStep{Also: b.gateLost})
	}
	_, tree := b.merge.Batch.Commit(d.At)
	known := b.known(tree)
	switch {
	case d.Rerun, known.Passed == 0 && known.Failed == 0, b.proves(b.merge.Target),
		d.Rejudge && known.Failed == 0: // its reviewer gets what the gate found
	case known.Failed == 0:
		return true, b.takeStep(ctx, merge.Proved{Ticket: d.Ticket, Verdict: merge.Green, Next: b.merge.Tickets + 1},
			queue.MergeStep{Also: func(m *queue.Merge) string {
				m.Remember(known)
				return fmt.Sprintf("candidate %d: the checks passed on %.12s before", d.At, tree)
			}})
	default: // A PASS alone must not bring in what has failed: it is the second run.
		return true, b.takeStep(ctx, merge.Proved{Ticket: d.Ticket, Verdict: merge.Red, Next: b.merge.Tickets + 1},
			queue.MergeStep{Also: note("candidate %d: the checks failed on %.12s before", d.At, tree)})
	}
	b.prove = true
	return false, nil
}

// gateLost records that the process which ran the candidate's gate has died.
func (b *branch) gateLost(m *queue.Merge) string {
	if m.Batch != nil {
		m.Batch.Running = 0
	}
	if m.Data.Held != merge.NotHeld {
		m.Why = "the gate of " + m.Target + " died three times: ferrus merge resume tries again"
	}
	return fmt.Sprintf("the process that ran gate %d died", b.merge.Data.Ticket)
}

// known returns what is known of a tree, by the gates of the merge and by the gates of the items' own
// submissions.
func (b *branch) known(tree string) queue.Verdict {
	sum := b.checks()
	v := b.merge.VerdictOn(tree, sum)
	for _, p := range b.merge.Batch.Picks {
		if at := b.doc.Index(p.N); at >= 0 && b.doc.Items[at].Staged != nil && b.doc.Items[at].Staged.Tree == tree &&
			b.doc.Items[at].Staged.Checks == sum {
			v.Passed++
		}
	}
	if b.project.DoubtOf(tree, b.firstDefinition()).Failed != "" {
		v.Failed = max(v.Failed, 1)
	}
	return v
}

// firstDefinition returns what the candidates have to pass.
func (b *branch) firstDefinition() core.Definition {
	of, err := b.queue.Task(b.doc.Items[b.doc.Index(b.merge.Batch.Picks[0].N)])
	if err != nil {
		return b.definition(core.World{})
	}
	s, err := of.World()
	if err != nil {
		return b.definition(core.World{})
	}
	return b.definition(s.World)
}

// checks returns the hash of what the candidates have to pass.
func (b *branch) checks() string {
	if at := b.doc.Index(b.merge.Batch.Picks[0].N); at >= 0 && b.doc.Items[at].Staged != nil {
		return b.checksOf(b.doc.Items[at])
	}
	return ""
}

// checksOf returns the hash of what a staged item has to pass, and where: what passed here has not passed on a worker.
func (b *branch) checksOf(i queue.Item) string {
	if b.options.Gate != "" {
		return i.Staged.Checks + "@" + b.options.Gate
	}
	return i.Staged.Checks
}

// proven begins to move the branch, unless something is in the way.
func (b *branch) proven(ctx context.Context) (moved bool, err error) {
	tip, _ := b.merge.Batch.Commit(b.merge.Data.Green)
	barred, err := b.barred(ctx, tip)
	if err != nil {
		return false, err
	}
	if barred == "" {
		if ready, err := b.readyToMove(ctx); err != nil || !ready {
			return false, err
		}
		err := b.takeStep(ctx, merge.Move{}, queue.MergeStep{
			Also: note("from %.12s to %.12s", b.merge.Batch.Head, tip)})
		if err == nil {
			b.beginMove(b.merge.Target, b.merge.Batch.N)
		}
		return true, err
	}
	if barred == b.merge.Why {
		return false, nil
	}
	return false, b.queue.NoteMerge(ctx, project.FerrusActor(), b.merge.Target, "merge_waits",
		func(m *queue.Merge) string {
			m.Why = barred
			return barred
		})
}

// barred returns why the branch must not be moved now; empty: it may.
func (b *branch) barred(ctx context.Context, tip string) (string, error) {
	mover := b.move(tip)
	dir, err := mover.CheckedOut(ctx)
	if why := b.alarmed(); err == nil && why != "" {
		return why, nil
	}
	if off := (*land.RefusedError)(nil); errors.As(err, &off) {
		return off.What, nil
	}
	if err != nil || dir == "" {
		return "", err
	}
	asked := b.options.Follow || b.merge.Batch.Granted || slices.ContainsFunc(
		b.merge.Batch.Picks[:b.merge.Data.Green], func(p queue.Pick) bool { // what you land brings the others along
			at := b.doc.Index(p.N)
			return at >= 0 && b.doc.Items[at].Staged != nil && b.doc.Items[at].Staged.ByHuman
		})
	if !asked {
		return fmt.Sprintf("checked out in %s: /land lands it", dir), nil
	}
	return mover.Barred(ctx)
}

// moving moves the branch, or records that it has moved.
func (b *branch) moving(ctx context.Context, head string) (moved bool, err error) {
	tip, _ := b.merge.Batch.Commit(b.merge.Data.Green)
	mover := b.move(tip)
	in, err := mover.Contains(ctx)
	switch {
	case err != nil:
		return false, err
	case in:
		return true, b.landed(ctx)
	case head != b.merge.Batch.Head:
		return true, b.takeStep(ctx, merge.Moved{}, queue.MergeStep{Also: note("the branch moved to %.12s", head)})
	}
	if !b.isFirstMove(b.merge.Target, b.merge.Batch.N) {
		if err := mover.Undo(ctx); err != nil {
			return false, err
		}
	}
	err = mover.Forward(ctx)
	if off := (*land.RefusedError)(nil); errors.As(err, &off) {
		return true, b.takeStep(ctx, merge.Moved{}, queue.MergeStep{Also: note("%s", off.What)})
	}
	if land.IsStopped(err) {
		return false, errStopped
	}
	return err == nil, err
}

// landed records that the items up to the green candidate have landed.
func (b *branch) landed(ctx context.Context) error {
	batch, green := b.merge.Batch, b.merge.Data.Green
	steps, commits, all := map[int]machine.Event{}, map[int]string{}, []string{}
	for _, p := range batch.Picks[:green] {
		steps[p.N], commits[p.N] = landedEvent(), p.Commit
		all = append(all, fmt.Sprintf("#%d", p.N))
	}
	tip, tree := batch.Commit(green)
	return b.takeStep(ctx, merge.Landed{Contained: true}, queue.MergeStep{
		Also:  note("batch %d: %s at %.12s, tree %.12s", batch.N, strings.Join(all, ", "), tip, tree),
		Items: steps, Done: func(i *queue.Item) {
			i.Landed, i.LandedAt, i.Why = commits[i.N], time.Now().UTC().Truncate(time.Millisecond), ""
			if batch.Granted && i.Staged != nil {
				staged := *i.Staged
				staged.ByHuman, i.Staged = true, &staged
			}
		}})
}

// returning gives the item back that made its candidate red.
func (b *branch) returning(ctx context.Context) (moved bool, err error) {
	n := b.merge.Batch.Picks[b.merge.Data.Red-1].N
	at := b.doc.Index(n)
	if at < 0 {
		return false, fmt.Errorf("#%d was returned, and is not in the queue", n)
	}
	item := b.doc.Items[at]
	if b.options.Lives != nil && b.options.Lives(item.Dir) {
		return false, nil
	}
	if b.merge.Data.Rejudge {
		return true, mayReset(item, b.judgedAgain(ctx, item))
	}
	text, err := b.queue.ReadText(b.merge.Batch.Report)
	if err != nil {
		return false, err
	}
	what, words, _ := strings.Cut(text, "\n\n")
	of, err := b.queue.Task(item)
	if err != nil {
		return false, err
	}
	if err := land.Return(ctx, of, b.merge.Target, what, words, b.options.stop); err != nil {
		if land.IsStopped(err) {
			err = errStopped
		}
		return false, mayReset(item, err)
	}
	return true, b.takeStep(ctx, merge.Returned{Taken: true}, queue.MergeStep{
		Also:  note("%s: %s", item.Name(), what),
		Items: map[int]machine.Event{n: returnedEvent()},
		Done:  func(i *queue.Item) { i.Staged, i.Returned = nil, what },
		Texts: map[string]string{b.merge.Batch.Report: ""}})
}

// mayReset says how to continue without an item whose work cannot be given back, as its worktree is gone.
func mayReset(i queue.Item, err error) error {
	if err == nil || errors.Is(err, errStopped) || machine.IsRefusal(err) {
		return err
	}
	return fmt.Errorf("%w; to continue without it: ferrus reset --task %d", err, i.N)
}
