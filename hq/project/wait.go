package project

import (
	"time"

	"ferrus/agent/process"
)

// Wait is a deadline, kept together with its length and its start by the clock of the
// boot, which is never set. Setting the wall clock changes nothing within one boot, and
// after a reboot cannot make the wait longer than Length.
type Wait struct {
	Until  time.Time     `json:"until"`
	Length time.Duration `json:"length"`          // in nanoseconds
	Boot   string        `json:"boot,omitempty"`  // id of the boot; empty: unknown
	Began  time.Duration `json:"began,omitempty"` // since the boot
	// Why is a vendor's sentence about its limit; empty: the wait is after an error.
	Why string `json:"why,omitempty"`
	// Guessed says that the vendor does not say when its limit ends.
	Guessed bool `json:"guessed,omitempty"`
}

// Clock is a time by both clocks.
type Clock struct {
	Now  time.Time
	Boot string        // empty: Up is unknown
	Up   time.Duration // since the machine was booted, with the time it slept
}

// ReadClock returns the present time.
func ReadClock() Clock {
	c := Clock{Now: time.Now()}
	if up, boot, ok := process.Uptime(); ok {
		c.Boot, c.Up = boot, up
	}
	return c
}

// Wait returns a wait that starts now.
func (c Clock) Wait(length time.Duration) Wait {
	return Wait{Until: c.Now.Add(length).UTC().Round(0), Length: length, Boot: c.Boot, Began: c.Up}
}

// Left returns how much of the wait is left, at least 0.
func (w Wait) Left(c Clock) time.Duration {
	left := w.Until.Sub(c.Now)
	if w.Boot != "" && w.Boot == c.Boot {
		left = w.Length - (c.Up - w.Began)
	}
	return min(max(left, 0), w.Length)
}

// End returns when the wait ends, by the present wall clock.
func (w Wait) End(c Clock) time.Time {
	end := c.Now.Add(w.Left(c))
	if off := end.Sub(w.Until); off.Abs() < 2*time.Second { // the clock was not set: then the end does not move
		return w.Until
	}
	return end.Round(0)
}
