package conductor

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/store"
)

// registry writes agents.json: what the next conductor must know if this one dies.
type registry struct {
	*observed
	slots slots
	wants requests
	saved string // as it was last written
}

// save writes the registry when it differs from what is on the disk. Its error is
// known to the human then, and the disk is tried again.
func (r *registry) save() error {
	now := project.Registry{Wants: r.wants}
	for _, name := range core.Slots {
		if e := r.slots[name].Record(); e.Session != "" {
			now.Agents = append(now.Agents, e)
		}
	}
	data, err := json.Marshal(now)
	if err != nil {
		return err // cannot be: the registry is plain data
	}
	if string(data) == r.saved {
		return r.unwritable()
	}
	if err := r.project.SaveRegistry(now); err != nil {
		r.reportError(err)
		return cmp.Or(r.unwritable(), err)
	}
	r.saved, r.writeError = string(data), nil
	return nil
}

// unwritable returns why the disk takes nothing; nil: it did, when it was tried last.
func (r *registry) unwritable() error {
	if r.writeError == nil {
		return nil
	}
	return errors.New(r.fault())
}

// requests are the sessions that the human asked for. One ends when its purpose is
// met (a task or a spec was written after it was asked for), when its session has
// ended other than by an error, or with /stop.
type requests []core.Request

// contains reports whether the same is asked for already.
func (q requests) contains(w core.Request) bool {
	return slices.ContainsFunc(q, func(old core.Request) bool { old.Since = w.Since; return old == w })
}

// has reports whether something is asked for of a slot.
func (q requests) has(slot core.Slot) bool {
	return slices.ContainsFunc(q, func(w core.Request) bool { return w.Slot() == slot })
}

// add puts a request in the place of what its slot was asked for before.
func (q *requests) add(w core.Request) {
	*q = append(slices.DeleteFunc(*q, func(old core.Request) bool { return old.Slot() == w.Slot() }), w)
}

// drop ends the request that a session was for.
func (q *requests) drop(job core.Job) {
	if job.Want != nil {
		*q = slices.DeleteFunc(*q, func(w core.Request) bool { return w == *job.Want })
	}
}

// clearFulfilled ends the requests whose purpose the journal shows to be met.
func (q *requests) clearFulfilled(journal []store.Entry) {
	*q = slices.DeleteFunc(*q, func(w core.Request) bool {
		return slices.ContainsFunc(journal, func(line store.Entry) bool {
			return int64(line.Seq) > w.Since && line.Event == fulfilledBy(w.Kind)
		})
	})
}

// fulfilledBy is the event that meets a request of a kind; none for sessions that are
// an end in themselves.
func fulfilledBy(kind core.Mode) string {
	switch kind {
	case core.ModeTask:
		return string(core.KindCreateTask)
	case core.ModeSpec:
		return string(core.KindCreateSpec)
	}
	return "-"
}
