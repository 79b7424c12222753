// Package gate runs the check gate of a project.
//
// A gate is desired state, not a call: the state says that Checking has a ticket,
// and the holder of run/gate.lock runs the checks of that ticket. A conductor calls
// [Run]; a server or a command calls [Ensure], which starts a detached runner where
// there is no conductor, and [Wait], which returns with the ticket's verdict or
// after a timeout. A server that is about to ask for a gate starts the runner as a
// [Standby] first. The end of a call never ends a gate. [Force] runs the checks
// apart from all this and changes no state.
//
// The next runner finds one that died: it ends its processes and runs the same
// ticket again, twice at most; then the gate is cancelled as lost. A runner whose
// ticket is no longer current ends its commands.
package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"ferrus/agent/sandbox"
	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/store"
)

// Options are what a caller of [Run] may choose.
type Options struct {
	Progress func(checks.Progress) // nil: none is reported
	// Setup, unless nil, gets the progress and the number of the setup commands, if they
	// have to run first.
	Setup func(of int, p checks.Progress)

	// Whether other work loads the machine; nil: [Loaded]. A TIMEOUT beside other work
	// is run again before it counts, after Alone has returned: when no other gate runs. Alone may be nil.
	Crowded func() bool
	Alone   func(context.Context) error

	// For [Force] alone.
	Definition *core.Definition // what to run; nil: what ferrus.toml has now
	Name       string           // of the record, and part of the log's name; empty: made from the time
	Dir        string           // whose tree; empty: the project directory
	Base       core.Base        // that this work started from; empty: unknown
	Tree       string           // to run on, of ferrus's own objects; empty: the present one of Dir
	Task       *core.Task       // with whose base all that the gate finds is compared; nil: nothing is
	// Ask reports whether the commands may reach a host that no rule names; nil: you are asked, see
	// [project.Task.Reaches].
	Ask func(host string) bool
}

// Record is checks/<ticket>.json: what a gate did. It is there before the state
// has the verdict.
type Record struct {
	Ticket  uint64 `json:"ticket"` // 0: only the human asked for it, see [Force]
	Attempt int    `json:"attempt"`
	Task    string `json:"task,omitempty"`
	Worker  string `json:"worker,omitempty"` // the machine that ran it; empty: this one
	Log     string `json:"log"`              // below the project directory
	Report  string `json:"report"`           // for the agent, bounded
	// Sandbox are the walls around the commands; zero: an older version ran them.
	Sandbox sandbox.Walls `json:"sandbox,omitzero"`
	checks.Record
}

// Green reports whether the work may continue: everything passed, or ferrus.toml allows
// that there is nothing to prove it by.
func (r Record) Green() bool {
	return r.Verdict == checks.Pass || r.Verdict == checks.Unproven && r.Allowed
}

// Run runs a ticket and commits its verdict. It returns nil when there is
// nothing to run any more, and *store.LockedError when another process runs it. When
// ctx ends the commands are ended and the gate stays to be run.
func Run(ctx context.Context, p *project.Task, ticket uint64, o Options) error {
	r, err := newRunner(ctx, p, o)
	if err != nil {
		return err
	}
	defer r.keepPass() // The verdict does not wait for that, nor does the next gate.
	defer r.close()
	if err := p.Store.Verify(ctx); err != nil {
		return err
	}
	state, err := p.World()
	if err != nil || !runs(state.World, ticket) {
		return err
	}
	record, err := r.carryOut(ctx, r.job(state.World))
	if err != nil {
		return err
	}
	return r.commit(ctx, record)
}

// KillLost ends what a runner that died left behind, and counts it. It runs nothing:
// the gate may be over by now, and what its commands started may not. The error is
// *store.LockedError while a runner, or a run of the base, has the lock: that did the same when it started.
func KillLost(ctx context.Context, p *project.Task) error {
	s, err := tryGate(p)
	if err != nil {
		return err
	}
	r, err := newRunnerUnder(ctx, s, p, Options{})
	if err != nil {
		return err
	}
	r.close()
	return nil
}

// Force runs the checks as ferrus.toml has them now, and records what they did.
// The state does not change. The error is *store.LockedError while a gate runs.
func Force(ctx context.Context, p *project.Task, o Options) (Record, error) {
	r, err := newRunner(ctx, p, o)
	if err != nil {
		return Record{}, err
	}
	defer r.close()
	j := r.forced(time.Now())
	if o.Dir != "" {
		r.repo = p.RepoAt(o.Dir)
	}
	j.base, j.task = o.Base, o.Task
	if o.Definition != nil {
		j.definition = *o.Definition
	}
	if o.Name != "" {
		j.name, j.log = o.Name, ForcedLog(o.Name)
	}
	record, err := r.carryOut(ctx, j)
	if err != nil {
		return record, err
	}
	return record, ctx.Err()
}

// forceRetry is how often it is tried to run a gate while another one runs.
const forceRetry = 200 * time.Millisecond

// ForceInTurn is [Force], after the gates that run have ended.
func ForceInTurn(ctx context.Context, p *project.Task, o Options) (Record, error) {
	for {
		record, err := Force(ctx, p, o)
		if !errors.As(err, new(*store.LockedError)) {
			return record, err
		}
		select {
		case <-ctx.Done():
			return record, ctx.Err()
		case <-time.After(forceRetry):
		}
	}
}

// SaveForced writes the record of a gate that a worker ran, as if [Force] had run it here, and its log. Its report
// is made anew of what the record has.
func SaveForced(p *project.Task, name string, r Record, log io.Reader) (Record, error) {
	cfg, _ := p.Config() // the last good one
	r.Ticket, r.Task, r.Log = 0, "", shownLog(p, ForcedLog(name))
	r.Report = r.Record.Report(cfg.Limits.MaxFeedbackLines) + "\nFull log: " + r.Log + "\n"
	to, err := p.Store.Append(ForcedLog(name))
	if err == nil {
		_, err = io.Copy(to, log)
		err = errors.Join(err, to.Close())
	}
	if err == nil {
		err = p.Count(r.Tree.Hash, r.Tests())
	}
	if err != nil {
		return r, fmt.Errorf("record what the gate found: %w", err)
	}
	return r, save(p, name, r)
}

// ForcedLog returns the name of the log of a run of [Force], by its name.
func ForcedLog(name string) string { return "logs/check_" + name + ".txt" }

// RemoveForced removes the record and the log of a run of [Force].
func RemoveForced(p *project.Task, name string) error {
	return p.Store.Remove(recordName(name), ForcedLog(name))
}

// runs reports whether the gate of this ticket is the running one.
func runs(w core.World, ticket uint64) bool { return w.GateRunning() && w.Gate.Ticket == ticket }

// commit hands in the verdict. It is given even when ctx has ended by now: the
// commands were not ended by that.
func (r *runner) commit(ctx context.Context, record Record) error {
	if record.Verdict == checks.Cancelled {
		return ctx.Err() // Or the ticket is no longer ours to judge.
	}
	tree := record.Tree.Hash
	if record.Verdict == checks.Unproven && !record.Allowed {
		tree = ""
	}
	_, err := r.project.Do(context.WithoutCancel(ctx), store.Call{}, core.Command{
		Kind: core.KindChecked, By: project.FerrusActor(), Ticket: record.Ticket,
		Gate: &core.GateResult{Verdict: record.Verdict, Tree: tree, Log: record.Log, Report: record.Report,
			Why: record.Why},
	})
	if machine.IsRefusal(err) {
		return nil // The gate was cancelled, or the task reset, at the last moment.
	}
	return err
}

// Read returns the record of a ticket that has a verdict; fs.ErrNotExist before, and
// for one that was cancelled before it began.
func Read(p *project.Task, ticket uint64) (Record, error) {
	var r Record
	data, err := p.Store.ReadFile(recordName(strconv.FormatUint(ticket, 10)))
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("read the record of gate %d: %w", ticket, err)
	}
	return r, nil
}

// ReadForced returns the record of a run of [Force] by its name.
func ReadForced(p *project.Task, name string) (r Record, err error) {
	data, err := p.Store.ReadFile(recordName(name))
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		return r, fmt.Errorf("read the record of the gate %s: %w", name, err)
	}
	return r, nil
}

// Save writes the record of a gate that another project or task ran, as the record of a ticket of this task.
func Save(p *project.Task, ticket uint64, r Record) error {
	r.Ticket, r.Task = ticket, p.ID
	return save(p, strconv.FormatUint(ticket, 10), r)
}

func recordName(name string) string { return "checks/" + name + ".json" }
