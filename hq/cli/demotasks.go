package cli

import (
	"context"

	"ferrus/hq/demo"
	"ferrus/hq/project"
	"ferrus/hq/queue"
)

// addTasks adds the demo's tasks to the queue, unless they are there already. It reports whether the
// demo has several tasks, even if it is continued.
func (d *demonstration) addTasks(ctx context.Context, pr *project.Task) (several bool, err error) {
	rows, err := queueRows(pr)
	if err != nil || apart(rows) {
		return err == nil, err
	}
	cfg, err := pr.Config()
	switch {
	case err != nil || d.tasks == 0:
		return false, err
	case !cfg.HQ.Worktree() || !cfg.Merge.Auto:
		return false, failure(d.dir+" contains a demo with one task", "use another directory")
	case len(rows) > 0:
		return true, nil // all of them have landed
	}
	all, err := queue.ParseFile(demo.Tasks(d.tasks))
	if err != nil {
		return false, err
	}
	_, err = addTo(ctx, pr, given(all))
	return err == nil, err
}
