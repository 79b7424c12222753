package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/dialog"
	"ferrus/ui/intent"
	"ferrus/ui/view"
)

// focusOn gives the keys to a pane, or selects the activity or the check.
func (m *Model) focusOn(n int) tea.Cmd {
	s := &m.screen
	if s.nameOf(n) == "" {
		m.say(fmt.Sprintf("No session in %d yet", n), false)
		return nil
	}
	before := m.reportFocus(false)
	s.choose(n)
	return tea.Batch(before, m.reportFocus(true), m.fitPanes())
}

// leave gives the keys back to the prompt.
func (m *Model) leave() tea.Cmd {
	before := m.reportFocus(false)
	m.screen.focus = 0
	m.screen.unpin()
	return tea.Batch(before, m.fitPanes())
}

// reportFocus tells the agent that has the keys whether it has them, if it wants to
// know.
func (m *Model) reportFocus(has bool) tea.Cmd {
	p := m.screen.typable()
	if p == nil {
		return nil
	}
	return m.input(p, m.screen.of(p).Focus(has))
}

func toggleZoom(m *Model, _ string) tea.Cmd {
	s := &m.screen
	s.zoomed = !s.zoomed
	if s.zoomed {
		s.chosen = s.current()
	}
	return m.fitPanes()
}

func beginReading(m *Model, _ string) tea.Cmd {
	if !m.screen.read() {
		m.say("Copy mode and search work only in session panes", false)
		return nil
	}
	return m.fitPanes()
}

func beginFinding(m *Model, key string) tea.Cmd {
	cmd := beginReading(m, key)
	m.screen.copying.BeginSearch()
	return cmd
}

// nextItem goes to the next thing that waits: a question opens in full, a pane gets the
// keys, and of anything else the inbox says what to do.
func nextItem(m *Model, _ string) tea.Cmd {
	n := m.inbox.next(&m.view)
	if n == nil {
		m.say("Nothing needs you", false)
		return nil
	}
	m.inbox.last = n.ID
	switch {
	case n.Ask:
		m.layer.Show(dialog.Asked())
	case n.Pane != 0 && m.screen.nameOf(n.Pane) != "":
		return m.focusOn(n.Pane)
	default:
		m.layer.Show(dialog.Inbox(n.ID))
	}
	return nil
}

// attend does what an item of the inbox waits for.
func (m *Model) attend(i intent.Attend) tea.Cmd {
	n := itemOf(&m.view, i.ID)
	if n == nil {
		return nil
	}
	m.inbox.last = n.ID
	switch {
	case i.InPane:
		return m.focusOn(n.Pane)
	case n.Ask:
		delete(m.inbox.snoozed, n.ID)
		m.prompt.Ask(m.inbox.ask(&m.view))
		return m.leave()
	case n.Type != "":
		return m.do(intent.Prefill{Text: n.Type})
	}
	m.layer.Show(dialog.Status())
	return nil
}

func itemOf(v *view.View, id string) *view.InboxItem {
	for i := range v.Inbox {
		if v.Inbox[i].ID == id {
			return &v.Inbox[i]
		}
	}
	return nil
}
