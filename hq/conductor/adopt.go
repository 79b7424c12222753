package conductor

import (
	"context"
	"path/filepath"

	"ferrus/hq/adopt"
	"ferrus/hq/queue"
)

// LookAt returns what work that you began by hand is in a directory, which may be relative to the project.
func (c *Conductor) LookAt(ctx context.Context, dir string, o adopt.Options) (adopt.Found, error) {
	return adopt.Inspect(ctx, c.project, c.fromProject(dir), o)
}

// AdoptFrom queues a task that continues the work in a directory.
func (c *Conductor) AdoptFrom(ctx context.Context, dir string, o adopt.Options, text string) (queue.Item, error) {
	return adopt.Adopt(ctx, c.project, c.fromProject(dir), o, text)
}

// fromProject returns a path that is meant from the project directory.
func (c *Conductor) fromProject(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(c.project.Dir, path)
}
