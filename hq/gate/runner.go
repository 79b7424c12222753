package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"time"

	"ferrus/agent/sandbox"
	"ferrus/checks"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/store"
	"ferrus/store/diskfault"
)

// runner holds the lock of the gate.
type runner struct {
	project *project.Task
	config  config.Config
	options Options
	slot    slot
	repo    checks.Repo   // around the workspace of the task
	walls   sandbox.Walls // around the commands of the last job
	pass    pass          // the job that passed, to be kept; zero: none
	full    error         // of a disk that has no space for a run; nil: none
	// included is a hash of the ignored files that the place of the last job was given
	included string
}

// newRunner takes the lock and clears away what a runner that died left behind.
func newRunner(ctx context.Context, p *project.Task, o Options) (*runner, error) {
	s, err := lockGate(ctx, p)
	if err != nil {
		return nil, err
	}
	return newRunnerUnder(ctx, s, p, o)
}

// newRunnerUnder is newRunner for a caller that has the lock.
func newRunnerUnder(ctx context.Context, s slot, p *project.Task, o Options) (*runner, error) {
	r := &runner{project: p, options: o, slot: s, repo: p.Repo()}
	r.config, _ = p.Config() // The last good one: a broken edit does not stop a gate.
	if err := r.killLost(ctx); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (r *runner) close() { r.slot.close() }

// killLost ends what a dead runner started, and counts it. It comes first: two
// gates of one ticket must never run at the same time.
func (r *runner) killLost(ctx context.Context) error {
	lost := func(file string) error { return r.killLostIn(ctx, file) }
	if err := lost(laneFile(r.slot.lane)); err != nil {
		return err
	}
	return r.otherLanes(lost)
}

// killLostIn is killLost for the lane whose file it is.
func (r *runner) killLostIn(ctx context.Context, file string) error {
	dead, err := killLeftover(r.project, file)
	if err != nil {
		return fmt.Errorf("end what the gate's last runner left: %w", err)
	}
	if dead == nil {
		return nil
	}
	if !dead.died() {
		return dead.remove()
	}
	of := *r
	if of.project, err = r.project.OpenTask(dead.Of); err == nil {
		err = of.lost(ctx, *dead)
	}
	if err != nil && !errors.Is(err, store.ErrNone) {
		return err
	}
	return dead.remove()
}

// lost counts a runner that died. At the third the gate is cancelled.
func (r *runner) lost(ctx context.Context, dead marked) error {
	if dead.Ticket == 0 {
		return nil
	}
	state, err := r.project.World()
	if err != nil || !runs(state.World, dead.Ticket) {
		return err // It died after its verdict, or its gate was cancelled.
	}
	if state.World.Gate.IsLastRunner() { // The record comes before the verdict, as always.
		if err := r.saveLost(dead); err != nil {
			return err
		}
	}
	_, err = r.project.Do(ctx, store.Call{}, core.Command{Kind: core.KindGateLost, By: project.FerrusActor(),
		Ticket: dead.Ticket})
	if machine.IsRefusal(err) {
		return nil // Its gate was cancelled meanwhile.
	}
	return err
}

// saveLost writes the record of a gate that is given up.
func (r *runner) saveLost(dead marked) error {
	record := Record{Ticket: dead.Ticket, Log: shownLog(r.project, dead.Log),
		Report: "checks: gate lost: its runner died three times\n"}
	record.Verdict, record.Why = checks.Cancelled, "CANCELLED: gate lost: its runner died three times"
	return r.save(strconv.FormatUint(dead.Ticket, 10), record)
}

// job is what to run.
type job struct {
	record     Record
	name       string // of the record
	log        string // below .ferrus
	definition core.Definition
	base       core.Base  // that the task started from
	task       *core.Task // whose gate it is; nil: the human only asked for it
	progress   func(checks.Progress)
	setup      func(int, checks.Progress)
	quick      bool         // only a part of the commands: what they leave out is no finding
	reuses     bool         // a pass of the same is a pass
	ended      func() error // as in lane.Job
}

// job returns the gate that the state says runs.
func (r *runner) job(w core.World) job {
	j := job{record: Record{Ticket: w.Gate.Ticket, Attempt: w.Gate.Attempt}, definition: r.present(),
		progress: r.options.Progress, setup: r.options.Setup}
	if w.Task != nil {
		j.record.Task, j.base, j.task = w.Task.ID, w.Task.Base, w.Task
		if w.Task.Definition != nil {
			j.definition = *w.Task.Definition // Pinned: an edit of ferrus.toml changes nothing for this task.
		}
	}
	if j.quick = w.Gate.Quick; j.quick {
		j.definition.Commands = j.definition.Quick
	}
	j.reuses = true
	r.repo = r.project.Work(w)
	j.name = strconv.FormatUint(j.record.Ticket, 10)
	j.log = fmt.Sprintf("logs/check_%d_%d.txt", j.record.Attempt, time.Now().Unix())
	return j
}

// forced returns what the human runs beside the gate.
func (r *runner) forced(now time.Time) job {
	name := fmt.Sprintf("force_%d", now.Unix())
	return job{name: name, log: ForcedLog(name), definition: r.present(),
		progress: r.options.Progress, setup: r.options.Setup}
}

func (r *runner) present() core.Definition { return project.GateDefinition(r.config) }

// carryOut runs a job and writes its record, unless ctx ended it.
func (r *runner) carryOut(ctx context.Context, j job) (Record, error) {
	record := j.record
	record.Log = shownLog(r.project, j.log)
	log, err := r.project.Store.Append(j.log)
	if err != nil {
		return record, fmt.Errorf("run the gate: %w", err)
	}
	defer log.Close()
	m := mark(r.project, laneFile(r.slot.lane), marked{Ticket: record.Ticket, Log: j.log})
	if record, err = r.underMark(ctx, m, j, record, log); err != nil {
		return record, m.fail(err)
	}
	return record, nil
}

// underMark runs a job, and writes its record.
func (r *runner) underMark(ctx context.Context, m *marked, j job, record Record, log io.Writer) (Record, error) {
	earlier := r.failedBefore(j)
	defer earlier(Record{}) // Nothing reads on after an error.
	watched, stop := r.watch(ctx, record.Ticket)
	record.Record = r.prove(watched, m, j, log)
	if err := m.wait(); err != nil {
		stop()
		return record, fmt.Errorf("run the gate: %w", err)
	}
	if record.Verdict == checks.Timeout && r.crowded() {
		record.Record = r.proveAlone(watched, m, j, log, record.Record)
	}
	record.Sandbox = brief(r.walls)
	base, err := "", error(nil)
	if !j.quick {
		base = r.compareBase(watched, j, record.Record)
		err = r.compareTests(watched, m, j, &record.Record, log)
		if err == nil {
			err = r.compareWrites(watched, j, &record.Record)
		}
	}
	record.FailedBefore = earlier(record)
	if doubt := r.doubt(j, &record); err == nil {
		err = doubt
	}
	stop()
	if err != nil && watched.Err() == nil {
		record.Record = r.notRun(record.Tree, err)
	}
	if r.full != nil && record.Verdict == checks.Unproven {
		return record, fmt.Errorf("run the gate: %w", r.full)
	}
	if !j.quick && (record.Verdict.Passed() || record.Verdict == checks.Fail) {
		if err := r.project.Count(record.Tree.Hash, record.Tests()); err != nil {
			return record, err
		}
	}
	again := ""
	if record.TimedOut != "" {
		again = "With other work on the machine: " + record.TimedOut + ". The commands ran again alone.\n"
	}
	record.Report = again + record.Record.Report(r.config.Limits.MaxFeedbackLines) + base + "\nFull log: " +
		record.Log + "\n"
	if ctx.Err() != nil && record.Verdict == checks.Cancelled {
		return record, m.remove()
	}
	return record, r.saveLast(j.name, record, m)
}

// saveLast writes the record of a run of which nothing is left.
func (r *runner) saveLast(name string, record any, m *marked) error {
	if filesOf(m.project, m.file).Path() != r.project.Store.Path() {
		return errors.Join(r.save(name, record), m.remove())
	}
	return save(r.project, name, record, m.file, groupFile(m.file))
}

// notRun returns the record of a job that could not be run. A full disk proves nothing about the work, nor about its
// commands: the job runs again.
func (r *runner) notRun(tree checks.Tree, err error) checks.Record {
	if diskfault.IsFull(err) {
		r.full = err
	}
	return checks.NotRun(tree, err.Error())
}

// prove runs the commands of a definition, if the human let them run here.
func (r *runner) prove(ctx context.Context, m *marked, j job, log io.Writer) checks.Record {
	if why := r.untrusted(j.definition); why != "" {
		fmt.Fprintf(log, "=== UNPROVEN: %s\n", why) //nolint:errcheck // the verdict says the same
		return checks.NotRun(checks.Tree{}, why)
	}
	return r.onPresent(ctx, m, j, log)
}

// untrusted says why commands may not run; empty when they may.
func (r *runner) untrusted(d core.Definition) string {
	err := r.project.RequireTrust(d)
	switch {
	case errors.As(err, new(*project.UntrustedError)):
		return "these check commands are not trusted on this machine; the human can review and trust them " +
			"with: ferrus trust"
	case err != nil:
		return err.Error()
	}
	return ""
}

func (r *runner) save(name string, record any) error { return save(r.project, name, record) }

// save writes a record, and removes files of the same store after that.
func save(p *project.Task, name string, record any, others ...string) error {
	data, err := json.MarshalIndent(record, "", "  ")
	if err == nil {
		err = p.Store.WriteFileAndRemove(recordName(name), append(data, '\n'), others...)
	}
	if err != nil {
		return fmt.Errorf("record what the gate found: %w", err)
	}
	return nil
}

// shownLog returns a log's path as it is reported: below the project, and in full where those who read it work in
// another directory.
func shownLog(p *project.Task, log string) string {
	if p.HasDirectory() {
		return p.Store.Path(log)
	}
	below, err := filepath.Rel(p.Dir, p.Store.Path(log))
	if err != nil {
		return log // It cannot be: both are absolute.
	}
	return below
}
