package worker

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"ferrus/checks/git"
)

// makeRepository makes the repository of a home, unless it is there.
func makeRepository(ctx context.Context, dir string) error {
	_, err := os.Stat(filepath.Join(dir, ".git"))
	if errors.Is(err, fs.ErrNotExist) {
		err = git.In(dir).Do(ctx, "init", "--quiet", "--initial-branch=main", ".")
	}
	return err
}

// git works on the repository of the home. Agents work below it, so it gets ferrus's own
// configuration.
func (h *home) git() git.Git { return git.Around(h.dir) }
