package queue

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/machine/merge"
	"ferrus/machine/queue"
	"ferrus/machine/task"
	"ferrus/store"
)

// Staged is the approved work of an item that waits to be merged.
type Staged struct {
	Target string    `json:"target"` // branch that it lands on
	At     time.Time `json:"at"`     // of the submission: a later one is another work
	Tree   string    `json:"tree"`   // that was approved, as the checks read it
	Base   string    `json:"base"`   // tree that the work began with, as git stores it
	// A ref keeps it. It lands with this commit's message.
	Commit  string `json:"commit"`        // of the approved tree
	Checks  string `json:"checks"`        // hash of the commands that a tree with the work has to pass
	ByHuman bool   `json:"by_human"`      // you staged it: your checkout may be moved
	Spec    string `json:"spec,omitzero"` // whose milestone is ticked in the commit

	Milestone string `json:"milestone,omitzero"`
	Notes     string `json:"notes,omitzero"` // what you should know of how it was committed
	// How it lands: by [ViaPull], or by the merge queue. Both were set when it was staged, and trusted.
	Via     string   `json:"via,omitzero"`
	Publish []string `json:"publish,omitempty"` // the command that speaks to the forge; empty: gh
}

// is reports whether the task is still at the submission that was staged.
func (s *Staged) is(w *core.World) bool {
	return w != nil && w.State == task.Complete && w.Submission != nil && w.Submission.Tree == s.Tree &&
		w.Submission.At.Equal(s.At)
}

// Merge is the merge queue of one branch: the snapshot of its machine, and what the machine
// counts.
type Merge struct {
	Target  string      `json:"target"` // branch
	State   merge.State `json:"state"`
	Data    merge.Data  `json:"data"`
	Tickets uint64      `json:"tickets"`         // gates that were asked for
	Batches int         `json:"batches"`         // that were opened
	Head    string      `json:"head,omitzero"`   // commit of the branch on which the merge was held
	Why     string      `json:"why,omitzero"`    // what it waits for, or why it is held, in words
	Batch   *Batch      `json:"batch,omitempty"` // nil: none is open

	Verdicts []Verdict `json:"verdicts,omitempty"` // the newest, the oldest first
}

// Verdict is what the checks found on one tree.
type Verdict struct {
	Tree   string `json:"tree"`   // as the checks read it
	Checks string `json:"checks"` // hash of the commands
	Passed int    `json:"passed,omitzero"`
	Failed int    `json:"failed,omitzero"`
}

// maxVerdicts is how many trees a merge remembers.
const maxVerdicts = 64

// VerdictOn returns what is known of a tree.
func (m *Merge) VerdictOn(tree, checks string) Verdict {
	for _, v := range m.Verdicts {
		if v.Tree == tree && v.Checks == checks {
			return v
		}
	}
	return Verdict{Tree: tree, Checks: checks}
}

// Remember records a verdict, in place of an older one on the same tree and checks.
func (m *Merge) Remember(v Verdict) {
	m.Verdicts = slices.DeleteFunc(slices.Clone(m.Verdicts), func(was Verdict) bool {
		return was.Tree == v.Tree && was.Checks == v.Checks
	})
	m.Verdicts = append(m.Verdicts, v)
	m.Verdicts = m.Verdicts[max(0, len(m.Verdicts)-maxVerdicts):]
}

// Batch is the items that are merged together, and what was built from them.
type Batch struct {
	N       int       `json:"n"`
	Head    string    `json:"head"` // commit of the branch that it is built on: candidate 0
	Tree    string    `json:"tree"` // of that, as the checks read it
	Picks   []Pick    `json:"picks"`
	Began   time.Time `json:"began"`
	Running uint64    `json:"running,omitzero"` // ticket whose gate was started
	Granted bool      `json:"granted,omitzero"` // you let it move the branch where that is checked out
	Report  string    `json:"report,omitzero"`  // text of the queue about the item that is returned
	Judge   string    `json:"judge,omitzero"`   // why the approval of its only item does not hold, in words
	Record  string    `json:"record,omitzero"`  // of the last gate that found something, see gate.ReadForced
	Found   *Found    `json:"found,omitempty"`  // nil: nothing that only you may let in
	Finished
}

// Found is what the gate of a green candidate found that only you may let in.
type Found struct {
	At     int      `json:"at"` // the candidate
	Alarms []string `json:"alarms"`
}

// Pick is one item of a batch, with the candidate that has it and all before it.
type Pick struct {
	N      int    `json:"n"`
	Commit string `json:"commit"`
	Tree   string `json:"tree"` // of the candidate, as the checks read it
}

// Names lists the items of a batch, such as "#12, #14".
func (b *Batch) Names() string {
	var all []int
	for _, p := range b.Picks {
		all = append(all, p.N)
	}
	return names(all)
}

// Commit returns a candidate; 0 is the branch itself.
func (b *Batch) Commit(at int) (commit, tree string) {
	if at == 0 {
		return b.Head, b.Tree
	}
	return b.Picks[at-1].Commit, b.Picks[at-1].Tree
}

func (m *Merge) snap() merge.Snap { return merge.Snap{At: m.State, Data: m.Data} }

// has reports whether an item is in the open batch.
func (m *Merge) has(n int) bool {
	return m.Batch != nil && slices.ContainsFunc(m.Batch.Picks, func(p Pick) bool { return p.N == n })
}

// MergeOf returns the merge of a branch; before its first step, a new one.
func (d *Document) MergeOf(target string) Merge {
	for _, m := range d.Merges {
		if m.Target == target {
			return m
		}
	}
	return Merge{Target: target, State: merge.StateIdle}
}

// merging reports whether an item can no longer be taken out of its batch.
func (d *Document) merging(n int) bool {
	return slices.ContainsFunc(d.Merges, func(m Merge) bool {
		return m.has(n) && (m.State == merge.StateMoving || m.State == merge.StateReturning)
	})
}

// put replaces a merge.
func (d *Document) put(m Merge) {
	d.Merges = slices.Clone(d.Merges)
	for i := range d.Merges {
		if d.Merges[i].Target == m.Target {
			d.Merges[i] = m
			return
		}
	}
	d.Merges = append(d.Merges, m)
}

// StagedFor returns the items that wait to be merged into a branch, in their order.
func (d *Document) StagedFor(target string) (all []Item) {
	for _, i := range d.Items {
		if i.State == queue.StateStaged && i.Staged != nil && i.Staged.Target == target && !i.ByPull() {
			all = append(all, i)
		}
	}
	return all
}

// Targets returns the branches that have something to merge, or a batch.
func (d *Document) Targets() (all []string) {
	for _, i := range d.Items {
		if i.State == queue.StateStaged && i.Staged != nil && !i.ByPull() && !slices.Contains(all, i.Staged.Target) {
			all = append(all, i.Staged.Target)
		}
	}
	for _, m := range d.Merges {
		if m.State != merge.StateIdle && !slices.Contains(all, m.Target) {
			all = append(all, m.Target)
		}
	}
	return all
}

// ReadText returns a text that a step of a merge wrote; empty: there is none.
func (q *Queue) ReadText(name string) (string, error) {
	s, err := q.Load()
	if err != nil || name == "" {
		return "", err
	}
	return q.store.ReadText(s, name)
}

// Stage gives the approved work of an item to the merge queue of its branch. The facts of the
// event are what its caller found.
func (q *Queue) Stage(ctx context.Context, by core.Actor, n int, s Staged, e queue.Stage) error {
	var err error
	if e.Task, err = q.taskOf(n); err != nil {
		return err
	}
	return q.change(ctx, by, n, e, func(tx *store.Tx[Document], at int) (string, error) {
		item := &tx.World.Items[at]
		item.Staged, item.Onto, item.Returned, item.Again = &s, s.Target, "", ""
		return strings.TrimSuffix(item.Name()+" "+item.Title+": for "+s.Target+"; "+s.Notes, "; "), nil
	})
}

// AskLanding records that you want a staged item to land: the branch may be moved where it is checked out.
func (q *Queue) AskLanding(ctx context.Context, by core.Actor, n int) error {
	_, err := q.update(ctx, by, "landing_asked", func(tx *store.Tx[Document]) (string, error) {
		at := tx.World.Index(n)
		if at < 0 {
			return "", unknown(n)
		}
		item := &tx.World.Items[at]
		if item.State == queue.StateStaged && item.Staged != nil {
			staged := *item.Staged
			staged.ByHuman, item.Staged = true, &staged
		}
		return item.Name() + " " + item.Title, nil
	})
	return err
}

// Unstage takes an item out of the merge queue; its task stays approved. A batch that it is in
// is dissolved.
func (q *Queue) Unstage(ctx context.Context, by core.Actor, n int) error {
	t, err := q.taskOf(n)
	if err != nil {
		return err
	}
	return q.unstage(ctx, by, n, queue.Unstage{Task: t})
}

func (q *Queue) unstage(ctx context.Context, by core.Actor, n int, e queue.Unstage) error {
	_, err := q.update(ctx, by, e.Kind(), func(tx *store.Tx[Document]) (string, error) {
		at := tx.World.Index(n)
		if at < 0 {
			return "", unknown(n)
		}
		e.Merging = tx.World.merging(n)
		item := &tx.World.Items[at]
		if err := item.step(by.Role, e); err != nil {
			return "", err
		}
		item.Staged = nil
		return item.Name() + " " + item.Title, tx.World.withdraw(n)
	})
	return err
}

// withdraw dissolves the batch that an item is in.
func (d *Document) withdraw(n int) error {
	for _, m := range d.Merges {
		if !m.has(n) {
			continue
		}
		to, _, err := merge.Table(1).Step(m.snap(), machine.Ferrus, merge.Withdrawn{})
		if err != nil {
			return err
		}
		m.State, m.Data, m.Batch, m.Why = to.At, to.Data, nil, ""
		d.put(m)
		return nil
	}
	return nil
}

// describeStaged says where a staged item is, and whether that needs you.
func (d *Document) describeStaged(i Item) (words string, needs bool) {
	if i.Staged == nil {
		return "staged", false
	}
	if i.ByPull() {
		return i.describePull()
	}
	m := d.MergeOf(i.Staged.Target)
	held := m.Data.Held != merge.NotHeld || m.Data.Flaky
	switch {
	case !m.has(i.N) && held && m.Batch == nil:
		return "needs you: " + m.Why, true
	case !m.has(i.N):
		return "staged for " + m.Target, false
	case m.Data.Flaky:
		return "needs you: " + m.Why, true
	}
	at := slices.IndexFunc(m.Batch.Picks, func(p Pick) bool { return p.N == i.N }) + 1
	switch m.State {
	case merge.StateProving:
		if m.Why != "" {
			return "proving" + m.Batch.others(i.N) + ": " + m.Why, false
		}
		return "proving" + m.Batch.others(i.N), false
	case merge.StateProven, merge.StateMoving:
		if at > m.Data.Green {
			return "staged for " + m.Target, false
		}
		if m.Why != "" {
			return "proven: " + m.Why, m.State == merge.StateProven
		}
		return "landing on " + m.Target, false
	case merge.StateReturning:
		if at == m.Data.Red {
			return "returning", false
		}
	}
	return "staged for " + m.Target, false
}

// waitsForLand reports whether a staged item is proven and lands when you say /land; else what needs you is a decision.
func (d *Document) waitsForLand(i Item) bool {
	return i.Staged != nil && !i.ByPull() && d.MergeOf(i.Staged.Target).State == merge.StateProven
}

// merges reports whether the merge that a staged item waits for continues without you.
func (d *Document) merges(i Item) bool {
	if i.Staged == nil {
		return false
	}
	m := d.MergeOf(i.Staged.Target)
	return !m.NeedsHuman()
}

// others names the items that one of a batch is combined with; empty: none.
func (b *Batch) others(n int) string {
	var all []int
	for _, p := range b.Picks {
		if p.N != n {
			all = append(all, p.N)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return " with " + names(all)
}

// Finished records that the landing is recorded in the item's task, and that its worktree is removed, or
// why it is kept.
func (q *Queue) Finished(ctx context.Context, n int, words, kept string) error {
	_, err := q.update(ctx, project.FerrusActor(), "merge_finished", func(tx *store.Tx[Document]) (string, error) {
		if at := tx.World.Index(n); at >= 0 {
			tx.World.Items[at].Staged, tx.World.Items[at].Why = nil, strings.Trim(kept, "; ")
		}
		return fmt.Sprintf("#%d %s", n, words), nil
	})
	return err
}

// Journal returns the events of the queue after a number.
func (q *Queue) Journal(after uint64) ([]store.Entry, error) { return q.store.Journal(after) }
