package projection

import (
	"slices"
	"strings"

	"ferrus/hq/advice"
	"ferrus/hq/conductor"
	"ferrus/machine/task"
	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// maxQuestion bounds a question on the screen; the whole is in QUESTION.md.
const maxQuestion = 16 << 10

// ask returns the question that waits for an answer, else the consultation; nil: none
// does.
func (p *Projector) ask(v conductor.View) *view.Ask {
	w := v.State.World
	switch {
	case v.StateError != "":
	case w.State == task.AwaitingHuman && w.Question != nil && !w.Question.Answered:
		return &view.Ask{
			Kind: view.Question, Ticket: w.Question.Ticket, Who: advice.Asker(*w.Question),
			Text: p.question(v.Texts.Question),
		}
	case w.State == task.Consultation && w.Consult != nil && !w.Consult.Answered:
		return &view.Ask{
			Kind: view.Consultation, Ticket: w.Consult.Ticket, Who: "executor", Text: p.question(v.Texts.Consult),
		}
	}
	return nil
}

// question returns a question as it is shown.
func (p *Projector) question(raw string) string {
	if p.raw != raw {
		shown := text.SanitizeLines(raw[:min(len(raw), maxQuestion)])
		if len(raw) > maxQuestion {
			shown += " ... (the full text is in .ferrus)"
		}
		p.raw, p.shown = raw, strings.TrimSpace(shown)
	}
	return p.shown
}

// ofProject are the kinds of items that are the same whichever task is selected.
var ofProject = []advice.InboxKind{
	advice.ItemCommand, advice.ItemWorkflow, advice.ItemTrust, advice.ItemLimit, advice.ItemConfig, advice.ItemPair,
}

// itemID returns what tells an item from all others, also from those of other tasks: it begins with the ID of the
// selected task's row, unless it is the project's.
func itemID(v conductor.View, i advice.InboxItem) string {
	if slices.Contains(ofProject, i.Kind) {
		return i.ID
	}
	return rowID(v.Selected) + view.ItemOf + i.ID
}

// checkoutInbox returns what waits in your checkout while a task with a worktree is selected.
func checkoutInbox(v conductor.View) (items []view.InboxItem) {
	for _, i := range v.CheckoutNeeds {
		item := view.InboxItem{
			ID: text.Sanitize("checkout" + view.ItemOf + i.ID), Kind: string(i.Kind), Tone: style.Warn,
			Text: text.Sanitize("your checkout: " + i.Text), Hint: text.Sanitize(i.Do), Task: projectRow,
		}
		if i.Kind == advice.ItemPair { // nothing of it runs
			item.Task, item.Type = "", text.Sanitize(i.Type)
		}
		items = append(items, item)
	}
	return items
}

// inbox returns what waits for the human, most urgent first.
func inbox(v conductor.View) (items []view.InboxItem) {
	for _, i := range v.Inbox() {
		item := view.InboxItem{
			ID: text.Sanitize(itemID(v, i)), Kind: string(i.Kind), Text: text.Sanitize(i.Text),
			Hint: text.Sanitize(i.Do), Tone: style.Warn, Delegated: i.Delegated, Type: text.Sanitize(i.Type),
			Pane: places[i.Slot].number,
		}
		switch i.Kind {
		case advice.ItemProblem, advice.ItemFailure, advice.ItemConfig, advice.ItemCommand, advice.ItemSession,
			advice.ItemSilent, advice.ItemTrouble:
			item.Tone = style.Bad
		case advice.ItemApproval:
			if all := shownAlarms(v.State.World.OpenAlarms()).NeedHuman(); len(all) > 0 {
				item.Text = "Only you may approve " + all.String()
			}
		case advice.ItemPermission:
			item.Read = strings.TrimSpace(item.Type)
		case advice.ItemPair:
			item.Text = text.SanitizeLines(i.Text)
		case advice.ItemQuestion, advice.ItemConsultation:
			item.Ask = true
		}
		if i.Delegated {
			item.Tone = style.Busy
		}
		items = append(items, item)
	}
	return items
}
