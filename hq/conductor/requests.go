package conductor

import (
	"slices"

	"ferrus/hq/core"
	"ferrus/store"
)

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
func (q *requests) clearFulfilled(journal []store.Line) {
	*q = slices.DeleteFunc(*q, func(w core.Request) bool {
		return slices.ContainsFunc(journal, func(line store.Line) bool {
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
