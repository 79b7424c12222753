package tui

import (
	"strings"
	"time"

	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/spec"
	"ferrus/machine"
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
		return &view.Ask{Kind: view.Question, Ticket: w.Question.Ticket, Who: w.Question.Asker(), Text: p.text(v.Texts.Question)}
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
func facts(v conductor.View) core.InboxFacts {
	f := core.InboxFacts{Problem: v.StateError, Config: v.ConfigError, Question: v.Texts.Question, Consult: v.Texts.Consult, Untrusted: v.Gate.Untrusted}
	if v.Workflow != nil {
		f.Workflow = v.Workflow.Need()
	}
	for _, p := range v.Panes {
		if p.State == session.Stopped && p.Errors > 0 && !p.Stopping {
			f.Stopped = append(f.Stopped, core.StoppedSession{Slot: p.Slot, Number: p.Session, Errors: p.TotalErrors, Exit: p.Exit, Since: p.Since})
		}
	}
	return f
}

// answers are what Enter on a need puts at the prompt.
var answers = map[core.InboxKind]string{core.ItemApproval: "/approve ", core.ItemTrust: "/trust", core.ItemHold: "/resume", core.ItemLimit: "/resume", core.ItemFailure: "/retry", core.ItemWorkflow: "/workflow "}

// needs is what waits for the person, most urgent first.
func needs(v conductor.View) (out []view.InboxItem) {
	for _, i := range core.Inbox(v.State.World, facts(v)) {
		n := view.InboxItem{ID: text.Sanitize(i.ID), Kind: string(i.Kind), Text: text.Sanitize(i.Text), Hint: text.Sanitize(i.Do), Tone: style.Warn, Delegated: i.Others, Type: answers[i.Kind]}
		switch i.Kind {
		case core.ItemProblem, core.ItemFailure, core.ItemConfig:
			n.Tone = style.Bad
		case core.ItemSession:
			n.Tone, n.Pane, n.Type = style.Bad, places[i.Slot].number, "/resume "+string(i.Slot)
		case core.ItemQuestion, core.ItemConsultation:
			n.Ask, n.Pane = true, places[i.Slot].number
		}
		if i.Others {
			n.Tone = style.Busy
		}
		out = append(out, n)
	}
	return out
}

// advice is what may be done when nothing has to be.
func advice(v conductor.View) string {
	switch w := v.State.World; {
	case v.Pair != nil && v.Pair.Running:
		return "a pair works: /tell primary <text> reaches its next turn, /stop ends it and keeps the run"
	case v.Pair != nil && v.Pair.State == pair.StateComplete:
		return "the pair is done: /pair or /task begins the next one"
	case w.State == task.Complete && w.SelectedMilestone != "":
		return "complete: " + home(w) + "/task begins the next one " + next(w)
	case w.State == task.Complete:
		return "complete: " + home(w) + "/task begins the next one"
	case w.State == task.Reviewing:
		return "with the reviewer; /approve and /reject are yours, too"
	case (w.State == task.Idle || w.State == "") && w.SelectedMilestone != "":
		return "no task yet: /task begins one " + next(w)
	case w.State == task.Idle || w.State == "":
		return "no task yet: /task <what you want> begins one, F1 helps"
	}
	return ""
}

// next names what the next task comes from.
func next(w core.World) string {
	return "from " + text.Sanitize(w.SelectedMilestone+" of "+spec.Name(w.SelectedSpec))
}

// home is what to do with approved work that is not on its branch yet.
func home(w core.World) string {
	if w.Task == nil || w.Task.Landed != nil {
		return ""
	}
	return "/land brings it home, "
}

// allowed says of each command why it is off. The table of the task decides.
func allowed(v conductor.View, now time.Time) view.DisabledReasons {
	w := v.State.World
	may := map[machine.Kind]bool{}
	for _, o := range v.Options {
		for _, role := range o.By {
			may[o.Event] = may[o.Event] || role == machine.Human
		}
	}
	unless := func(event machine.Kind, why string) string {
		if may[event] {
			return ""
		}
		return why
	}
	state := "the task is " + string(w.State)
	out := view.DisabledReasons{
		Task:    unless(core.KindCreateTask, state+"; /reset puts it away"),
		Approve: unless(core.KindApprove, "there is no submission to judge; "+state),
		Reject:  unless(core.KindReject, "there is no submission to judge; "+state),
		Retry:   unless(core.KindRetry, "only a failed task is tried again; "+state),
		Reset:   unless(core.KindReset, "there is no task"),
		Check:   unless(core.KindCheck, "there is nothing to prove; "+state+"; --force runs it all the same"),
	}
	if out.Check == "" && leased(w, now) && !w.GateRunning() {
		out.Check = text.Sanitize(w.ClaimedBy) + " holds the lease; use --force"
	}
	if !w.GateRunning() && !v.Gate.Running {
		out.Cancel = "no check runs"
	}
	if w.Task == nil || w.Task.Base.Tree == "" {
		out.Diff = "there is no task to show the change of"
	}
	switch {
	case w.State != task.Complete:
		out.Land = "only approved work lands; " + state
	case w.Task == nil || w.Task.Landed != nil:
		out.Land = "the task has landed"
	}
	if w.State != task.Reviewing {
		out.Review = "there is no submission; " + state
	}
	return out
}
