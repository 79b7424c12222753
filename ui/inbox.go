package ui

import (
	"slices"
	"strings"

	"ferrus/ui/view"
)

// inbox is what the human did about the things that wait.
type inbox struct {
	snoozed map[string]bool // by ID: until HQ restarts
	last    string          // the ID of the item that was attended to last
}

// forget drops what does not wait any more. What waits in a task that is not selected is not in the View.
func (b *inbox) forget(v *view.View) {
	for id := range b.snoozed {
		elsewhere := func(r view.TaskRow) bool {
			return r.ID != "" && r.ID != v.Tasks.Selected && strings.HasPrefix(id, r.ID+view.ItemOf)
		}
		if itemOf(v, id) == nil && !slices.ContainsFunc(v.Tasks.Rows, elsewhere) {
			delete(b.snoozed, id)
		}
	}
}

// snooze snoozes an item, or wakes it.
func (b *inbox) snooze(id string) {
	if b.snoozed[id] {
		delete(b.snoozed, id)
		return
	}
	if b.snoozed == nil {
		b.snoozed = map[string]bool{}
	}
	b.snoozed[id] = true
}

// waiting returns what waits and is not snoozed: the question that plain text answers, then
// the most urgent first.
func (b *inbox) waiting(v *view.View) []view.InboxItem {
	all := v.Inbox
	if len(b.snoozed) > 0 {
		all = slices.DeleteFunc(slices.Clone(all), func(n view.InboxItem) bool { return b.snoozed[n.ID] })
	}
	at := slices.IndexFunc(all, func(n view.InboxItem) bool { return n.Ask && !n.Delegated })
	if at <= 0 {
		return all
	}
	return slices.Concat(all[at:at+1], all[:at], all[at+1:])
}

// ask returns what plain text at the prompt answers: what is asked and not snoozed.
func (b *inbox) ask(v *view.View) *view.Ask {
	if slices.ContainsFunc(v.Inbox, func(n view.InboxItem) bool { return n.Ask && b.snoozed[n.ID] }) {
		return nil
	}
	return v.Ask
}

// count returns how many items only the human does.
func (b *inbox) count(v *view.View) (n int) {
	for _, item := range b.waiting(v) {
		if !item.Delegated {
			n++
		}
	}
	return n
}

// next returns the item after the one that was attended to last; nil: nothing waits.
func (b *inbox) next(v *view.View) *view.InboxItem {
	all := b.waiting(v)
	if len(all) == 0 {
		return nil
	}
	i := slices.IndexFunc(all, func(n view.InboxItem) bool { return n.ID == b.last })
	return &all[(i+1)%len(all)]
}

// textOf returns an item as text: the View has the text of a question.
func textOf(v *view.View, n *view.InboxItem) string {
	if n.Ask {
		return v.Ask.String()
	}
	return n.Text
}
