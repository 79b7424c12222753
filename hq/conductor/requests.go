package conductor

import (
	"slices"

	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/session"
	"ferrus/store"
)

// requests are the sessions that the human asked for. A request ends when its purpose is
// met (a task or a spec was written after it was made), when its session ends without an
// error, or with /stop.
type requests []core.Request

// contains reports whether the same request was made already.
func (q requests) contains(w core.Request) bool {
	return slices.ContainsFunc(q, func(old core.Request) bool { old.Since = w.Since; return old == w })
}

// has reports whether there is a request for a slot.
func (q requests) has(slot core.Slot) bool {
	return slices.ContainsFunc(q, func(w core.Request) bool { return w.Slot() == slot })
}

// add replaces the request of its slot.
func (q *requests) add(w core.Request) {
	*q = append(slices.DeleteFunc(*q, func(old core.Request) bool { return old.Slot() == w.Slot() }), w)
}

// drop ends the request that a job answers.
func (q *requests) drop(job core.Job) {
	if job.Want != nil {
		*q = slices.DeleteFunc(*q, func(w core.Request) bool { return w == *job.Want })
	}
}

// clearFulfilled ends the requests whose purpose is met according to the journal.
func (q *requests) clearFulfilled(journal []store.Entry) {
	*q = slices.DeleteFunc(*q, func(w core.Request) bool {
		return slices.ContainsFunc(journal, func(line store.Entry) bool {
			return int64(line.Seq) > w.Since && slices.Contains(fulfilledBy(w.Kind), line.Event)
		})
	})
}

// fulfilledBy returns the events that meet a request of a kind; none for sessions that last until
// they end.
func fulfilledBy(kind core.Mode) []string {
	switch kind {
	case core.ModeTask:
		return []string{string(core.KindCreateTask), string(core.KindQueueTask)}
	case core.ModeSpec:
		return []string{string(core.KindCreateSpec)}
	}
	return nil
}

// isAttended reports whether a human sits at sessions of a mode.
func isAttended(mode core.Mode) bool {
	switch mode {
	case core.ModePlan, core.ModeSpec, core.ModeTask, core.ModeFree:
		return true
	}
	return false
}

// recordedJob returns what a recorded session was started for.
func (q requests) recordedJob(e project.SessionRecord) session.Job {
	job := core.Job{Slot: e.Slot, Mode: e.Mode}
	if e.Mode == core.ModePhase { // it is the workflow's request, which is not among these
		job.Want = &core.Request{Kind: core.ModePhase, Text: e.Task}
	}
	for _, w := range q {
		if w.Slot() == e.Slot && w.Kind == e.Mode {
			job.Want = &w
		}
	}
	return session.Job{
		Job: job, Origin: e.Task, Agent: config.RoleConfig{Agent: e.AgentType, Model: e.Model},
		Interactive: e.Interactive, Attended: e.Interactive && isAttended(e.Mode),
	}
}
