// Package lane runs commands on a tree object of git, in a directory of ferrus's own.
//
// A [Lane] is a directory outside every repository that has everything that check
// commands use: the files of the tree, a git directory, a home, caches, and a directory
// for temporary files. [Lane.Prepare] brings it to a state that depends only on the tree,
// the definition and the base:
//
//   - The files are those of the tree, see package workspace. No session writes there, and
//     what the commands of one gate leave behind is gone before the next one begins.
//   - The setup commands make what git ignores and the commands need. They run on the tree
//     that the task started from, once per content of the key files, and their output is
//     kept. Where a task changes a key file, they run on its own tree, and the output is
//     used for that tree only: nothing that unproven work made affects the verdict on other
//     work.
//   - Home and caches are as the last base left them, see [Place.SaveBase].
//   - The environment is its own, see [Lane.environment].
//
// Only one gate at a time may use a lane; the caller holds the lock.
package lane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ferrus/agent/process"
	"ferrus/checks"
	"ferrus/checks/git"
	"ferrus/checks/workspace"
)

// Lane is the directory of one lane, which is made when it is needed.
type Lane string

// Job is what is to be prepared. It has more than 12 fields because a verdict depends on all of them.
type Job struct {
	Repo   checks.Repo
	Owner  string // directory of the project that the lane belongs to; empty: it has none
	Tree   string // that is gated
	Base   string // tree that the task started from; empty: unknown
	Commit string // that the task started from; empty: none
	Setup  []checks.Command
	Key    []string // patterns of the files that setup depends on; empty: every lock file that ferrus knows
	Path   string   // of programs; empty: the PATH of this process
	Env    []string // NAME or NAME=value, besides what is always there

	// Ended waits for [Lane.EndProcesses], which the caller has begun; nil: Prepare calls it.
	Ended func() error

	// Include copies more files to the top of the tree, before setup; nil: none. They are
	// taken to be others when IncludeKey is.
	Include    func(ctx context.Context, top string) error
	IncludeKey string

	// Run runs setup commands in a place.
	Run func(ctx context.Context, p *Place, commands []checks.Command) checks.Record
}

// Place is a lane that is ready for the commands of a gate. It has more than 12 fields because the first ones describe
// everything that a command needs.
type Place struct {
	Dir     string   // where commands run: the project directory in the tree
	Top     string   // of the tree
	Reports string   // an empty directory outside of it
	Env     []string // all of it
	// of setup commands that failed: nothing else may run; nil: they passed, or did not have to run
	Setup   *checks.Record
	Missing []string // submodules whose commits are not there
	Objects []string // directories of the objects of git that commands may read

	lane   Lane
	listed []git.TreeEntry // of the tree that the files are of
	files  *workspace.Workspace
	home   *workspace.Workspace
	shared bool // the base made the output of setup
	// No command had started before. The next gate ends an older process that a command passed a file of the lane to.
	since process.Time
}

// The parts of a lane.
func (l Lane) join(name ...string) string {
	return filepath.Join(append([]string{string(l)}, name...)...)
}

// Writable returns the directories that commands may write in. What ferrus knows of them
// is not in there.
func (l Lane) Writable() []string {
	return []string{l.join("tree"), l.join("own"), l.join("home"), l.join("tmp"), l.join("reports"), l.join("git")}
}

// Prepare brings the lane to a tree.
func (l Lane) Prepare(ctx context.Context, j Job) (*Place, error) {
	p, err := l.prepare(ctx, j)
	if err != nil {
		return nil, fmt.Errorf("prepare %s: %w", l, err)
	}
	return p, nil
}

func (l Lane) prepare(ctx context.Context, j Job) (*Place, error) {
	if err := l.Make(); err != nil {
		return nil, err
	}
	if l.Owner() != j.Owner {
		if err := os.WriteFile(l.join("owner"), []byte(j.Owner), 0o600); err != nil {
			return nil, err
		}
	}
	from, err := j.Repo.Source(ctx)
	if err != nil {
		return nil, err
	}
	keys, err := j.keys(ctx, from)
	if err != nil {
		return nil, err
	}
	if j.Ended == nil {
		j.Ended = func() error { return l.EndProcesses(ctx) }
	}
	if err := j.Ended(); err != nil { // What follows removes what they may have open.
		return nil, err
	}
	p := &Place{lane: l, home: workspace.In(l.join("home"), l.join("home.state")), since: process.Now()}
	if _, err := p.home.Update(ctx, from.Objects, git.EmptyTree(from.Format), homeKey); err != nil {
		return nil, err
	}
	if err := l.makeTemporary(); err != nil {
		return nil, err
	}
	p.Reports = l.join("reports")
	p.shared = keys.tree == keys.base && (j.Base != "" || !j.needsSetup())
	if p.shared {
		err = p.prepareShared(ctx, j, from, keys)
	} else {
		err = p.prepareOwn(ctx, j, from, keys)
	}
	if err != nil || p.Setup != nil {
		return p, err
	}
	return p, p.makeRepository(ctx, j, from, j.Tree)
}

// Owner returns the directory of the project that the lane belongs to; empty: unknown.
func (l Lane) Owner() string {
	data, err := os.ReadFile(l.join("owner"))
	if err != nil || !filepath.IsAbs(string(data)) {
		return ""
	}
	return string(data)
}

// homeKey is the key of home and caches, which no setup command makes.
const homeKey = "home"

// Make makes the directory, and refuses one that another user could write in.
func (l Lane) Make() error {
	if err := os.MkdirAll(string(l), 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(string(l))
	if err == nil && (!info.IsDir() || info.Mode().Perm()&0o022 != 0) {
		err = errors.New("it is not a directory that only you can write to; remove it")
	}
	return err
}

// makeTemporary empties the places for temporary files and reports.
func (l Lane) makeTemporary() error {
	for _, name := range []string{"tmp", "reports"} {
		if err := workspace.Fill(l.join(name), workspace.Contents{}); err != nil {
			return err
		}
	}
	return nil
}

// use makes a workspace the current one of the place.
func (p *Place) use(name string, j Job, from checks.Source) {
	p.files = workspace.In(p.lane.join(name), p.lane.join(name+".state"))
	p.files.GitFile = "gitdir: " + p.lane.join("git") + "\n"
	p.Top = p.lane.join(name)
	p.Dir = filepath.Join(p.Top, from.Below)
	p.Env = p.environment(j, from)
	p.Objects = from.Stores
}

// update brings the files to a tree.
func (p *Place) update(ctx context.Context, from checks.Source, tree, key string) (workspace.Report, error) {
	report, err := p.files.Update(ctx, from.Objects, tree, key)
	p.listed = report.Listed
	return report, err
}

// prepareShared restores the output of setup as the base made it.
func (p *Place) prepareShared(ctx context.Context, j Job, from checks.Source, k keys) error {
	p.use("tree", j, from)
	report, err := p.update(ctx, from, j.Tree, k.base)
	if err != nil {
		return err
	}
	p.Missing = report.Submodules
	if !j.needsSetup() || !report.NeedsSetup {
		return nil
	}
	if _, err := p.update(ctx, from, j.Base, k.base); err != nil {
		return err
	}
	failed, err := p.runSetup(ctx, j, from, j.Base)
	if err != nil {
		return err
	}
	if failed != nil {
		return p.prepareOwn(ctx, j, from, k) // The task may be about that.
	}
	if err := errors.Join(p.files.SaveOutput(ctx), p.home.SaveOutput(ctx)); err != nil {
		return err
	}
	_, err = p.update(ctx, from, j.Tree, k.base)
	return err
}

// prepareOwn runs setup on the tree itself.
func (p *Place) prepareOwn(ctx context.Context, j Job, from checks.Source, k keys) error {
	p.use("own", j, from)
	p.shared = false
	report, err := p.update(ctx, from, j.Tree, k.treeKey(j.Tree))
	if err != nil {
		return err
	}
	p.Missing = report.Submodules
	if !j.needsSetup() || !report.NeedsSetup {
		return nil
	}
	if p.Setup, err = p.runSetup(ctx, j, from, j.Tree); err != nil || p.Setup != nil {
		return err
	}
	return p.files.SaveOutput(ctx)
}

// needsSetup reports whether anything is made besides the tree.
func (j Job) needsSetup() bool { return len(j.Setup) > 0 || j.Include != nil }

// runSetup returns the record of setup commands that failed, and nil where they passed.
func (p *Place) runSetup(ctx context.Context, j Job, from checks.Source, tree string) (*checks.Record, error) {
	if err := p.makeRepository(ctx, j, from, tree); err != nil {
		return nil, err
	}
	if j.Include != nil {
		if err := j.Include(ctx, p.Top); err != nil {
			return nil, err
		}
	}
	if len(j.Setup) == 0 {
		return nil, nil
	}
	r := j.Run(ctx, p, j.Setup)
	if err := p.lane.endSince(ctx, p.since); err != nil {
		return nil, err
	}
	if r.Verdict == checks.Pass {
		return nil, nil
	}
	r.Why = strings.Replace(r.Why, ": ", ": setup: ", 1)
	return &r, nil
}

// Changed returns the files of the tree that the commands changed, and the files that they wrote and
// that hold the same again. It ends what they left running first.
func (p *Place) Changed(ctx context.Context) (changed, restored []string, err error) {
	if err := p.lane.endSince(ctx, p.since); err != nil {
		return nil, nil, err
	}
	return p.files.Changed(ctx)
}

// SaveBase makes what the commands left in home, caches and ignored files the start of every
// later gate. Only a base may be kept: your tree, that no task has worked on.
func (p *Place) SaveBase(ctx context.Context) error {
	if err := p.lane.endSince(ctx, p.since); err != nil {
		return err
	}
	if !p.shared {
		return nil
	}
	return errors.Join(p.files.SaveOutput(ctx), p.home.SaveOutput(ctx))
}
