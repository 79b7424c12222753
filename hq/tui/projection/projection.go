// Package projection turns what the conductor knows into what the screen shows.
//
// [Projector.Project] is a function of a [conductor.View] and the time; from frame to frame
// it recomputes only what has changed. Every text of an agent is sanitized here, except for
// documents and patches, which the screen sanitizes when it draws them. [Entry], [Refusal]
// and [Diff] do the same for what is read only when the human asks for it.
package projection

import (
	"slices"
	"time"

	"ferrus/hq/advice"
	"ferrus/hq/conductor"
	"ferrus/hq/conductor/journal"
	"ferrus/machine/task"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// newNotices bounds the notices that come between two frames.
const newNotices = 8

// Projector keeps what changes with the journal only, because a frame is drawn far more
// often than that. The zero Projector works.
type Projector struct {
	known      bool // the rest is of from
	from       source
	activity   []view.Entry // without what is between agents and ferrus alone
	timeline   []view.Entry
	task       string // where the task stands, and what is open
	documents  []view.Document
	alarms     view.Alarms
	reviewed   string // who decided about the newest submission
	raw, shown string // the question, and that as it is shown
}

// source tells whether the journal is another one.
type source struct {
	seq     uint64
	at      time.Time
	lines   int
	refused uint64
	flow    string // the workflow
	phases  int    // lines of its journal
}

// Project returns what the screen shows of v at now.
func (p *Projector) Project(v conductor.View, now time.Time) view.View {
	p.update(v, now)
	w := v.State.World
	out := view.View{
		Status: status(v, now), Panes: panes(v, now), Activity: p.activity, Check: check(v.Gate, now), Ask: p.ask(v),
		Inbox: slices.Concat(inbox(v), checkoutInbox(v), elsewhere(v), decisions(v), landings(v)),
		Tasks: tasks(v, now), Merges: merges(v, now), Hint: idleHint(v, now),
		StopOnExit: v.StopOnExit,
	}
	out.Explanation = explainPair(v.Pair) + explain(v, p.task, now)
	out.Documents, out.Timeline = p.documents, p.timeline
	out.Side = view.Side{Diff: w.State == task.Reviewing || w.State == task.Complete, Version: v.State.Seq}
	showAlarms(&out, p.alarms)
	out.Disabled = advice.Disabled(w, advice.Activity{Now: now, Gate: v.Gate.Running,
		Pair: v.Pair != nil && v.Pair.Running, Workflow: hasWorkflow(v) && !v.Workflow.Apart(),
		Answers: answers(v), Result: v.Result,
		Queued:   v.Selected != "" && v.Selected != ".",
		Reviewed: p.reviewed})
	if out.SendComments = sendingComments(w); out.SendComments == "" {
		out.Disabled["comments"] = commentsOff(w)
	}
	out.Resumable = v.Resumable()
	if len(v.Asking) > 0 {
		out.Asking = v.Asking[0].Number
	}
	if w.State == task.Reviewing && w.Submission != nil {
		out.Submission = w.Submission.Ticket
	}
	out.Spec = view.Spec{
		Last: text.Sanitize(v.Spec), Selected: text.Sanitize(w.SelectedSpec),
		Milestone: text.Sanitize(w.SelectedMilestone),
	}
	showWorkflow(&out.Status, v, now)
	if v.Pair != nil {
		showPair(&out.Status, v.Pair, now)
	}
	if out.Tasks.OtherSessions = v.OtherSessions; len(out.Tasks.Rows) > 0 {
		out.Status.Tasks = taskCounts(v)
	}
	out.Summary = summary(v, &out, now)
	for _, n := range v.Notices[max(len(v.Notices)-newNotices, 0):] {
		out.Notices = append(out.Notices, view.Notice{
			Number: n.Number, Text: text.Sanitize(n.Text), Error: n.Error, By: n.By,
		})
	}
	return out
}

// update computes what changes with the journal.
func (p *Projector) update(v conductor.View, now time.Time) {
	from := source{v.State.Seq, v.State.UpdatedAt, len(v.Journal), lastRefused(v), "", len(v.WorkflowJournal)}
	if v.Workflow != nil {
		from.flow = v.Workflow.ID
	}
	if p.known && from == p.from {
		return
	}
	p.known, p.from = true, from
	p.timeline, p.alarms = timeline(v, now.Location()), shownAlarms(v.State.World.OpenAlarms())
	markAlarms(p.timeline, p.alarms)
	p.activity = withPhases(slices.DeleteFunc(slices.Clone(p.timeline), isHandling), v, now.Location())
	p.task = advice.ExplainAt(v.State.World, timeOfDay(now))
	p.documents = documents(v)
	p.reviewed = text.Sanitize(journal.DescribeReview(v.Journal))
}
