package tui

import (
	"strings"

	"ferrus/hq/advice"
	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/spec"
	"ferrus/machine/pair"
	"ferrus/machine/session"
	"ferrus/machine/task"
	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// maxAsked bounds a question on the screen; the whole is in QUESTION.md.
const maxAsked = 16 << 10

// ask is the question that waits for an answer, else the consultation.
func (p *projector) ask(v conductor.View) *view.Ask {
	w := v.State.World
	switch {
	case v.StateError != "":
	case w.State == task.AwaitingHuman && w.Question != nil && !w.Question.Answered:
		return &view.Ask{Kind: view.Question, Ticket: w.Question.Ticket, Who: advice.Asker(*w.Question), Text: p.text(v.Texts.Question)}
	case w.State == task.Consultation && w.Consult != nil && !w.Consult.Answered:
		return &view.Ask{Kind: view.Consultation, Ticket: w.Consult.Ticket, Who: "executor", Text: p.text(v.Texts.Consult)}
	}
	return nil
}

// text is a question as it is shown.
func (p *projector) text(raw string) string {
	if p.asked[0] != raw {
		shown := text.SanitizeLines(raw[:min(len(raw), maxAsked)])
		if len(raw) > maxAsked {
			shown += " ... (the whole is in .ferrus)"
		}
		p.asked = [2]string{raw, strings.TrimSpace(shown)}
	}
	return p.asked[1]
}

// facts are what the inbox needs beside the World.
func facts(v conductor.View) advice.InboxFacts {
	f := advice.InboxFacts{Problem: v.StateError, Config: v.ConfigError, Question: v.Texts.Question, Consult: v.Texts.Consult, Untrusted: v.Gate.Untrusted}
	if v.Workflow != nil {
		f.Workflow = v.Workflow.Need()
	}
	for _, p := range v.Panes {
		if p.State == session.Stopped && p.Errors > 0 && !p.Stopping {
			f.Stopped = append(f.Stopped, advice.StoppedSession{Slot: p.Slot, Number: p.Session, Errors: p.TotalErrors, Exit: p.Exit, Since: p.Since})
		}
	}
	return f
}

// needs is what waits for the person, most urgent first.
func needs(v conductor.View) (out []view.InboxItem) {
	for _, i := range advice.Inbox(v.State.World, facts(v)) {
		n := view.InboxItem{ID: text.Sanitize(i.ID), Kind: string(i.Kind), Text: text.Sanitize(i.Text), Hint: text.Sanitize(i.Do), Tone: style.Warn, Delegated: i.Delegated, Type: text.Sanitize(i.Type)}
		switch i.Kind {
		case advice.ItemProblem, advice.ItemFailure, advice.ItemConfig:
			n.Tone = style.Bad
		case advice.ItemSession:
			n.Tone, n.Pane = style.Bad, places[i.Slot].number
		case advice.ItemQuestion, advice.ItemConsultation:
			n.Ask, n.Pane = true, places[i.Slot].number
		}
		if i.Delegated {
			n.Tone = style.Busy
		}
		out = append(out, n)
	}
	return out
}

// idleHint returns what you can do while nothing needs you.
func idleHint(v conductor.View) string {
	switch w := v.State.World; {
	case v.Pair != nil && v.Pair.Running:
		return "a pair works: /tell primary <text> reaches its next turn, /stop ends it and keeps the run"
	case v.Pair != nil && v.Pair.State == pair.StateComplete:
		return "the pair is done: /pair or /task begins the next one"
	case w.State == task.Complete && w.SelectedMilestone != "":
		return "complete: " + landHint(w) + "/task begins the next one " + milestoneHint(w)
	case w.State == task.Complete:
		return "complete: " + landHint(w) + "/task begins the next one"
	case w.State == task.Reviewing:
		return "with the reviewer; /approve and /reject are yours, too"
	case (w.State == task.Idle || w.State == "") && w.SelectedMilestone != "":
		return "no task yet: /task begins one " + milestoneHint(w)
	case w.State == task.Idle || w.State == "":
		return "no task yet: /task <what you want> begins one, F1 helps"
	}
	return ""
}

// milestoneHint names what the next task comes from.
func milestoneHint(w core.World) string {
	return "from " + text.Sanitize(w.SelectedMilestone+" of "+spec.Name(w.SelectedSpec))
}

// landHint returns what to do with approved work that is not on its branch yet.
func landHint(w core.World) string {
	if w.Task == nil || w.Task.Landed != nil {
		return ""
	}
	return "/land brings it home, "
}
