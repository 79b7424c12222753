package conductor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ferrus/hq/core"
	"ferrus/machine"
)

// Start begins the session of one slot: it clears a hold, gives a slot that gave up
// a new machine, and ends the wait of one that cools down. Nothing is changed for a
// slot whose session lives, or that the task has no work for.
func (c *Conductor) Start(slot core.Slot) error {
	if err := c.startable(slot); err != nil {
		return err
	}
	if c.View().State.World.Hold != nil {
		if _, err := c.Do(context.Background(), core.Command{Kind: "resume"}); err != nil {
			return err
		}
	}
	c.ask(func() { c.revive(slot) })
	return nil
}

// startable says why a slot's session cannot begin.
func (c *Conductor) startable(slot core.Slot) error {
	if !slices.Contains(core.Slots, slot) {
		return fmt.Errorf("there is no slot %.40q: %s", slot, slotNames())
	}
	err := ErrClosed
	c.ask(func() {
		free := c.state.World
		free.Hold = nil
		going := core.Plan(free, c.workWants(), c.living(), c.unmanaged())
		s := c.slots[slot]
		switch {
		case s != nil && s.lives():
			err = fmt.Errorf("the %s runs already: /tell reaches it, /stop ends it", slot)
		case !slices.ContainsFunc(going.Start, func(j core.Job) bool { return j.Slot == slot }):
			err = fmt.Errorf("there is nothing for the %s to do: the task is %s", slot, free.State)
		default:
			err = nil
		}
	})
	return err
}

// roleOf is who plays a want; the name of its slot is on no pane.
func roleOf(w core.Request) machine.Role {
	if w.Slot() == core.SlotExecutor {
		return machine.Executor
	}
	return machine.Supervisor
}

func slotNames() string {
	var names []string
	for _, s := range core.Slots {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}
