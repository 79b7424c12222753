package projection

import (
	"time"

	"ferrus/hq/conductor"
	"ferrus/machine"
	"ferrus/machine/task"
	"ferrus/store"
	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// hasWorkflow reports whether a workflow is open.
func hasWorkflow(v conductor.View) bool { return v.Workflow != nil && !v.Workflow.IsFinal() }

// answers returns the events with which you can answer the open workflow.
func answers(v conductor.View) []machine.Kind {
	if !hasWorkflow(v) || v.Workflow.Need() == nil {
		return nil
	}
	return v.Workflow.Need().Answers
}

// showWorkflow puts the phase of the open workflow into the header: between its tasks instead of the
// state and the title, and else beside the task's.
func showWorkflow(s *view.Status, v conductor.View, now time.Time) {
	w := v.Workflow
	if !hasWorkflow(v) {
		return
	}
	s.Rounds = string(w.Type) + ": " + string(w.Phase)
	switch v.State.World.State {
	case "", task.Idle, task.Complete:
		s.State = phaseOf(string(w.Phase), w.Need() != nil)
		s.Title, s.Rounds = text.Sanitize(w.Title), string(w.Type)
		s.Checks, s.Reviews, s.Counter = "", "", ""
		s.Elapsed = minutes(now.Sub(w.CreatedAt))
	}
}

// phaseOf returns a phase as a state; needs says that it waits for the human.
func phaseOf(phase string, needs bool) view.State {
	s := view.State{Text: text.Sanitize(phase), Tone: style.Busy}
	if needs {
		s.Tone = style.Warn
	}
	return s
}

// workflowHint says where the open workflow is.
func workflowHint(v conductor.View) string {
	w := v.Workflow
	return "The " + string(w.Type) + " workflow is in " + string(w.Phase) + "; /workflow shows its page"
}

// withPhases puts the phase changes of the workflow among the entries of the task's journal, by their times.
func withPhases(entries []view.Entry, v conductor.View, zone *time.Location) []view.Entry {
	if v.Workflow == nil {
		return entries
	}
	at := map[uint64]time.Time{}
	for _, l := range v.Journal {
		at[l.Seq] = l.At
	}
	var out []view.Entry
	next := 0
	for _, l := range v.WorkflowJournal {
		if l.From == l.To {
			continue
		}
		for next < len(entries) && !at[entries[next].Seq].After(l.At) {
			out = append(out, entries[next])
			next++
		}
		out = append(out, phaseEntry(string(v.Workflow.Type), l, zone))
	}
	return append(out, entries[next:]...)
}

func phaseEntry(kind string, l store.Entry, zone *time.Location) view.Entry {
	at := l.At.In(zone)
	return view.Entry{
		At: at.Format("15:04"), Clock: at.Format(time.TimeOnly), Day: at.Format(dayFormat),
		Event: text.Sanitize(kind), By: roleOf(l.By), Tone: style.Good,
		From: phaseOf(l.From, false), To: phaseOf(l.To, false),
	}
}
