package pair

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"ferrus/checks"
	"ferrus/hq/gate"
	"ferrus/machine"
	"ferrus/machine/pair"
	"ferrus/store"
)

// gateRetry is the interval at which the run checks whether another process's gate has ended.
const gateRetry = 100 * time.Millisecond

// check answers the pending signal with a verdict: the last one, if it was green on this very
// tree, else the verdict of a new gate.
func (r *Run) check(ctx context.Context) error {
	m := &r.Manifest
	tree, err := r.project.Repo().Tree(ctx)
	if err != nil {
		return err
	}
	if g := m.Gate; g != nil && g.Green && g.Tree == tree.Hash && len(tree.Problems) == 0 {
		return r.commitVerdict(ctx, *g, Message{}, 0)
	}
	record, err := r.runGate(ctx)
	if err != nil {
		return err
	}
	if isUnprovable(record) {
		return &NeedsHuman{Why: "nothing can be proven: " + record.Why}
	}
	verdict := string(record.Verdict)
	g := Gate{
		Verdict: verdict, Green: record.Green(), Tree: record.Tree.Hash,
		Why: cmp.Or(record.Why, verdict), Log: record.Log,
	}
	report := Message{}
	if !g.Green {
		report = Message{From: "ferrus", Kind: kindReport, Text: record.Report}
	}
	return r.commitVerdict(ctx, g, report, record.Ended.Sub(record.Started))
}

// commitVerdict commits a verdict, unless it would complete the run and the human must
// accept the change first.
func (r *Run) commitVerdict(ctx context.Context, g Gate, report Message, took time.Duration) error {
	if err := r.requireAcceptance(ctx, g); err != nil {
		return err
	}
	return r.commitGate(g, report, took)
}

// isUnprovable reports a gate that no agent can make green. A tree that cannot be read does
// not count: an agent may have caused that.
func isUnprovable(r gate.Record) bool {
	return r.Verdict == checks.Unproven && !r.Allowed && len(r.Tree.Problems) == 0
}

// runGate runs the pinned commands and records the result. It first waits for a gate of
// another process, and ends what a crashed one left behind.
func (r *Run) runGate(ctx context.Context) (gate.Record, error) {
	m := &r.Manifest
	progress, over := r.showProgress, func(gate.Record, error) {}
	if r.Gate != nil {
		progress, over = r.Gate(m.Definition.Titles())
	}
	for {
		record, err := gate.Force(ctx, r.project, gate.Options{
			Definition: &m.Definition, Name: fmt.Sprintf("pair_%s_%d", m.ID, m.Gates+1),
			Progress: progress,
		})
		if !errors.As(err, new(*store.LockedError)) {
			over(record, err)
			return record, err
		}
		select {
		case <-ctx.Done():
			over(record, ctx.Err())
			return record, ctx.Err()
		case <-time.After(gateRetry):
		}
	}
}

// showProgress shows the results of the commands; their output is in the log.
func (r *Run) showProgress(p checks.Progress) {
	if p.Done == nil {
		return
	}
	word := "ok"
	if !p.Done.OK() {
		word = "FAIL"
	}
	took := p.Done.Duration.Round(10 * time.Millisecond)
	r.watch(Event{Agent: "gate", Line: fmt.Sprintf("%-4s %s  %s", word, took, p.Done.Title())})
}

// commitGate commits a verdict, with what it means for the primary's next turn.
func (r *Run) commitGate(g Gate, report Message, took time.Duration) error {
	m := &r.Manifest
	moved := g.Tree != m.Tree
	reviewed := r.machine.Current() == pair.StateReviewing
	entry := Entry{Verdict: g.Verdict, Tree: g.Tree, Text: g.Why, DurationMS: took.Milliseconds()}
	return r.commit(machine.Ferrus, pair.Gated{Green: g.Green, Moved: moved}, entry, func(m *Manifest) {
		if took > 0 {
			m.Gates++
		}
		m.Gate, m.Tree = &g, g.Tree
		m.send(Primary, report)
		if reviewed && g.Green && moved {
			const void = "The reviewer approved, but files changed afterwards: the approval is void."
			m.send(Primary, Message{From: "ferrus", Kind: kindReview, Text: void})
		}
	})
}
