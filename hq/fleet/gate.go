package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ferrus/checks"
	"ferrus/hq/config"
	"ferrus/hq/gate"
	"ferrus/hq/merge"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/hq/remote"
	"ferrus/hq/wire"
)

// Gates of the merge queue run on a worker where [merge] gate names a label.

// RunGate runs a gate of the merge queue on a worker with its label, and waits until one is connected. A worker that
// is lost gets the same gate again when it is back, or the idlest other one does.
func (f *Fleet) RunGate(ctx context.Context, r merge.GateRun) (gate.Record, error) {
	shown, why := "", ""
	for {
		t, waits := f.chooseGate(r)
		at := "runs on the worker " + t.Name
		if waits != "" {
			if at = waits; why != "" {
				at += "; " + why
			}
		}
		if at != shown {
			if err := r.Notify(at); err != nil {
				return gate.Record{}, err
			}
			shown = at
		}
		if waits == "" {
			f.countGate(t, 1)
			record, err := remote.RunGate(ctx, f.project, t, f.ferrus, r.Options)
			f.countGate(t, -1)
			var broken *wire.Violation
			var refused *wire.Refused
			switch {
			case err == nil || ctx.Err() != nil:
				return record, err
			case errors.As(err, &broken):
				why = fmt.Sprintf("%s %s", t.Name, broken.What)
				f.mark(t, broken.What)
			case remote.IsLost(err):
				why = t.Name + " was lost"
			case errors.As(err, &refused):
				record.Record = checks.NotRun(checks.Tree{Hash: r.Options.Tree},
					fmt.Sprintf("the worker %s could not run them: %s", t.Name, wire.Words(refused.Why, 300)))
				return record, nil
			default:
				return record, err
			}
		}
		wait(ctx, pollInterval)
		if ctx.Err() != nil {
			return gate.Record{}, ctx.Err()
		}
	}
}

// mark marks a worker for a violation of the protocol.
func (f *Fleet) mark(t remote.Target, what string) {
	_ = remote.Mark(t, f.ferrus, what) // the next gate tries again
	f.mu.Lock()
	defer f.mu.Unlock()
	if one := f.links[t]; one != nil {
		one.status.Connected, one.status.Marked = false, what
	}
}

// countGate counts the gates of this process that a worker runs.
func (f *Fleet) countGate(t remote.Target, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if one := f.links[t]; one != nil {
		one.gates += n
	}
}

// idler reports whether a worker should get a gate rather than another worker: it has that gate already,
// or has less to do per core.
func (a candidate) idler(b candidate) bool {
	if c := cmp.Compare(a.busy, b.busy); a.keeps == b.keeps && c != 0 {
		return c < 0
	}
	if a.keeps != b.keeps {
		return a.keeps
	}
	return a.target.Name < b.target.Name
}

// candidate is a worker that may get a gate.
type candidate struct {
	target remote.Target
	keeps  bool    // it has run the gate, or runs it: its result is there
	busy   float64 // load for each core
}

func candidateOf(t remote.Target, l *fleetLink, name string) candidate {
	c := candidate{target: t, busy: float64(l.gates)}
	if there := l.status.Welcome; there != nil {
		c.keeps = slices.Contains(there.Gates, name)
		c.busy = (there.Load + float64(l.gates)) / float64(max(there.Cores, 1))
	}
	return c
}

// chooseGate returns the idlest connected worker with the label that did none of the work and is not drained, and
// what there is to wait for where there is none.
func (f *Fleet) chooseGate(r merge.GateRun) (t remote.Target, waits string) {
	cfg, _ := f.project.Config() // the last good one
	isDrained := f.drained()
	f.mu.Lock()
	defer f.mu.Unlock()
	var did, drained []string
	var best candidate
	for one, l := range f.links {
		_, labels := Capacity(cfg, one.Name, l.status.Welcome)
		switch {
		case !slices.Contains(labels, r.Label) || !l.status.Connected:
		case slices.Contains(r.Not, one.Name):
			did = append(did, one.Name)
		default:
			c := candidateOf(one, l, r.Options.Name)
			switch {
			case isDrained(one.Name) && !c.keeps:
				drained = append(drained, one.Name)
			case best.target.Name == "" || c.idler(best):
				best = c
			}
		}
	}
	if best.target.Name != "" {
		return best.target, ""
	}
	waits = "waits for a worker with " + r.Label
	switch slices.Sort(did); {
	case len(drained) > 0:
		waits += ": " + slices.Min(drained) + " is drained"
	case len(did) > 0:
		waits = fmt.Sprintf("waits for another worker with %s: %s did the work itself", r.Label,
			strings.Join(did, ", "))
	}
	return t, waits
}

// drained returns which workers get nothing new. Without a queue, that is none.
func (f *Fleet) drained() (is func(worker string) bool) {
	q, err := queue.Open(f.project)
	if err == nil {
		if s, err := q.Load(); err == nil {
			return s.World.IsDrained
		}
	}
	return func(string) bool { return false }
}

// GateRunner returns what runs the gates of the merge queue on the workers of a project, for commands without a
// conductor, and what ends it. It is nil where [merge] gate names no label.
func GateRunner(ctx context.Context, p *project.Task) (run merge.GateRunner, end func(), err error) {
	cfg, err := p.Config()
	if err != nil || cfg.Merge.Gate == "" {
		return nil, func() {}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	f := New(p, "", func() {})
	go f.followAll(ctx, cfg)
	return f.RunGate, cancel, nil
}

// followAll keeps connections to all workers of a configuration until the context ends, including
// workers that announce themselves later.
func (f *Fleet) followAll(ctx context.Context, cfg config.Config) {
	for ctx.Err() == nil {
		f.Follow(ctx, cfg)
		wait(ctx, pollInterval)
	}
}
