package worker

import (
	"context"
	"time"

	"ferrus/hq/wire"
)

// turnPeriod is how soon home hears that a turn has ended.
const turnPeriod = time.Second

// reportTurns reports when the program of a session on its own screen has ended its turn, and when the next one runs,
// until the session ends. Ended returns when the turn ended; zero: it runs.
func (t *tools) reportTurns(ended func() time.Time) {
	followTurns(t.ctx, ended, turnPeriod, func(runs bool) error {
		var body []byte
		if runs {
			body = []byte{1}
		}
		return t.channel.Send(t.ctx, message(wire.ToolsTurn, 0, body))
	})
}

// followTurns calls report for each turn that ends, and for each that runs after it, until that fails or ctx is done.
func followTurns(ctx context.Context, ended func() time.Time, period time.Duration, report func(runs bool) error) {
	tick := time.NewTicker(period)
	defer tick.Stop()
	for last := (time.Time{}); ; {
		if now := ended(); !now.Equal(last) {
			if last = now; report(now.IsZero()) != nil {
				return
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
