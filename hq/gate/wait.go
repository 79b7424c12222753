package gate

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/store"
	"ferrus/ui/text"
)

// What of a running gate's output is shown.
const (
	progressLines = 10
	tailBytes     = 32 << 10
)

// Wait returns when the ticket has its verdict, or is no longer the one that
// runs (done), or after wait with what is known. It sees to it that somebody runs
// the gate. Progress, if not nil, gets the newest lines of output as they change.
func Wait(ctx context.Context, p *project.Project, ticket uint64, wait time.Duration, progress func(lines string)) (state store.State[core.World], done bool, err error) {
	limited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	notices, err := p.Store.Watch(limited)
	if err != nil {
		return state, false, err
	}
	ticks := time.NewTicker(lookEvery)
	defer ticks.Stop()
	shown := ""
	for {
		if state, err = p.World(); err != nil || !runs(state.World, ticket) {
			return state, err == nil, err
		}
		if err := Ensure(p); err != nil {
			return state, false, err
		}
		if progress != nil {
			if lines := LastLines(p, progressLines); lines != shown && lines != "" {
				progress(lines)
				shown = lines
			}
		}
		select {
		case <-limited.Done():
			return state, false, ctx.Err()
		case <-notices:
		case <-ticks.C:
		}
	}
}

// LastLines are the newest lines that the running gate's commands wrote, as
// plain text.
func LastLines(p *project.Project, n int) string {
	var now running
	data, err := p.Store.ReadFile(runningName)
	if err != nil || json.Unmarshal(data, &now) != nil {
		return ""
	}
	end, more, err := p.Store.Tail(now.Log, tailBytes)
	if err != nil {
		return ""
	}
	if _, rest, ok := bytes.Cut(end, []byte("\n")); ok && more {
		end = rest
	}
	lines := strings.Split(strings.TrimRight(string(end), "\n"), "\n")
	lines = lines[max(0, len(lines)-n):]
	for i, line := range lines {
		lines[i] = text.Output(line)
	}
	return strings.Join(lines, "\n")
}
