// Package gc finds and frees what ferrus keeps and no longer needs.
//
// [Find] lists it: the gate's workspace and the hashed trees of a project without an open task, worktrees
// of tasks that have ended, refs that no task, merge or pull request needs, and what belongs to projects
// that are gone. [Free] removes items of the list. It never touches anything of an open task, of a
// running process, or of another project that exists, and it follows no link.
//
// Free checks each item again before it removes it, under the locks that its users take.
// It renames a directory before it removes it, so a crash leaves it whole or marked as
// free; the next Find lists what is marked. Two calls at the same time free each item
// once.
package gc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"ferrus/hq/project"
)

// Kind is what an item is.
type Kind string

// The kinds of items.
const (
	Gate      Kind = "gate"      // the directory of a gate: files, outputs of setup, caches
	Objects   Kind = "objects"   // the trees that ferrus hashed, in its own git directory
	Worktree  Kind = "worktree"  // of a task
	Ref       Kind = "ref"       // of ferrus, below refs/ferrus
	Record    Kind = "record"    // what is kept of a project outside of it
	Temporary Kind = "temporary" // what a process left that was killed
)

// How long something is kept, that may be needed again.
const (
	KeepRefs    = 90 * 24 * time.Hour // commits of refs/ferrus
	KeepRecords = 30 * 24 * time.Hour // of a project that is gone: its disk may come back
	keepNew     = 24 * time.Hour      // what a process may just have made
)

// Item is one thing that can be freed.
type Item struct {
	Kind  Kind      `json:"kind"`
	Name  string    `json:"name"` // a path, or a ref
	Why   string    `json:"why"`
	Bytes int64     `json:"bytes"`
	Used  time.Time `json:"used"` // last

	free func(context.Context) error
}

// Options say where to look.
type Options struct {
	Lanes string // directory of the lanes of all projects; empty: none
	State string // directory of ferrus in your state directory; empty: none
	Temp  string // directory of temporary files; empty: none
	Now   time.Time
}

// Find lists what can be freed: of a project, if it is not nil, and of projects that are gone.
func Find(ctx context.Context, p *project.Task, o Options) (all []Item, err error) {
	if p != nil {
		if all, err = findInProject(ctx, p, o); err != nil {
			return nil, fmt.Errorf("find what can be freed: %w", err)
		}
	}
	all = append(all, findLanes(p, o)...)
	all = append(all, findRecords(o)...)
	return append(all, findTemporary(o)...), ctx.Err()
}

// Free frees items that were found, as far as they can still be. It returns what it freed.
func Free(ctx context.Context, p *project.Task, o Options, items []Item) (freed []Item, err error) {
	unlock, err := lock(o)
	if err != nil {
		return nil, err
	}
	defer unlock()
	now, err := Find(ctx, p, o)
	if err != nil {
		return nil, err
	}
	found := map[string]Item{}
	for _, item := range now {
		found[string(item.Kind)+" "+item.Name] = item
	}
	for _, item := range items {
		again, ok := found[string(item.Kind)+" "+item.Name]
		if !ok || ctx.Err() != nil {
			continue
		}
		if failed := again.free(ctx); failed != nil {
			err = errors.Join(err, fmt.Errorf("free %s: %w", item.Name, failed))
			continue
		}
		freed = append(freed, again)
	}
	return freed, errors.Join(err, ctx.Err())
}

// lock waits until no other process frees.
func lock(o Options) (unlock func(), err error) {
	if o.State == "" {
		return func() {}, nil
	}
	if err := os.MkdirAll(o.State, 0o700); err != nil {
		return nil, fmt.Errorf("free: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(o.State, "gc.lock"), os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("free: %w", err)
	}
	for {
		if err = unix.Flock(int(file.Fd()), unix.LOCK_EX); !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("free: %w", err)
	}
	return func() { file.Close() }, nil
}

// Sum returns the size of all items.
func Sum(items []Item) (bytes int64) {
	for _, item := range items {
		bytes += item.Bytes
	}
	return bytes
}

// Size words a number of bytes.
func Size(bytes int64) string {
	size, unit := float64(bytes), "B"
	for _, next := range []string{"KiB", "MiB", "GiB"} {
		if size < 1024 {
			break
		}
		size, unit = size/1024, next
	}
	if unit == "B" || size >= 10 {
		return fmt.Sprintf("%.0f %s", size, unit)
	}
	return fmt.Sprintf("%.1f %s", size, unit)
}
