package conductor

import (
	"slices"

	"ferrus/hq/core"
)

// A want ends when its purpose is met (a task or a spec was written after it was
// asked for), when its session has ended other than by an error, or with /stop.

// meetWants drops the wants whose purpose the journal shows to be met.
func (c *Conductor) meetWants() {
	c.wants = slices.DeleteFunc(c.wants, func(w core.Request) bool {
		for _, line := range c.journal {
			if int64(line.Seq) > w.Since && line.Event == met(w.Kind) {
				return true
			}
		}
		return false
	})
}

// met is the event that meets a want of a kind; none for sessions that are an
// end in themselves.
func met(kind core.Mode) string {
	switch kind {
	case core.ModeTask:
		return "create_task"
	case core.ModeSpec:
		return "create_spec"
	}
	return "-"
}

// meet drops the want that a reaped session was for.
func (c *Conductor) meet(job core.Job) {
	if job.Want != nil {
		c.wants = slices.DeleteFunc(c.wants, func(w core.Request) bool { return w == *job.Want })
	}
}

func (c *Conductor) dropWants(slot core.Slot) {
	c.wants = slices.DeleteFunc(c.wants, func(w core.Request) bool { return w.Slot() == slot })
}
