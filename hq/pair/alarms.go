package pair

import (
	"context"
	"slices"
	"strings"

	"ferrus/checks/tamper"
	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/machine/pair"
)

// alarms returns the alarms of the change from the base of the run to a tree.
func (r *Run) alarms(ctx context.Context, tree string) []core.Alarm {
	m := &r.Manifest
	all := r.project.Alarms(ctx, core.World{Task: &core.Task{ID: m.ID, Base: m.Base, Definition: &m.Definition}}, tree)
	// Both may find it done.
	return slices.DeleteFunc(all, func(a core.Alarm) bool { return a.Rule == tamper.NoChange })
}

// requireAcceptance returns a *[NeedsHuman] if a verdict would complete a run whose change
// only the human may approve. It keeps the verdict, so that the gate does not run again.
func (r *Run) requireAcceptance(ctx context.Context, g Gate) error {
	m := &r.Manifest
	if !r.wouldComplete(g) || m.Accepted == g.Tree {
		return nil
	}
	var some []core.Alarm
	for _, a := range r.alarms(ctx, g.Tree) {
		if a.NeedsHuman {
			some = append(some, a)
		}
	}
	if ctx.Err() != nil || len(some) == 0 {
		return ctx.Err()
	}
	m.Gate, m.Asked = &g, g.Tree
	if err := r.save(); err != nil {
		return err
	}
	words := describeAlarms(some)
	if err := r.note(Entry{Type: "alarms", Tree: g.Tree, Text: words}); err != nil {
		return err
	}
	return &NeedsHuman{Why: "the change touches what only you may approve:\n" + words, Accept: true}
}

// recordAcceptance records that the human accepts the tree that was asked about, and no
// other.
func (r *Run) recordAcceptance() error {
	m := &r.Manifest
	if !r.Accept || m.Asked == "" || m.Accepted == m.Asked {
		return nil
	}
	m.Accepted = m.Asked
	if err := r.save(); err != nil {
		return err
	}
	return r.note(Entry{Type: "accepted", Tree: m.Accepted})
}

// wouldComplete reports whether a verdict would complete the run.
func (r *Run) wouldComplete(g Gate) bool {
	verdict := pair.Gated{Green: g.Green, Moved: g.Tree != r.Manifest.Tree}
	next, _, err := pair.Table(r.Manifest.policy()).Step(r.machine.Snap(), machine.Ferrus, verdict)
	return err == nil && next.At == pair.StateComplete
}

// describeAlarms lists alarms: a line for each, and its details below.
func describeAlarms(all []core.Alarm) string {
	var b strings.Builder
	for _, a := range all {
		if a.Path != "" {
			b.WriteString(a.Path + ": ")
		}
		b.WriteString(a.Words + "\n")
		for _, line := range a.Lines {
			b.WriteString("  " + line + "\n")
		}
	}
	return strings.TrimSpace(b.String())
}
