// Package merge lands approved work: it merges what the queue has staged into each
// branch, in batches, and moves a branch only to a tree that the checks passed on.
//
// With [merge] mode = "pr" the forge merges instead: [Merger.Sync] pushes the work of one item, makes
// sure that it has exactly one pull request, and asks for its state. The item has landed when the
// forge says so and the fetched branch has the commit.
//
// [Stage] gives the approved work of a task to the merge queue of its branch. A [Merger] takes the steps:
// [Merger.Advance] takes all that need no gate and names the branches whose candidate needs a gate, and
// [Merger.Prove] runs it. [Merger.Continue] takes the steps of items that run hooks or teardown commands.
// Each can be called again after a kill at any point: the queue's record says what was begun, and git
// shows how far it got.
//
// A candidate is a commit made of trees only; no worktree, index or branch is involved before
// the branch moves. If no checkout has the branch, its ref is updated; if one has it, git
// fast-forwards it there, and refuses if your file is in the way.
//
// One process at a time merges into a branch of a repository, whichever project it belongs to: it
// holds a lock in git's common directory, except while its batch waits for you. Nothing here decides:
// machine/merge and machine/queue do.
package merge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"ferrus/checks"
	"ferrus/checks/git"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/land"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/machine"
	"ferrus/machine/merge"
	"ferrus/store"
)

// Options say how a merger works.
type Options struct {
	Batch  int                    // items that are merged together at most; 0 is 1
	Auto   bool                   // approved work is staged without you
	Follow bool                   // a branch is moved where it is checked out, also without your /land
	Union  []string               // patterns of files in which both sides of a conflict are kept
	Lives  func(task string) bool // whether a task's session runs, by the task's directory; nil: none does
	Apart  bool                   // Advance leaves the removal of worktrees, which takes time, to Continue
	// Turn waits for the turn of a gate, and returns what ends it; nil: a gate begins at once.
	Turn func(ctx context.Context) (done func())
	// Gate is the label of the workers that gates run on; empty: they run here. RunGate runs one there; nil: no worker
	// can be reached.
	Gate    string
	RunGate GateRunner
	// Watch gets how far the gate of a branch's candidate is; nil: nothing does.
	Watch func(target string, commands []string) land.Watch

	stop  func() bool   // a test ends the process here: nothing is done any more
	every time.Duration // how often a test has the forge asked; 0: as is usual
}

// GateRun is a gate that runs on a worker.
type GateRun struct {
	Label   string       // that the worker must have
	Not     []string     // workers that did the work, which prove none of it
	Options gate.Options // what is to run; its record has their name
	// Notify records where the gate runs, or what it waits for, in words.
	Notify func(where string) error
}

// GateRunner runs a gate on a worker, and returns what it found.
type GateRunner func(context.Context, GateRun) (gate.Record, error)

// OptionsOf returns the options that ferrus.toml sets.
func OptionsOf(p *project.Task) Options {
	cfg, _ := p.Config() // the last good one: a broken edit stops no merge
	o := Options{Batch: cfg.Merge.Batch}
	if trusted, err := p.Trusted(project.GateDefinition(cfg)); trusted && err == nil {
		o.Gate = cfg.Merge.Gate
		o.Auto, o.Follow, o.Union = cfg.Merge.Auto, cfg.Merge.Follow, cfg.Merge.Union
	}
	return o
}

// Merger merges what a project has staged. It is safe for concurrent use.
type Merger struct {
	project *project.Task
	queue   *queue.Queue
	*held
}

// held is what a process has of the branches.
type held struct {
	mu      sync.Mutex
	locks   map[string]*store.Lock // guarded by mu: by branch, while a batch of it is open
	moves   map[string]int         // guarded by mu: by branch, the batch that this process has just begun to move
	running map[string]*proof      // guarded by mu: the gates that this process runs, by branch
	polls   map[int]poll           // guarded by mu: when the forge is asked next, by item

	troubles map[int]trouble // guarded by mu: of steps that commands of yours take part in, by item
	tries    map[int]int     // guarded by mu: how often the worktree of a landed item could not be cleared away
}

// proof is a gate that runs.
type proof struct {
	ticket uint64
	cancel context.CancelFunc
}

// errStopped ends a test as kill -9 would.
var errStopped = errors.New("stopped")

// New returns a merger of a project and its queue. Close it.
func New(p *project.Task, q *queue.Queue) *Merger {
	return &Merger{p.Main(), q, &held{locks: map[string]*store.Lock{}, moves: map[string]int{},
		running: map[string]*proof{}, polls: map[int]poll{}, troubles: map[int]trouble{},
		tries: map[int]int{}}}
}

// On returns the merger with the queue opened anew. Only one of the two has to be closed.
func (m *Merger) On(q *queue.Queue) *Merger { return &Merger{m.project, q, m.held} }

// Close gives up the branches. A gate that runs has to have ended.
func (m *Merger) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var faults []error
	for target, lock := range m.locks {
		faults = append(faults, lock.Close())
		delete(m.locks, target)
	}
	return errors.Join(faults...)
}

// Next is what a merger has to be asked for next.
type Next struct {
	Prove []string // the branches whose candidate has to be proven, and is not
	Open  bool     // a batch is open, or waits for another process: look again after a while
	Busy  string   // which branch another process merges into, in words; empty: none
	// Pull requests: the items for which Sync is due, and when the next one is; zero: none is.
	Pulls  []int
	PollAt time.Time
	// Items whose next step takes time, as it runs hooks or teardown commands or removes files: Continue is due.
	Slow []int
	// Refused says of approved items, by number, why ferrus cannot stage them without you, and of landed ones why
	// their worktrees are not cleared away.
	Refused map[int]string
	Faults  map[string]error // what keeps the merge of a branch from its next step; the others continue
}

// Advance takes every step that needs no gate.
func (m *Merger) Advance(ctx context.Context, o Options) (next Next, err error) {
	next.Refused, next.Faults = map[int]string{}, map[string]error{}
	if err := m.finish(ctx, o, &next); err != nil {
		return next, err
	}
	if err := m.stageAll(ctx, o, &next); err != nil {
		return next, err
	}
	s, err := m.queue.Load()
	if err != nil {
		return next, err
	}
	var faults []error
	for _, target := range s.World.Targets() {
		one, err := m.advance(ctx, target, o)
		if busy := (*store.LockedError)(nil); errors.As(err, &busy) {
			next.Open, next.Busy = true, fmt.Sprintf("process %d merges into %s", busy.PID, target)
			continue
		}
		if err != nil && !errors.Is(err, errStopped) {
			err = fmt.Errorf("merge into %s: %w", target, err)
			next.Faults[target] = err
		}
		faults = append(faults, err)
		next.Open = next.Open || one.Open
		next.Prove = append(next.Prove, one.Prove...)
	}
	return next, errors.Join(append(faults, m.pulls(ctx, &next), m.finish(ctx, o, &next))...)
}

// maxSteps bounds the steps of one batch that need no gate.
const maxSteps = 1000

// advance takes the steps of one branch.
func (m *Merger) advance(ctx context.Context, target string, o Options) (next Next, err error) {
	for range maxSteps {
		if o.stop != nil && o.stop() {
			return next, errStopped
		}
		s, err := m.queue.Load()
		if err != nil {
			return next, err
		}
		b := branch{Merger: m, options: o, doc: s.World, merge: s.World.MergeOf(target)}
		wanted := b.merge.State != merge.StateIdle || len(s.World.StagedFor(target)) > 0
		if !wanted && m.lockOf(target) != nil {
			if err := b.freeCandidates(ctx); err != nil {
				return next, err
			}
		}
		free, err := m.lock(target, wanted)
		if err != nil || free {
			return next, err
		}
		moved, err := b.step(ctx)
		if machine.IsRefusal(err) {
			continue // it was changed meanwhile
		}
		if err != nil || !moved {
			m.cancelOthers(target, b.merge.Data.Ticket)
			next.Open = b.merge.State != merge.StateIdle || b.merge.Data.Held == merge.TargetRed
			if b.prove && !m.proves(target) {
				next.Prove = []string{target}
			}
			if err == nil && !b.prove && b.waits() && !m.proves(target) {
				_, err = m.lock(target, false)
			}
			return next, err
		}
	}
	return next, errors.New("the merge did not reach a stable state")
}

// lock takes or gives up the branch, and reports that there is nothing to do with it. The error is a
// *store.LockedError while another process merges into it.
func (m *Merger) lock(target string, wanted bool) (free bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	have := m.locks[target]
	switch {
	case !wanted && have != nil:
		delete(m.locks, target)
		return true, have.Close()
	case !wanted || have != nil:
		return !wanted, nil
	}
	home, err := git.Locate(m.project.Dir)
	if err != nil {
		return false, err
	}
	lock, err := store.TryLockFile(filepath.Join(home.Common, "ferrus", "merge-"+hashOf(target)+".lock"))
	if err == nil {
		m.locks[target] = lock
	}
	return false, err
}

// hashOf names a branch in the name of a file.
func hashOf(target string) string {
	sum := sha256.Sum256([]byte("refs/heads/" + target))
	return hex.EncodeToString(sum[:8])
}

func (m *Merger) lockOf(target string) *store.Lock {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.locks[target]
}

// beginMove notes that this process begins to move a branch; isFirstMove reports that it did, once: then no git command
// of ferrus's can have left anything there.
func (m *Merger) beginMove(target string, batch int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.moves[target] = batch
}

func (m *Merger) isFirstMove(target string, batch int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	first := m.moves[target] == batch
	delete(m.moves, target)
	return first
}

// proves reports whether this process runs a gate of the branch.
func (m *Merger) proves(target string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.running[target] != nil
}

// cancelOthers ends a branch's gate that no longer counts.
func (m *Merger) cancelOthers(target string, ticket uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if p := m.running[target]; p != nil && p.ticket != ticket {
		p.cancel()
	}
}

// definition returns what a tree with the work of a task has to pass.
func (m *Merger) definition(w core.World) core.Definition {
	if w.Task != nil && w.Task.Definition != nil {
		return *w.Task.Definition
	}
	cfg, _ := m.project.Config()
	return project.GateDefinition(cfg)
}

// checksOf returns a hash of commands and all that they depend on.
func checksOf(d core.Definition) string {
	data, err := json.Marshal([]any{d.Setup, d.Commands, d.TimeoutSecs, d.Key, d.Env, d.Path, d.Tools})
	if err != nil {
		return "" // It cannot be: all of it was read from JSON.
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// verdictOf returns what the machine makes of a gate's record.
func verdictOf(r gate.Record) merge.Verdict {
	switch {
	case r.Verdict == checks.Flaky:
		return merge.Flaky
	case r.Green():
		return merge.Green
	case r.Verdict == checks.Fail || r.Verdict == checks.Timeout:
		return merge.Red
	}
	return merge.Unproven
}
