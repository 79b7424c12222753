package checks

import (
	"context"
	"fmt"
	"os"
)

// Union merges three texts by keeping the lines of both sides where they differ: what is there, what both
// began with, and what was made of that.
func (r Repo) Union(ctx context.Context, sides [3]string) (text string, err error) {
	p, err := r.open(ctx)
	if err != nil {
		return "", fmt.Errorf("merge: %w", err)
	}
	defer p.close()
	args := []string{"merge-file", "-p", "-q", "--union"}
	for i, name := range []string{"union.branch", "union.base", "union.work"} {
		if err := os.WriteFile(p.file(name), []byte(sides[i]), 0o600); err != nil {
			return "", fmt.Errorf("merge: %w", err)
		}
		defer os.Remove(p.file(name))
		args = append(args, p.file(name))
	}
	text, _, err = p.ownGit().Run(ctx, nil, args...)
	return text, err
}
