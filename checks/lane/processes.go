package lane

import (
	"context"
	"fmt"
	"time"

	"ferrus/agent/process"
)

// endGrace is how long a process that a gate left behind has to end itself.
const endGrace = time.Second

// endProcesses ends every process that uses the lane: a command may have left one that
// cleared its environment and left its session.
func (l Lane) endProcesses(ctx context.Context) error {
	set := process.Set{Living: func() (process.Table, error) { return process.UsersOf(string(l)) }}
	if err := set.End(ctx, endGrace); err != nil {
		return fmt.Errorf("end what commands left running: %w", err)
	}
	return nil
}
