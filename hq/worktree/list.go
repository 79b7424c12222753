package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Found is a worktree that exists, completely or in part.
type Found struct {
	Place
	Files bool // its directory exists, and git knows it
	Named bool // its branch exists
}

// List returns every worktree of a project, sorted by id, including the rests that a
// crash or a manual removal left: a directory without a branch, or the reverse.
func List(ctx context.Context, project string) ([]Found, error) {
	all := map[string]*Found{}
	at := func(id string) *Found {
		p := Place{Project: project, ID: id}
		if p.check() != nil {
			return &Found{} // ferrus did not make it.
		}
		if all[id] == nil {
			all[id] = &Found{Place: p}
		}
		return all[id]
	}
	home, err := Place{Project: project, ID: "any"}.home()
	if err != nil {
		return nil, fmt.Errorf("list the worktrees: %w", err)
	}
	entries, err := os.ReadDir(filepath.Join(project, ".ferrus", Folder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list the worktrees: %w", err)
	}
	for _, entry := range entries {
		f := at(entry.Name())
		_, f.Files, _ = f.Place.tree() // One that cannot be read exists in part.
	}
	refs, err := home.Git().Output(ctx, "for-each-ref", "--format=%(refname) %(worktreepath)",
		"refs/heads/"+branches+"t-*", "refs/heads/"+branches+"w-*")
	if err != nil {
		return nil, fmt.Errorf("list the worktrees: %w", err)
	}
	for line := range strings.Lines(refs) {
		ref, where, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
		id := strings.TrimPrefix(ref, "refs/heads/"+branches)
		if p := (Place{Project: project, ID: id}); where == p.Top() || where == "" && !strings.HasPrefix(id, "w-") {
			// A workflow without a worktree publishes a branch of such a name.
			at(id).Named = true
		}
	}
	var list []Found
	for _, f := range all {
		list = append(list, *f)
	}
	slices.SortFunc(list, func(a, b Found) int { return strings.Compare(a.ID, b.ID) })
	return list, nil
}
