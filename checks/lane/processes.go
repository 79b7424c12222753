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
	if err := process.EndUsers(ctx, string(l), endGrace); err != nil {
		return fmt.Errorf("end what commands left running: %w", err)
	}
	return nil
}
