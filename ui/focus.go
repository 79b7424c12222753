package ui

import (
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/dialog"
	"ferrus/ui/intent"
	"ferrus/ui/view"
)

// focusOn gives the keys to a pane, or selects the activity or the check.
func (m *Model) focusOn(n int) tea.Cmd {
	s := &m.screen
	if n == numberTasks && s.hasList() {
		return focusTasks(m, "")
	}
	if s.nameOf(n) == "" {
		m.say(fmt.Sprintf("No session in %d yet", n), false)
		return nil
	}
	if p := s.pane(n); p != nil && !p.Living && s.focus == n && s.shape == wide {
		s.fold()
		return m.fitPanes()
	}
	before := m.reportFocus(false)
	s.choose(n)
	return tea.Batch(before, m.reportFocus(true), m.fitPanes())
}

// awaitTime is how long the session that was asked for may take to start and still get the
// keys.
const awaitTime = 30 * time.Second

// busy reports whether the human is doing something that must not be interrupted.
func (m *Model) busy() bool {
	return m.layer.Open() != nil || m.prompt.Value() != "" || m.screen.focus != 0 || m.keys.leader ||
		m.screen.copying.Active()
}

// greet gives the keys to the session that was asked for, once it takes them, or says how to
// if the human does something else by then.
func (m *Model) greet() tea.Cmd {
	if n := m.attention.awaited.given; n != 0 && m.screen.focus == n && m.screen.typable() == nil {
		m.attention.awaited.given = 0
		return m.leave() // it ended, and the keys were never used
	}
	slot := m.attention.awaited.slot
	i := slices.IndexFunc(m.view.Panes, func(p view.Pane) bool { return p.Slot == slot && p.Living })
	if slot == "" || i < 0 {
		return nil
	}
	p, late := &m.view.Panes[i], m.options.Now().Sub(m.attention.awaited.since) > awaitTime
	m.attention.awaited = awaited{}
	switch {
	case !p.Interactive || late:
		return nil
	case m.busy():
		m.announce(fmt.Sprintf("The %s is ready: %s %d types into its pane", p.Title.Name, m.keys.First(leader),
			p.Title.Number), false)
		return nil
	}
	m.attention.awaited.given = p.Title.Number
	return m.focusOn(p.Title.Number)
}

// leave gives the keys back to the prompt.
func (m *Model) leave() tea.Cmd {
	before := m.reportFocus(false)
	m.screen.focus = 0
	m.screen.unpin()
	m.screen.arrange()
	return tea.Batch(before, m.fitPanes())
}

// reportFocus tells the agent that has the keys whether it has them, if it wants to
// know.
func (m *Model) reportFocus(has bool) tea.Cmd {
	p := m.screen.typable()
	if p == nil {
		return nil
	}
	given := m.attention.awaited.given
	cmd := m.input(p, m.screen.of(p).Focus(has))
	m.attention.awaited.given = given // no key was typed
	return cmd
}

func toggleZoom(m *Model, _ string) tea.Cmd {
	s := &m.screen
	s.zoomed = !s.zoomed
	if s.zoomed {
		s.chosen = s.current()
	}
	return m.fitPanes()
}

// switchOwnScreen continues the selected pane's session on its program's own screen, or back.
func switchOwnScreen(m *Model, _ string) tea.Cmd {
	p := m.screen.pane(m.screen.current())
	if p == nil {
		m.say("Only a session has its own screen", false)
		return nil
	}
	return m.do(intent.SwitchScreen{Slot: p.Slot})
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
// keys, and of anything else, or of what has more to read, the inbox says what to do.
func nextItem(m *Model, _ string) tea.Cmd {
	n := m.inbox.next(&m.view)
	if n == nil {
		m.say("Nothing needs you", false)
		return nil
	}
	m.inbox.last = n.ID
	switch {
	case n.Task != "":
		return m.do(intent.SelectTask{ID: n.Task})
	case n.Ask:
		m.layer.Show(dialog.Asked())
	case n.Pane != 0 && n.Read == "" && m.screen.nameOf(n.Pane) != "":
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
	case n.Task != "":
		m.layer.Show(nil)
		return m.do(intent.SelectTask{ID: n.Task})
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
