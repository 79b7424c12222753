package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Pack makes a pack of revisions, which are given as git rev-list reads them, a line each, and passes it to send. An
// error of send ends git.
func (g Git) Pack(ctx context.Context, revisions string, send func(pack io.Reader) error) error {
	env, remove, err := g.Environ()
	if err != nil {
		return fmt.Errorf("make a pack: %w", err)
	}
	defer remove()
	cmd := g.Command(ctx, "pack-objects", "--revs", "--stdout", "--thin", "--delta-base-offset", "-q")
	cmd.Env, cmd.Stdin = env, strings.NewReader(revisions)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return fmt.Errorf("make a pack: %w", err)
	}
	if err = send(out); err != nil {
		_ = cmd.Process.Kill() // it may have ended
	}
	return errors.Join(err, cmd.Wait())
}
