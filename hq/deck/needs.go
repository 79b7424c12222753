package deck

import (
	"fmt"
	"strings"
	"time"

	"ferrus/hq"
	"ferrus/hq/run"
	"ferrus/machine"
	"ferrus/ui"
)

// maxAsked bounds a question on the screen; the whole is in QUESTION.md.
const maxAsked = 16 << 10

// ask is the question that waits for an answer, else the consultation.
func (p *projector) ask(v run.View) *ui.Ask {
	w := v.State.World
	switch {
	case v.Problem != "":
	case w.State == "AwaitingHuman" && w.Question != nil && !w.Question.Answered:
		return &ui.Ask{Kind: ui.Question, Ticket: w.Question.Ticket, Who: asker(w.Question), Text: p.text(v.Texts.Question)}
	case w.State == "Consultation" && w.Consult != nil && !w.Consult.Answered:
		return &ui.Ask{Kind: ui.Consultation, Ticket: w.Consult.Ticket, Who: "executor", Text: p.text(v.Texts.Consult)}
	}
	return nil
}

// text is a question as it is shown.
func (p *projector) text(raw string) string {
	if p.asked[0] != raw {
		shown := ui.CleanLines(raw[:min(len(raw), maxAsked)])
		if len(raw) > maxAsked {
			shown += " ... (the whole is in .ferrus)"
		}
		p.asked = [2]string{raw, strings.TrimSpace(shown)}
	}
	return p.asked[1]
}

// asker is who asks, in the words of the panes.
func asker(q *hq.Question) string {
	switch q.Mode {
	case hq.ModeReview:
		return "reviewer"
	case hq.ModeConsult:
		return "consultant"
	}
	return string(q.Role)
}

// holds are the reasons of a hold in words, and what to do.
var holds = map[string][2]string{
	"stop":          {"held by /stop", "/resume goes on"},
	"quit":          {"held since HQ was left", "/resume goes on"},
	"no-progress":   {"held: sessions end without doing anything", "look at the pane, then /resume"},
	"session-limit": {"held: a session failed too often", "look at the pane, then /resume"},
	"unproven":      {"held: the gate could prove nothing", "look at the check, then /resume"},
	"voided":        {"held: the tree moved under the review three times", "see who changes it, then /resume"},
}

// needs is what waits for the person, most urgent first.
func needs(v run.View, a *ui.Ask, now time.Time) (out []ui.Need) {
	w := v.State.World
	if v.Problem != "" {
		return []ui.Need{{Text: ui.Clean(v.Problem), Tone: ui.Bad}}
	}
	if a != nil && a.Kind == ui.Question {
		out = append(out, ui.Need{Ask: true, Hint: "type the answer, Enter sends", Tone: ui.Warn})
	}
	if w.AwaitsApproval() {
		words := "the reviewer accepts, and only you may approve"
		if all := w.PersonAlarms(); len(all) > 0 {
			words += ": " + all[0].String()
		}
		out = append(out, ui.Need{Text: ui.Clean(words), Hint: "/status, then /approve or /reject", Tone: ui.Warn})
	}
	if all := v.Gate.Untrusted; len(all) > 0 {
		out = append(out, ui.Need{Text: "check commands that nobody let run here: " + ui.Clean(strings.Join(all, "; ")), Hint: "/status shows them, /trust lets them run", Tone: ui.Warn})
	}
	if h := w.Hold; h != nil {
		words, ok := holds[h.Reason]
		if !ok {
			words = [2]string{"held: " + ui.Clean(h.Reason), "/resume goes on"}
		}
		out = append(out, ui.Need{Text: words[0], Hint: words[1], Tone: ui.Warn})
	}
	if w.State == "Failed" {
		out = append(out, ui.Need{Text: "failed: " + ui.Clean(w.FailureReason), Hint: "/retry or /reset", Tone: ui.Bad})
	}
	for _, p := range v.Panes {
		if p.State == "Stopped" && p.Errors > 0 && !p.Ending {
			out = append(out, ui.Need{Text: fmt.Sprintf("the %s stopped after %d errors: %s", p.Slot, p.TotalErrors, ui.Clean(p.Exit)), Hint: "/resume " + string(p.Slot), Tone: ui.Bad})
		}
	}
	if a != nil && a.Kind == ui.Consultation {
		out = append(out, ui.Need{Ask: true, Hint: "the consultant answers, or you", Tone: ui.Busy})
	}
	return out
}

// inbox counts what only the person can do; a consultation has its consultant.
func inbox(v ui.View) int {
	n := len(v.Needs)
	if v.Ask != nil && v.Ask.Kind == ui.Consultation {
		n--
	}
	return n
}

// advice is what may be done when nothing has to be.
func advice(v run.View) string {
	switch w := v.State.World; {
	case w.State == "Complete":
		return "complete: /task begins the next one"
	case w.State == "Reviewing":
		return "the submission is with the reviewer; /approve and /reject are yours too"
	case w.State == "Idle" || w.State == "":
		return "no task yet: /task <what you want> begins one, F1 helps"
	}
	return ""
}

// allowed says of each command why it is off. The table of the task decides.
func allowed(v run.View, now time.Time) ui.Allowed {
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
	out := ui.Allowed{
		Task:    unless("create_task", state+"; /reset puts it away"),
		Approve: unless("approve", "there is no submission to judge; "+state),
		Reject:  unless("reject", "there is no submission to judge; "+state),
		Retry:   unless("retry", "only a failed task is tried again; "+state),
		Reset:   unless("reset", "there is no task"),
		Check:   unless("check", "there is nothing to prove; "+state+"; --force runs it all the same"),
	}
	if out.Check == "" && leased(w, now) && !w.GateRunning() {
		out.Check = ui.Clean(w.ClaimedBy) + " holds the lease; use --force"
	}
	if !w.GateRunning() && !v.Gate.Running {
		out.Cancel = "no check runs"
	}
	if w.State != "Reviewing" {
		out.Review = "there is no submission; " + state
	}
	return out
}
