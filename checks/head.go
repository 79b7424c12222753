package checks

import "context"

// Head returns the commit that is checked out; empty before the first one.
func (r Repo) Head(ctx context.Context) string {
	l, err := r.locate()
	if err != nil {
		return ""
	}
	_, commit, _, _ := l.Present(ctx) // Without a commit there is none to name.
	return commit
}
