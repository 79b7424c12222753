package land

import (
	"context"
	"strings"
)

// ticked reports that all that changed since the approval is the box of the
// milestone that the task came from, which ferrus ticked.
func (l *landing) ticked(ctx context.Context, tree string) (bool, error) {
	if !l.w.TaskTicked {
		return false, nil
	}
	files, err := l.project.Work(l.w).Patch(ctx, l.w.Submission.Tree, tree)
	if err != nil || len(files) != 1 || files[0].Path != l.w.TaskSpec {
		return false, err
	}
	var was, is []string
	for line := range strings.Lines(files[0].Patch) {
		switch {
		case strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "+++ "):
		case strings.HasPrefix(line, "-"):
			was = append(was, line[1:])
		case strings.HasPrefix(line, "+"):
			is = append(is, line[1:])
		}
	}
	return len(was) == 1 && len(is) == 1 && strings.Replace(was[0], "- [ ] #", "- [x] #", 1) == is[0], nil
}
