// Package pair runs two agents that only read a prompt and print text: one works, the
// check gate checks, the other reviews.
//
// [Prepare] a run, or [Create] or [Open] one, and [Run.Go] until it ends. [List] the runs of a
// project, [Locate] finds the project of a run from anywhere, and [SendMessage] leaves a message
// for a run.
//
// A run is the directory .ferrus/runs/<id>. manifest.json has the state of the run. It is
// replaced atomically and is the commit point: what happens next is computed from it alone.
// transcript.jsonl has every prompt, output, signal, verdict and state; a line that a crash
// cut short is skipped. messages.jsonl has the human's messages. A crash at any moment loses
// at most the turn in flight, which runs again with the same messages; a turn that ended
// before a gate does not run again.
//
// Each turn is one headless session of a slot, run by package session like those of the task
// loop, but without ferrus's server. It ends with the process of the run. Secrets that an
// agent prints reach neither files nor the other agent.
// machine/pair decides what a turn means, and ferrus's own gate whether the checks are
// green. The gate's commands, and how the agents are started, are pinned when the run is
// created: editing ferrus.toml changes nothing for it.
//
// A project has one working tree, so it has one run at a time.
package pair

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/project"
	"ferrus/hq/session"
	"ferrus/machine/pair"
	"ferrus/store"
)

// The agents of a run, as its files name them.
const (
	Primary   = string(core.SlotPrimary)
	Secondary = string(core.SlotSecondary)
)

// ErrComplete is returned for a completed run: there is nothing to resume.
var ErrComplete = errors.New("the run is complete")

// ErrDetached is the cause of a context that ends with its process, not because the human
// stopped the run: the run keeps its state, and can be resumed.
var ErrDetached = errors.New("left")

// ErrCancelled is returned for a run that the human stopped. It can be resumed.
var ErrCancelled = errors.New("cancelled")

// FailedError is returned by a run that ended in the state failed.
type FailedError struct {
	Reason pair.Reason
	Why    string
}

func (f *FailedError) Error() string { return f.Why }

// NeedsHuman is returned for a run that only the human can continue. It keeps its state.
type NeedsHuman struct {
	Why    string
	Accept bool // the human need only look at the change, and set Run.Accept
}

func (n *NeedsHuman) Error() string { return n.Why }

// Run is a run of this project. It is for one goroutine, apart from [Run.View], [Run.Panes]
// and [Run.Resize].
type Run struct {
	Manifest Manifest
	Launcher session.Launcher // nil: the agents of the manifest, on this machine
	Accept   bool             // the human accepts what [Run.Go] asked about
	Warning  error            // a problem that did not keep the run from being created; nil: none
	Hooks

	project *project.Task
	disk    disk
	machine *pair.Machine
	agents  atomic.Pointer[agents] // since Run.Go; nil: before
	view    atomic.Pointer[View]
}

// Hooks report what happens in a run, and answer its questions. Each may be nil.
type Hooks struct {
	// Watch is called with what happens, from several goroutines.
	Watch func(Event)
	// Changed is called when a pane has something new to draw; see [session.Callbacks].
	Changed func()
	// Size returns the size of a slot's pane, in columns and rows.
	Size func(core.Slot) (columns, rows int)
	// CheckIdle is called while the run holds the pair lock, before it starts. Its error keeps
	// the run from starting, and is returned by [Run.Go].
	CheckIdle func() error
	// Gate is called with the commands of a gate that starts. It returns what to call with
	// their progress, and with the result.
	Gate func(commands []string) (progress func(checks.Progress), over func(gate.Record, error))
}

// Event is something to show. One of Entry, Line and Notice is set.
type Event struct {
	Agent  string // primary, secondary or gate; empty: the run itself
	Entry  *Entry // a line of the transcript
	Line   string // printed by the agent, without escape sequences
	Notice string // for the human
}

func (r *Run) watch(e Event) {
	if r.Watch != nil {
		r.Watch(e)
	}
}

func (r *Run) changed() {
	if r.Changed != nil {
		r.Changed()
	}
}

// Panes returns views of the agents' sessions since the run started in this process.
func (r *Run) Panes() (all []session.View) {
	a := r.agents.Load()
	for _, slot := range core.PairSlots {
		if a != nil && a.runners[slot] != nil {
			all = append(all, a.runners[slot].View())
		}
	}
	return all
}

// Resize gives the pane of a slot a new size, even after the run.
func (r *Run) Resize(slot core.Slot, columns, rows int) {
	if a := r.agents.Load(); a != nil && a.runners[slot] != nil {
		a.runners[slot].Resize(columns, rows)
	}
}

// disk is the part of the store that a run needs.
type disk interface {
	MkdirExclusive(dir string) error
	WriteFile(name string, data []byte) error
	ReadFile(name string) ([]byte, error)
	List(dir string) ([]string, error)
	Append(name string) (*os.File, error)
	OpenFile(name string) (*os.File, error)
}

// Create creates a run with a new id: it creates the directory exclusively. An error with a
// run means that only its project can resume it.
func Create(ctx context.Context, p *project.Task, o Options) (*Run, error) {
	cfg, err := p.Config()
	if err != nil {
		return nil, err
	}
	if err := p.Repo().Pin(ctx); err != nil {
		return nil, fmt.Errorf("create run: %w", err)
	}
	tree, err := p.Repo().Tree(ctx)
	if err != nil {
		return nil, fmt.Errorf("create run: %w", err)
	}
	now := time.Now().UTC()
	return create(p, p.Store, Manifest{Schema: schema, Dates: Dates{CreatedAt: now, UpdatedAt: now}, Terms: Terms{
		Project: p.Dir, Task: o.Task, Mode: o.Mode, Primary: o.Primary, Secondary: o.Secondary,
		MaxIterations: o.MaxIterations, Words: o.Words, Definition: project.GateDefinition(cfg), Setup: NewSetup(cfg),
		Base: core.Base{Commit: p.Repo().Head(ctx), Tree: tree.Hash},
	}})
}

func create(p *project.Task, d disk, m Manifest) (*Run, error) {
	for {
		m.ID = newID(m.CreatedAt)
		err := d.MkdirExclusive(m.dir())
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("create run: %w", err)
		}
	}
	r := &Run{Manifest: m, project: p, disk: d, machine: pair.NewMachine(pair.Start(m.Mode))}
	r.syncMachine()
	r.publish(nil)
	if err := r.save(); err != nil {
		return nil, fmt.Errorf("create run: %w", err)
	}
	if err := addToIndex(m); err != nil {
		return r, fmt.Errorf("create run: it can be resumed only from its project: %w", err)
	}
	return r, nil
}

// Open opens a run of a project by its id.
func Open(p *project.Task, id string) (*Run, error) { return open(p, p.Store, id) }

func open(p *project.Task, d disk, id string) (*Run, error) {
	m, err := readManifest(d, id)
	if err != nil {
		return nil, err
	}
	r := &Run{Manifest: m, project: p, disk: d, machine: m.machine()}
	r.publish(nil)
	return r, nil
}

// List returns the runs of a project, the newest first, without those whose manifest was
// never written.
func List(p *project.Task) ([]Manifest, error) {
	names, err := p.Store.List(runsDir)
	if err != nil {
		return nil, err
	}
	all := []Manifest{}
	for i := len(names) - 1; i >= 0; i-- {
		m, err := readManifest(p.Store, names[i])
		if errors.Is(err, ErrNoRun) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	// Ids order the runs by the second only.
	slices.SortStableFunc(all, func(a, b Manifest) int { return b.CreatedAt.Compare(a.CreatedAt) })
	return all, nil
}

// lock keeps other writers out of the project: it takes the pair lock, and checks that no
// other writer runs.
func (r *Run) lock(ctx context.Context) (*store.Lock, error) {
	lock, err := r.project.Store.TryLock(project.PairLock)
	if held := (*store.LockedError)(nil); errors.As(err, &held) {
		return nil, &project.PairRunningError{PID: held.PID}
	}
	if err != nil {
		return nil, err
	}
	err = checkNoWriter(ctx, r.project)
	if err == nil && r.CheckIdle != nil {
		err = r.CheckIdle()
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock, nil
}
