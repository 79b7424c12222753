package land

import (
	"context"
	"strings"

	"ferrus/checks"
	"ferrus/checks/git"
	"ferrus/hq/spec"
)

// tick returns a tree with the box of a milestone ticked, so that the checks see it and the commit has
// it. Where the tree has no such box, or there is no milestone, it is the same.
func tick(ctx context.Context, repo checks.Repo, specification, milestone, tree string) (string, error) {
	if specification == "" || milestone == "" {
		return tree, nil
	}
	below, err := repo.Prefix(ctx)
	if err != nil {
		return "", err
	}
	files, err := repo.List(ctx, tree)
	if err != nil {
		return "", err
	}
	for _, e := range files {
		if e.Path != below+specification || e.Mode != git.ModeFile && e.Mode != git.ModeExecutable {
			continue
		}
		text, err := repo.Content(ctx, tree, e.Path, spec.MaxBytes+1)
		if err != nil {
			return "", err
		}
		ticked, ok := spec.Ticked(specification, text, milestone)
		if !ok {
			return tree, nil
		}
		return repo.Edit(ctx, tree, []checks.Edit{{Path: e.Path, Mode: e.Mode, Content: []byte(ticked)}})
	}
	return tree, nil
}

// ticked reports whether the only change since the approval is the box of the
// task's milestone, which ferrus ticked.
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
