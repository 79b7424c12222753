package worker

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// keptTips is how many of your commits are kept although no task is based on them: then the next task
// needs little more than the commits after one of them.
const keptTips = 4

// maxPacks is how many packs the repository may have before they are made one.
const maxPacks = 50

// keepObjects is how old an object that nothing needs becomes: what was just received has no reference yet.
const keepObjects = "2.weeks.ago"

// collect removes the references that no workspace and no gate needs any more, and what only they kept.
// What cannot be removed only takes disk space, and the end of the next task tries again. The caller
// holds placing.
func (h *home) collect(ctx context.Context) error {
	g := h.git()
	const format = "--format=%(objectname) %(authoremail) %(refname)"
	out, err := g.Output(ctx, "for-each-ref", "--sort=-committerdate", format, "refs/ferrus")
	if err != nil {
		return err
	}
	used, working := h.needed()
	yours := 0
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) != 3 {
			continue
		}
		task, isWork := strings.CutPrefix(fields[2], workRefs)
		keep := isWork && working[task] || used[fields[0]]
		if !isWork && !keep && fields[1] != "<ferrus@localhost>" { // not only on the way
			yours++
			keep = yours <= keptTips
		}
		if !keep {
			err = errors.Join(err, g.Do(ctx, "update-ref", "-d", fields[2], fields[0]))
		}
	}
	packs, _ := filepath.Glob(filepath.Join(h.dir, ".git", "objects", "pack", "*.pack")) // the pattern is right
	if err != nil || len(packs) <= maxPacks {
		return err
	}
	err = g.Do(ctx, "repack", "-A", "-d", "-q", "--unpack-unreachable="+keepObjects)
	return errors.Join(err, g.Do(ctx, "prune", "--expire="+keepObjects))
}

// needed returns the commits that workspaces and gates need, and the tasks that have a workspace.
func (h *home) needed() (commits, tasks map[string]bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	commits, tasks = map[string]bool{}, map[string]bool{}
	for task, a := range h.attempts {
		if a.Commit != "" {
			commits[a.Commit], tasks[task] = true, true
		}
	}
	for _, g := range h.gates {
		commits[g.commit], commits[g.base] = true, true
	}
	return commits, tasks
}

// kept returns the tasks that have a workspace here.
func (h *home) kept() []string {
	_, tasks := h.needed()
	return slices.Sorted(maps.Keys(tasks))
}
