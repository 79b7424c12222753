package ui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// inbox is what the person did about the things that wait.
type inbox struct {
	snoozed map[string]bool // by ID: put off while HQ runs
	last    string          // the ID that was gone to last
}

// forget drops what does not wait any more.
func (b *inbox) forget(needs []view.InboxItem) {
	for id := range b.snoozed {
		if !slices.ContainsFunc(needs, func(n view.InboxItem) bool { return n.ID == id }) {
			delete(b.snoozed, id)
		}
	}
}

// snooze puts a thing off, or wakes it.
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

// waiting is what waits for the person and was not put off, most urgent first.
func (m *Model) waiting() []view.InboxItem {
	if len(m.inbox.snoozed) == 0 {
		return m.view.Inbox
	}
	return slices.DeleteFunc(slices.Clone(m.view.Inbox), func(n view.InboxItem) bool { return m.inbox.snoozed[n.ID] })
}

// ask is what plain text at the prompt answers: what is asked and was not put off.
func (m *Model) ask() *view.Ask {
	if slices.ContainsFunc(m.view.Inbox, func(n view.InboxItem) bool { return n.Ask && m.inbox.snoozed[n.ID] }) {
		return nil
	}
	return m.view.Ask
}

// waitFor counts what only the person does.
func (m *Model) waitFor() (count int) {
	for _, n := range m.waiting() {
		if !n.Delegated {
			count++
		}
	}
	return count
}

// nextNeed goes to the next thing that waits: a question opens in full, a pane
// gets the keys, of anything else the inbox says what to do.
func (m *Model) nextNeed() tea.Cmd {
	all := m.waiting()
	if len(all) == 0 {
		m.say("nothing needs you", false)
		return nil
	}
	i := slices.IndexFunc(all, func(n view.InboxItem) bool { return n.ID == m.inbox.last })
	n := all[(i+1)%len(all)]
	m.inbox.last = n.ID
	switch {
	case n.Ask:
		return m.carry(openAsk{})
	case n.Pane != 0 && m.target(n.Pane) != nil:
		return m.focusOn(n.Pane)
	}
	m.openInbox(n.ID)
	return nil
}

// openInbox shows the list with one thing chosen.
func (m *Model) openInbox(id string) { m.dialog = &inboxList{id: id} }

// inboxList is the dialog. It is drawn from what waits now, so what is chosen is
// known by its ID, and by its place once it is gone.
type inboxList struct {
	id string
	at int
}

// chosen is the thing that keys act on.
func (l *inboxList) chosen(m *Model) *view.InboxItem {
	all := m.view.Inbox
	if len(all) == 0 {
		return nil
	}
	if i := slices.IndexFunc(all, func(n view.InboxItem) bool { return n.ID == l.id }); i >= 0 {
		l.at = i
	}
	l.at = min(l.at, len(all)-1)
	l.id = all[l.at].ID
	return &all[l.at]
}

func (l *inboxList) draw(m *Model, room style.Rect) (style.Rect, []string) {
	t := m.theme
	r := style.Column(room)
	chosen := l.chosen(m)
	body := []string{text.Blanks(r.W - 2)}
	if chosen == nil {
		body = append(body, style.Row(r.W-2, style.Spans{{"  nothing waits for you", t.Faint}}, nil))
	}
	from := 0
	var about []string
	if chosen != nil {
		about = l.about(m, chosen, r.W-2)
		from = max(l.at-max(room.H-len(about)-5, 1)+1, 0)
	}
	for i := from; i < len(m.view.Inbox) && len(body)+len(about)+2 < room.H-1; i++ {
		body = append(body, l.row(m, &m.view.Inbox[i], i == l.at, r.W-2))
	}
	body = append(append(body, text.Blanks(r.W-2)), about...)
	r = style.Centered(room, r.W, len(body)+2)
	foot := style.Spans{{" Esc closes", t.Faint}}
	if chosen != nil {
		foot = style.Spans{{" " + l.foot(m, chosen), t.Faint}}
	}
	return r, t.Box(r, t.Focused, style.Edge{Left: style.Spans{{" inbox", t.Strong}}}, style.Edge{Left: foot}, body[:r.H-2])
}

// foot says what keys do with the chosen thing.
func (l *inboxList) foot(m *Model, n *view.InboxItem) string {
	text := "Enter " + enterHint(n)
	if n.Pane != 0 && m.target(n.Pane) != nil {
		text += fmt.Sprintf("  g pane %d", n.Pane)
	}
	if m.inbox.snoozed[n.ID] {
		return text + "  s wakes  Esc closes"
	}
	return text + "  s puts off  Esc closes"
}

// row is one thing in one line.
func (l *inboxList) row(m *Model, n *view.InboxItem, chosen bool, w int) string {
	t := m.theme
	mark, look, tone := "   ", t.Tones[style.Plain], t.Tones[n.Tone]
	if chosen {
		mark, look = " ▸ ", t.Chosen
	}
	s := m.needText(n)
	if m.inbox.snoozed[n.ID] {
		s, tone = "put off: "+s, t.Faint
		if !chosen {
			look = t.Faint
		}
	}
	return style.Row(w, style.Spans{{mark, t.Focused}, {text.Fit(n.Kind, 14), tone}, {text.Cut(strings.ReplaceAll(s, "\n", " "), w-19), look}}, nil)
}

// about is the chosen thing in full, and what to do about it.
func (l *inboxList) about(m *Model, n *view.InboxItem, w int) (rows []string) {
	text := text.Wrap(text.Reflow(m.needText(n)), w-6)
	for _, line := range text[:min(len(text), 8)] {
		rows = append(rows, style.Row(w, style.Spans{{"   " + line, ""}}, nil))
	}
	if n.Hint != "" {
		rows = append(rows, style.Row(w, style.Spans{{"   " + n.Hint, m.theme.Faint}}, nil))
	}
	return rows
}

// needText is a thing in words; a question has those of the line over the prompt.
func (m *Model) needText(n *view.InboxItem) string {
	if n.Ask {
		return m.view.Ask.String()
	}
	return n.Text
}

// enterHint says what Enter does.
func enterHint(n *view.InboxItem) string {
	switch {
	case n.Ask:
		return "answers"
	case n.Type != "":
		return "types it"
	}
	return "shows the status"
}

func (l *inboxList) press(m *Model, name string) (dialog, Intent) {
	chosen := l.chosen(m)
	switch {
	case name == "esc" || name == "q" || m.does(name, "leave"):
		return nil, nil
	case chosen == nil:
		return l, nil
	}
	switch name {
	case "up", "k", "ctrl+p":
		l.move(m, -1)
	case "down", "j", "ctrl+n", "tab":
		l.move(m, +1)
	case "s":
		m.inbox.snooze(chosen.ID)
	case "g":
		if chosen.Pane != 0 && m.target(chosen.Pane) != nil {
			m.inbox.last = chosen.ID
			return nil, focusPane{chosen.Pane}
		}
	case "enter":
		if chosen.Type != "" && m.prompt.text != "" {
			m.say("the prompt has text: send it, or clear it with "+m.first("quit"), true)
			return l, nil
		}
		m.inbox.last = chosen.ID
		return nil, m.act(chosen)
	}
	return l, nil
}

func (l *inboxList) move(m *Model, by int) {
	n := len(m.view.Inbox)
	l.at = (l.at + by + n) % n
	l.id = m.view.Inbox[l.at].ID
}

// act is what Enter does: the prompt is ready for an answer, or has the command.
func (m *Model) act(n *view.InboxItem) Intent {
	switch {
	case n.Ask:
		delete(m.inbox.snoozed, n.ID)
		return answerNow{}
	case n.Type != "":
		return prefill{n.Type}
	}
	return openStatus{}
}
