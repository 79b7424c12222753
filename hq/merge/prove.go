package merge

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/land"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/machine"
	"ferrus/machine/merge"
	"ferrus/ui/text"
)

// Prove runs the gate of the candidate that a branch waits for, and commits its verdict. It returns nil
// when there is nothing to prove any more. When ctx ends the gate stays to be run.
func (m *Merger) Prove(ctx context.Context, target string, o Options) error {
	s, err := m.queue.Load()
	if err != nil {
		return err
	}
	b := branch{Merger: m, options: o, doc: s.World, merge: s.World.MergeOf(target)}
	d := b.merge.Data
	signs := b.merge.State == merge.StateProven && !b.merge.Batch.Signed
	if b.merge.State != merge.StateProving && !signs || d.Ticket == 0 && !signs || m.lockOf(target) == nil {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if !m.startProof(target, d.Ticket, cancel) {
		return nil
	}
	defer m.endProof(target)
	if signs {
		return b.sign(ctx)
	}
	if err := b.start(ctx); err != nil {
		return err
	}
	record, err := b.run(ctx)
	if ctx.Err() != nil || err != nil || record.Verdict == checks.Cancelled {
		return errors.Join(err, b.forget(context.WithoutCancel(ctx)))
	}
	err = b.answer(context.WithoutCancel(ctx), record)
	if machine.IsRefusal(err) {
		return nil // The batch is gone.
	}
	return err
}

// startProof takes the gate of a branch for this process.
func (m *Merger) startProof(target string, ticket uint64, cancel func()) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.running[target] != nil {
		return false
	}
	m.running[target] = &proof{ticket, cancel}
	return true
}

func (m *Merger) endProof(target string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.running, target)
}

// start records that the gate is started, so that the next process knows of it if this one dies.
func (b *branch) start(ctx context.Context) error {
	return b.running(ctx, "merge_gate", b.merge.Data.Ticket, "")
}

// forget records that the gate that was started has ended without a verdict.
func (b *branch) forget(ctx context.Context) error { return b.running(ctx, "merge_gate_ended", 0, "") }

func (b *branch) running(ctx context.Context, event string, ticket uint64, where string) error {
	if b.options.stop != nil && b.options.stop() {
		return errStopped
	}
	return b.queue.NoteMerge(ctx, project.FerrusActor(), b.merge.Target, event, func(m *queue.Merge) string {
		if m.Batch == nil || m.Data.Ticket != b.merge.Data.Ticket {
			return "it is no longer wanted"
		}
		m.Batch.Running, m.Why = ticket, where
		if where != "" {
			return b.describe() + ": " + where
		}
		return b.describe()
	})
}

// describe names the candidate whose gate runs.
func (b *branch) describe() string {
	_, tree := b.merge.Batch.Commit(b.merge.Data.At)
	return fmt.Sprintf("candidate %d of %d, tree %.12s", b.merge.Data.At, b.merge.Data.Picks, tree)
}

// recordName names the record of the gate that runs. Each branch numbers its batches.
func (b *branch) recordName() string {
	return fmt.Sprintf("merge_%.8s_%d_%d", hashOf(b.merge.Target), b.merge.Batch.N, b.merge.Data.Ticket)
}

// run runs the check commands on the candidate.
func (b *branch) run(ctx context.Context) (gate.Record, error) {
	if b.options.stop != nil && b.options.stop() {
		return gate.Record{}, errStopped
	}
	first := b.doc.Items[b.doc.Index(b.merge.Batch.Picks[0].N)]
	of, err := b.queue.Task(first)
	if err != nil {
		return gate.Record{}, err
	}
	s, err := of.World()
	if err != nil {
		return gate.Record{}, err
	}
	_, tree := b.merge.Batch.Commit(b.merge.Data.At)
	definition, base := b.definition(s.World), core.Base{}
	if s.World.Task != nil {
		base = s.World.Task.Base
	}
	o := gate.Options{Definition: &definition, Tree: tree, Base: base,
		Name: b.recordName()}
	if b.merge.Data.Rejudge && s.World.Task != nil { // its reviewer gets all that a gate of the task finds
		t := *s.World.Task
		t.Base = core.Base{Commit: b.merge.Batch.Head, Tree: b.merge.Batch.Tree}
		o.Task, o.Base = &t, t.Base
	}
	if b.options.Turn != nil && b.options.Gate == "" { // a gate elsewhere leaves this machine to others
		done := b.options.Turn(ctx)
		defer done()
	}
	var watch land.Watch
	if b.options.Watch != nil {
		watch = b.options.Watch(b.merge.Target, definition.Titles())
		o.Progress, o.Setup = watch.Progress, watch.Setup
	}
	record, err := b.force(ctx, o)
	if watch.Over != nil {
		watch.Over(record, err)
	}
	return record, err
}

// force runs the gate here, or on a worker where [merge] gate says so.
func (b *branch) force(ctx context.Context, o gate.Options) (gate.Record, error) {
	if b.options.Gate == "" {
		return gate.ForceInTurn(ctx, b.project, o)
	}
	if b.options.RunGate == nil {
		return gate.Record{}, fmt.Errorf("[merge] gate = %q: the checks run on a worker; open HQ, or use ferrus run "+
			"or ferrus land", b.options.Gate)
	}
	r := GateRun{Label: b.options.Gate, Options: o,
		Notify: func(where string) error { return b.noteGate(context.WithoutCancel(ctx), where) }}
	for _, p := range b.merge.Batch.Picks[:b.merge.Data.At] {
		if at := b.doc.Index(p.N); at >= 0 && b.doc.Items[at].Worker != "" {
			r.Not = append(r.Not, b.doc.Items[at].Worker)
		}
	}
	return b.options.RunGate(ctx, r)
}

// noteGate records where the gate runs, or what it waits for.
func (b *branch) noteGate(ctx context.Context, where string) error {
	return b.running(ctx, "merge_gate_at", b.merge.Data.Ticket, where)
}

// answer commits the verdict of the gate.
func (b *branch) answer(ctx context.Context, record gate.Record) error {
	d, verdict := b.merge.Data, verdictOf(record)
	_, tree := b.merge.Batch.Commit(d.At)
	v := b.merge.VerdictOn(tree, b.checks())
	switch verdict {
	case merge.Green:
		v.Passed++
	case merge.Red:
		v.Failed++
	case merge.Flaky: // the other one may be older than what the merge remembers
		v.Passed, v.Failed = v.Passed+1, max(v.Failed, 1)
	}
	var alarms []string
	if verdict == merge.Green {
		alarms = b.gateAlarms(record)
	}
	step := queue.MergeStep{Also: func(m *queue.Merge) string {
		if verdict != merge.Unproven {
			m.Remember(v)
		}
		if m.Batch != nil {
			m.Batch.Record = b.recordName()
			if verdict == merge.Green && len(alarms) > 0 {
				m.Batch.Found = &queue.Found{At: d.At, Alarms: alarms}
			}
		}
		m.Why = b.whyAfter(m, record)
		return fmt.Sprintf("%s: %s", b.describe(), orElse(m.Why, orElse(record.Why, string(record.Verdict))))
	}}
	if verdict == merge.Red && d.Rerun { // it may be the returned one
		step.Texts = map[string]string{reportText(b.merge.Target): b.report(record)}
		also := step.Also
		step.Also = func(m *queue.Merge) string {
			if m.Batch != nil {
				m.Batch.Report = reportText(m.Target)
			}
			return also(m)
		}
	}
	return b.takeStep(ctx, merge.Proved{Ticket: d.Ticket, Verdict: verdict, Next: b.merge.Tickets + 1}, step)
}

// whyAfter says what the merge waits for after a verdict; empty: for nothing of yours.
func (b *branch) whyAfter(m *queue.Merge, record gate.Record) string {
	switch {
	case m.Data.Flaky:
		return fmt.Sprintf("FLAKY: the checks both failed and passed on one tree with %s: ferrus merge again, or "+
			"ferrus merge accept", b.with())
	case m.Data.Held == merge.TargetRed:
		m.Head = b.merge.Batch.Head
		return fmt.Sprintf("the checks fail on %s: %s", m.Target, record.Why)
	case m.Data.Held == merge.NotProven:
		return fmt.Sprintf("the checks proved nothing: %s; ferrus merge resume tries again", record.Why)
	}
	return ""
}

// with names the items that the candidate has.
func (b *branch) with() string {
	if b.merge.Data.At == 0 {
		return b.merge.Target + " alone"
	}
	part := queue.Batch{Picks: b.merge.Batch.Picks[:b.merge.Data.At]}
	return part.Names()
}

// report returns what the executor of the last item of a red candidate gets.
func (b *branch) report(record gate.Record) string {
	at := b.merge.Data.At
	if at == 0 {
		return record.Report
	}
	with := b.merge.Target
	if at > 1 {
		with += " and " + (&queue.Batch{Picks: b.merge.Batch.Picks[:at-1]}).Names()
	}
	what := fmt.Sprintf("combined with %s, the checks failed: %s", with, record.Why)
	how := fmt.Sprintf("The change was combined with `%s` at %.12s", b.merge.Target, b.merge.Batch.Head)
	others := ""
	for _, p := range b.merge.Batch.Picks[:at-1] {
		if i := b.doc.Index(p.N); i >= 0 {
			how += fmt.Sprintf(", and with %s (%s)", b.doc.Items[i].Name(), text.Sanitize(b.doc.Items[i].Title))
			others += b.describeOther(b.doc.Items[i])
		}
	}
	if others != "" {
		others = "\nThe other tasks of the candidate, which land first:\n\n" + others
	}
	return fmt.Sprintf("%s\n\n%s. There the checks failed twice:\n\n%s\n%s", what, how,
		text.Fence("", strings.TrimSpace(record.Report)), others)
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
