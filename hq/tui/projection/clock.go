package projection

import (
	"time"

	"ferrus/hq/conductor"
	"ferrus/machine/session"
)

// countdownEnd is the length of the last part of a countdown, which is shown by the
// second.
const countdownEnd = time.Minute

// NextTick returns how long what is shown at now stays right if nothing happens, or 0 if no
// clock moves. Durations of sessions and tasks are shown by the minute, a countdown by the second
// only at its end, and a gate that runs by the second.
func NextTick(v conductor.View, now time.Time) time.Duration {
	var next clock
	if v.Gate.Running && (v.Gate.Ahead == 0 || len(v.Gate.Setup) > 0) {
		next.add(time.Second - now.Sub(v.Gate.Started)%time.Second)
	}
	if v.StateError == "" && isOpen(v.State.World.State) {
		if created, ok := createdAt(v); ok {
			next.minute(now.Sub(created))
		}
	}
	if v.Pair != nil && v.Pair.Running {
		next.minute(now.Sub(v.Pair.Began))
	}
	for _, p := range v.Panes {
		switch {
		case p.State == session.CoolingDown:
			next.countdown(p.Until.Sub(now))
		case p.Lives():
			next.minute(now.Sub(p.Since))
		}
	}
	return time.Duration(next)
}

// clock is the time until the first of several changes; 0: there is none.
type clock time.Duration

func (c *clock) add(left time.Duration) {
	if *c == 0 || left < time.Duration(*c) {
		*c = clock(left)
	}
}

// minute adds the next change of a duration by the minute.
func (c *clock) minute(past time.Duration) { c.add(time.Minute - max(past, 0)%time.Minute) }

// countdown adds the next change of what is left of a wait: a little after the whole minute or
// second, because both are rounded up.
func (c *clock) countdown(left time.Duration) {
	const margin = time.Millisecond
	switch {
	case left <= 0: // what waits for its end says that it has come
	case left <= countdownEnd:
		c.add((left-1)%time.Second + margin)
	default:
		c.add((left-1)%time.Minute + margin)
	}
}
