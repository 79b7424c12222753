package gate

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
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

// minBeat bounds how often a wait calls its beat.
const minBeat = 100 * time.Millisecond

// Waiting says how to wait for a gate. The zero value waits without end.
type Waiting struct {
	Until    time.Time          // zero: without end
	Every    time.Duration      // how often Beat is called, about
	Beat     func()             // renews what must not lapse while it is waited; nil: nothing
	Progress func(lines string) // gets the newest lines of output as they change; nil: nothing is reported
	// Failed is called when another runner starts because one ended without a verdict, with a sentence that says so
	// and why, unless it is the last one again. nil: nothing is reported.
	Failed func(sentence string)
}

// Wait returns when the ticket has its verdict or no longer runs (done), at the time
// limit with what is known, or with the error of ctx. It makes sure that a runner has
// the gate.
func Wait(ctx context.Context, p *project.Task, ticket uint64, w Waiting) (state store.State[core.World],
	done bool, err error) {
	limited, cancel := ctx, context.CancelFunc(func() {})
	if !w.Until.IsZero() {
		limited, cancel = context.WithDeadline(ctx, w.Until)
	}
	defer cancel()
	every := lookEvery
	if w.Beat != nil {
		every = min(every, max(w.Every, minBeat))
	}
	shown, beat := "", time.Now()
	reported, heard, starts := "", int64(0), 0
	if w.Failed != nil {
		_, heard = wordsSince(p, 0)
	}
	for err := range looks(limited, p, every) {
		if err == nil {
			state, err = p.World()
		}
		if err != nil || !runs(state.World, ticket) {
			return state, err == nil, err
		}
		started, err := ensure(p)
		if err != nil {
			return state, false, err
		}
		if started {
			starts++
		}
		if started && starts > 1 && w.Failed != nil {
			var words string
			words, heard = wordsSince(p, heard)
			if now := failedSentence(p, words); now != "" && now != reported {
				w.Failed(now)
				reported = now
			}
		}
		if w.Beat != nil && time.Since(beat) >= w.Every {
			w.Beat()
			beat = time.Now()
		}
		if w.Progress != nil {
			if lines := LastLines(p, ticket, progressLines); lines != shown && lines != "" {
				w.Progress(lines)
				shown = lines
			}
		}
	}
	return state, false, ctx.Err()
}

// looks yields when it is time to look at the state: at once, after each notice of a
// change, there or in more directories, and every so often in case that one was missed, until ctx ends. The first time
// it yields the error of the watch, if there is one.
func looks(ctx context.Context, p *project.Task, every time.Duration, also ...string) iter.Seq[error] {
	return func(yield func(error) bool) {
		notices, err := p.Store.Watch(ctx, also...)
		ticks := time.NewTicker(every)
		defer ticks.Stop()
		for more := yield(err); more; more = yield(nil) {
			select {
			case <-ctx.Done():
				return
			case <-notices:
			case <-ticks.C:
			}
		}
	}
}

// LastLines returns the newest lines that the commands of a running gate wrote, as
// plain text; none while something else runs, such as the checks on the base.
func LastLines(p *project.Task, ticket uint64, n int) string {
	now, ok := runsNow(p)
	if !ok || now.Ticket != ticket {
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

// runsNow returns what runs for a task, in whichever lane.
func runsNow(p *project.Task) (now marked, ok bool) {
	for n := range lanes(p) {
		data, err := p.Files.ReadFile(laneFile(n))
		if now = (marked{}); err == nil && json.Unmarshal(data, &now) == nil && now.Of == p.ID {
			return now, true
		}
	}
	return now, false
}
