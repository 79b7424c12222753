package conductor

import (
	"fmt"
	"slices"

	"ferrus/hq/core"
)

// SwitchScreen continues the session of a slot on its program's own screen or, if it is on that screen,
// without it: the program ends, and another process continues the conversation. Later sessions of the
// slot stay as you chose. It returns a sentence, or an error if there is no such session, or its program
// cannot continue one.
func (c *Conductor) SwitchScreen(slot core.Slot) (words string, err error) {
	if !slices.Contains(core.Slots, slot) {
		return "", fmt.Errorf("unknown slot %.40q; use one of: %s", slot, core.SlotNames())
	}
	err = ErrClosed
	c.loop.Ask(func() {
		if err = c.switchable(slot); err != nil {
			return
		}
		own := !c.slots[slot].Job().Interactive
		c.jobs.ownScreen[slot] = own
		wanted := c.slots[slot].Wanted() // while it waits for an answer, it is not started again
		c.slots[slot].Reopen()
		words = c.local.ScreenWords(c.slots[slot].Record(), own)
		if !wanted {
			words += " once its question is answered"
		}
	})
	return words, err
}

// switchable returns why the session of a slot cannot change its screen.
func (c *Conductor) switchable(slot core.Slot) error {
	r := c.slots[slot]
	switch job := r.Job(); {
	case c.options.Headless:
		return fmt.Errorf("sessions have their own screens only in HQ")
	case !r.Interruptible():
		return fmt.Errorf("the %s has no running session", slot)
	case job.Attended:
		return fmt.Errorf("the %s already has its own screen; type into it", slot)
	default:
		return c.local.Continuable(r.Record(), job.Workspace)
	}
}
