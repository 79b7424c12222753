package lane

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"ferrus/agent/process"
)

// endGrace is how long a process that a gate left behind has to exit.
const endGrace = time.Second

// EndProcesses ends every process that uses the lane, if there is one: a command may have left one that
// cleared its environment and left its session.
func (l Lane) EndProcesses(ctx context.Context) error { return l.endSince(ctx, process.Time{}) }

// endSince is EndProcesses for what started at a time or later.
func (l Lane) endSince(ctx context.Context, since process.Time) error {
	if err := process.EndUsers(ctx, string(l), since, endGrace); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("end what commands left running: %w", err)
	}
	return nil
}
