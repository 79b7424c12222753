package checks

import (
	"context"
	"fmt"

	"ferrus/checks/git"
)

// Hold returns the repository for several questions at once, which cost one opening instead of one each. Other
// processes that use its directory wait until release is called.
func (r Repo) Hold(ctx context.Context) (held Repo, release func(), err error) {
	p, err := r.open(ctx)
	if err != nil {
		return r, func() {}, err
	}
	if p.kept { // by the caller's caller
		return r, func() {}, nil
	}
	p.kept, r.held = true, p
	return r, func() { p.lock.Close() }, nil
}

// StartLines starts what [Repo.Lines] does, of a repository that is held: read calls f with every line, once. Call
// stop in any case.
func (r Repo) StartLines(ctx context.Context, a, b string) (read func(f func(LineChange)) error, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var out *git.Stream
	p, err := r.openFor(ctx, a, b)
	if err == nil {
		defer p.close()
		out, err = p.startPatch(ctx, "-U0", a, b)
	}
	read = func(f func(LineChange)) error {
		if err == nil {
			err = readPatch(out, func(line patchLine) { line.eachChange(f) })
			out = nil
		}
		if err != nil {
			return fmt.Errorf("compare trees: %w", err)
		}
		return nil
	}
	return read, func() {
		cancel()
		if out != nil {
			_ = out.Close() // it was not wanted
		}
	}
}
