package project

import (
	"time"

	"ferrus/agent/process"
)

// Wait is a deadline with its length, and when it began by the clock that nobody
// sets: a clock that is set back or forth changes nothing within one boot, and
// after another lengthens nothing.
type Wait struct {
	Until  time.Time     `json:"until"`
	Length time.Duration `json:"length"`         // in nanoseconds
	Boot   string        `json:"boot,omitempty"` // of the machine; empty: it was not to be known
	Began  time.Duration `json:"began,omitempty"`
	// Why is a vendor's sentence about its limit; empty: the wait is after an error.
	Why string `json:"why,omitempty"`
	// Guessed is a limit of which the vendor does not say when it ends.
	Guessed bool `json:"guessed,omitempty"`
}

// Clock is a moment by both clocks.
type Clock struct {
	Now  time.Time
	Boot string        // empty: what follows is not known
	Up   time.Duration // since the machine was booted, with the time it slept
}

// ReadClock is the present moment.
func ReadClock() Clock {
	c := Clock{Now: time.Now()}
	if up, boot, ok := process.Uptime(); ok {
		c.Boot, c.Up = boot, up
	}
	return c
}

// Wait is one that begins now.
func (c Clock) Wait(length time.Duration) Wait {
	return Wait{Until: c.Now.Add(length).UTC().Round(0), Length: length, Boot: c.Boot, Began: c.Up}
}

// Left is how much of the wait is to come.
func (w Wait) Left(c Clock) time.Duration {
	left := w.Until.Sub(c.Now)
	if w.Boot != "" && w.Boot == c.Boot {
		left = w.Length - (c.Up - w.Began)
	}
	return min(max(left, 0), w.Length)
}

// End is when the wait is over, by the clock on the wall as it goes now.
func (w Wait) End(c Clock) time.Time {
	end := c.Now.Add(w.Left(c))
	if off := end.Sub(w.Until); off.Abs() < 2*time.Second { // nobody has set it: then the end does not move
		return w.Until
	}
	return end.Round(0)
}
