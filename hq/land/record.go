package land

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"time"

	"ferrus/checks/git"
	"ferrus/checks/regular"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine/task"
	"ferrus/store"
)

// The files of a landing that is under way, below .ferrus. RecordFile is there from
// its first step to its end, or until [Recover] when it died.
const (
	RecordFile = "run/landing.json"
	indexFile  = "run/landing.index"
)

// step is what is about to be done.
type step string

// The steps, in their order. At the first two nothing has changed that anyone sees; at forward
// it depends on whether the branch moved; the last two are finished after a crash.
const (
	stepCommit  step = "commit"  // the work becomes a commit that no branch has
	stepGate    step = "gate"    // on the tree that lands
	stepForward step = "forward" // the branch moves
	stepReturn  step = "return"  // the work goes back to the executor
	stepDone    step = "done"    // the branch has moved; the state records it
)

// record is run/landing.json: what the next start must know of one that dies.
type record struct {
	Task string `json:"task"`
	Step step   `json:"step"`
	Own  bool   `json:"own"` // the task has a worktree
	Dir  string `json:"dir"` // top of the worktree that is committed from

	Ref  string `json:"ref"`            // that is moved: refs/heads/main, or HEAD
	Old  string `json:"old"`            // commit of Ref before; empty: it had none
	Head string `json:"head,omitempty"` // commit of the task's branch before
	Work string `json:"work,omitempty"` // commit with all of the work
	Tip  string `json:"tip,omitempty"`  // commit that Ref is moved to

	What  string    `json:"what,omitempty"` // of a return: one line
	Text  string    `json:"text,omitempty"` // of a return: for the executor
	Began time.Time `json:"began"`
}

// save writes down what is about to be done.
func (l *landing) save(s step) error {
	if l.stopped() {
		return errStopped
	}
	l.Step = s
	data, err := json.MarshalIndent(l.record, "", "  ")
	if err == nil {
		err = l.project.Files.WriteFile(RecordFile, append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("record the landing: %w", err)
	}
	return nil
}

// forget is the end of a landing.
func (l *landing) forget() error {
	if l.stopped() {
		return errStopped
	}
	return errors.Join(l.project.Files.Remove(RecordFile), l.project.Files.Remove(indexFile))
}

// IsBegun reports whether a landing is under way, or was killed and has to be completed or rolled back.
func IsBegun(p *project.Task) (bool, error) {
	_, ok, err := begun(p)
	return ok, err
}

// begun reads the record; false when no landing is under way.
func begun(p *project.Task) (r record, ok bool, err error) {
	data, err := p.Files.ReadFile(RecordFile)
	if errors.Is(err, fs.ErrNotExist) {
		return r, false, nil
	}
	if err == nil {
		if err = json.Unmarshal(data, &r); err != nil {
			err = fmt.Errorf("%s is damaged: %w; inspect the branches, then remove it", RecordFile, err)
		}
	}
	return r, err == nil, err
}

// keepIndex copies the index of a worktree, so that it can be put back as it is.
func (l *landing) keepIndex(r git.Repository) (err error) {
	if err := l.project.Files.Remove(indexFile); err != nil {
		return err
	}
	from, err := regular.Open(filepath.Join(r.Dir, "index"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := l.project.Files.Append(indexFile)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, io.LimitReader(from, math.MaxInt32))
	return errors.Join(err, to.Sync(), to.Close())
}

// note records that the task landed: in the state, or in its archive.
func (l *landing) note(ctx context.Context, d Done) error {
	if l.stopped() {
		return errStopped
	}
	landed := &core.Landed{Commit: d.Commit, Onto: d.Onto, At: time.Now().UTC().Round(0)}
	state, err := l.project.World()
	if err != nil {
		return err
	}
	switch t := state.World.Task; {
	case t != nil && t.ID == l.Task && t.Landed != nil:
		return nil
	case t != nil && t.ID == l.Task && state.World.State == task.Complete:
		by := l.by
		if by.Role == "" {
			by = project.HumanOf(ctx)
		}
		_, err = l.project.Do(ctx, store.Call{}, core.Command{Kind: core.KindLanded, By: by, Landed: landed})
		return err
	}
	data, err := json.Marshal(landed)
	if err == nil {
		err = l.project.Store.WriteFile(landedFile(l.Task), append(data, '\n'))
	}
	return err
}
