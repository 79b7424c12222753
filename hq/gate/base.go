package gate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/store"
)

// BaseRecord is checks/base.json: what the checks found on the tree that a task started
// from. It is written once.
type BaseRecord struct {
	Key string `json:"key"` // of the tree and the definition
	Record
}

const baseName = "base"

// wantedFile is there while a gate waits for a run of the base to give up the lock.
const wantedFile = "run/gate.wanted"

// BaseWanted reports whether the checks have yet to run on the tree that the open task
// started from, and may.
func BaseWanted(p *project.Task, w core.World) bool {
	if !w.IsOpen() || w.Task == nil || w.Task.Base.Tree == "" || w.Task.Definition == nil {
		return false
	}
	d := *w.Task.Definition
	if len(d.Commands) == 0 {
		return false
	}
	if trusted, err := p.Trusted(d); err != nil || !trusted {
		return false
	}
	_, done := readBase(p, "checks", d, w.Task.Base)
	return !done
}

// RunBase runs the checks on the tree that the open task started from, unless that was
// done. It is for the background: its commands have a low priority, and any other gate
// ends it and goes first. Then it returns nil, and is to be called again. A base that is
// red is recorded in the state. The error is *store.LockedError while another gate runs.
func RunBase(ctx context.Context, p *project.Task) error {
	background, err := p.Files.TryLock(project.BaseLock)
	if err != nil {
		return err
	}
	defer background.Close()
	first, err := takeLane(p, 0)
	if err != nil {
		return err
	}
	r, err := newRunnerUnder(ctx, first, p, Options{})
	if err != nil {
		return err
	}
	defer r.close()
	_ = p.Files.Remove(wantedFile) // Who waits writes it again.
	state, err := p.World()
	if err != nil || state.World.GateRunning() || !BaseWanted(p, state.World) {
		return err
	}
	watched, stop := r.untilWanted(ctx, state.World.Task.Base.Tree)
	defer stop()
	r.repo = p.Work(state.World)
	_, err = r.runBase(watched, *state.World.Task, marked{nice: true})
	if watched.Err() != nil {
		return ctx.Err()
	}
	return err
}

// untilWanted ends the context that it returns when another gate has to run, or the base
// of the open task is another one.
func (r *runner) untilWanted(ctx context.Context, tree string) (watched context.Context, stop func()) {
	watched, cancel := context.WithCancel(ctx)
	over := make(chan struct{})
	go func() {
		defer close(over)
		every := lookEvery
		if r.project.HasDirectory() { // no notice comes of what is wanted
			every = ownEvery
		}
		for range looks(watched, r.project, every, "run") {
			state, err := r.project.World()
			w := state.World
			_, missing := r.project.Files.ReadFile(wantedFile)
			if missing == nil || err == nil && (w.GateRunning() || !w.IsOpen() || w.Task.Base.Tree != tree) {
				cancel()
				return
			}
		}
	}()
	return watched, func() { cancel(); <-over }
}

// ownEvery is how often a run on the base of a task in a worktree looks whether it is in the way.
const ownEvery = 200 * time.Millisecond

// lockEvery is how often a gate tries to take the lock from a run of the base.
const lockEvery = 20 * time.Millisecond

// runBase runs the checks on the base of a task, saves the caches that they filled for later
// gates, and records what was found. What ctx ended is not recorded.
func (r *runner) runBase(ctx context.Context, t core.Task, as marked) (BaseRecord, error) {
	if known, done := r.knownBase(t); done {
		return known, r.keepBase(ctx, t, known)
	}
	j := job{definition: *t.Definition, base: t.Base, name: baseName,
		log: fmt.Sprintf("logs/check_base_%d.txt", time.Now().Unix())}
	found := BaseRecord{Key: baseKey(j.definition, j.base), Record: Record{Task: t.ID, Log: shownLog(r.project, j.log)}}
	log, err := r.project.Store.Append(j.log)
	if err != nil {
		return found, fmt.Errorf("run the checks on the base: %w", err)
	}
	defer log.Close()
	fmt.Fprint(log, "=== the base of the task, without its changes\n\n") //nolint:errcheck // the run notes it
	as.Log = j.log
	m := mark(r.project, laneFile(r.slot.lane), as)
	found.Record.Record = r.proveBase(ctx, m, j, log)
	if err := m.wait(); err != nil {
		return found, fmt.Errorf("run the checks on the base: %w", err)
	}
	if ctx.Err() == nil {
		if err := r.doubt(j, &found.Record); err != nil {
			return found, errors.Join(err, m.remove())
		}
	}
	found.Report = found.Record.Record.Report(r.config.Limits.MaxFeedbackLines) + "\nFull log: " + found.Log + "\n"
	if ctx.Err() != nil {
		return found, errors.Join(ctx.Err(), m.remove())
	}
	return found, errors.Join(r.keepBase(ctx, t, found), m.remove())
}

// maxSiblings is how many other tasks are asked whether their base is the same one.
const maxSiblings = 50

// knownBase returns what the same commands found on the same tree: for the task that was archived last, or, if they
// passed, for another one that works beside this one.
func (r *runner) knownBase(t core.Task) (BaseRecord, bool) {
	if known, done := readBase(r.project, lastArchived(r.project), *t.Definition, t.Base); done {
		return known, true
	}
	if !r.project.HasDirectory() {
		return BaseRecord{}, false
	}
	dirs, _ := r.project.TaskDirs() // none is as good
	for _, dir := range dirs[max(0, len(dirs)-maxSiblings):] {
		other, err := r.project.Main().InspectTask(dir)
		if err != nil || dir == r.project.ID {
			continue
		}
		if known, done := readBase(other, "checks", *t.Definition, t.Base); done && known.Verdict == checks.Pass {
			return known, true
		}
	}
	return BaseRecord{}, false
}

// proveBase runs the commands of a job on its base.
func (r *runner) proveBase(ctx context.Context, m *marked, j job, log io.Writer) checks.Record {
	record, place := r.onTree(ctx, m, j, checks.Tree{Hash: j.base.Tree}, log)
	if place == nil || ctx.Err() != nil {
		return record
	}
	if err := place.SaveBase(ctx); err != nil {
		return checks.NotRun(record.Tree, err.Error())
	}
	return record
}

// keepBase records what the checks found on a base.
func (r *runner) keepBase(ctx context.Context, t core.Task, found BaseRecord) error {
	if err := r.project.Count(t.Base.Tree, found.Tests()); err != nil {
		return err
	}
	if err := r.save(baseName, found); err != nil {
		return err
	}
	if found.Verdict != checks.Fail && found.Verdict != checks.Timeout && found.Verdict != checks.Flaky {
		return nil
	}
	_, err := r.project.Do(ctx, store.Call{}, core.Command{Kind: core.KindBaseRed, By: project.FerrusActor(),
		Gate: &core.GateResult{Verdict: found.Verdict, Tree: t.Base.Tree, Log: found.Log, Why: found.Why}})
	if machine.IsRefusal(err) {
		return nil // The task is gone, or rests on another base now.
	}
	return err
}

// readBase returns the record of a base with a definition, from a directory with the
// checks of a task.
func readBase(p *project.Task, dir string, d core.Definition, base core.Base) (found BaseRecord, done bool) {
	data, err := p.Store.ReadFile(path.Join(dir, baseName+".json"))
	if err != nil || json.Unmarshal(data, &found) != nil || found.Key != baseKey(d, base) {
		return BaseRecord{}, false
	}
	return found, true
}

// baseKey returns a hash of a tree and all that the gate runs on it.
func baseKey(d core.Definition, base core.Base) string {
	data, err := json.Marshal([]any{base.Tree, d.Setup, d.Commands, d.TimeoutSecs, d.Key, d.Env, d.Path, d.Tools})
	if err != nil {
		return "" // It cannot be: all of it was read from JSON.
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// compareBase says, of checks that fail, what failed before the task. Without a conductor,
// which does it in the background, the base is gated now.
func (r *runner) compareBase(ctx context.Context, j job, found checks.Record) string {
	if found.Verdict != checks.Fail || j.task == nil || j.task.Definition == nil || j.base.Tree == "" {
		return ""
	}
	base, done := readBase(r.project, "checks", j.definition, j.base)
	if _, conducted, err := r.project.Store.Holder(project.ConductorLock); !done && err == nil && !conducted {
		base, _ = r.runBase(ctx, *j.task, marked{Ticket: j.record.Ticket}) // Without it the verdict is the same.
	}
	return base.redWords(found)
}

// redWords says which failing commands failed before the task, too; empty: none of them.
func (b BaseRecord) redWords(found checks.Record) string {
	var all []string
	for _, was := range b.Commands {
		for _, is := range found.Commands {
			if !was.OK() && !is.OK() && was.Title() == is.Title() {
				all = append(all, "`"+was.Title()+"`")
			}
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "\nThese failed before the task started, too, so the task may not have caused it: " +
		strings.Join(all, ", ") + "\n"
}
