package ui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/text"
	"ferrus/ui/view"
)

// attention is whether the person looks, and what they were told elsewhere.
type attention struct {
	known   bool            // the terminal tells of its focus
	blurred bool            // and has none
	touched time.Time       // of the newest key or move
	told    map[string]bool // needs by ID that the person has seen, or was told of
}

// absent is how long nobody types into a terminal that does not tell of its focus
// before they count as away.
const absent = time.Minute

// away reports whether the person cannot be looking.
func (p *attention) away(now time.Time) bool {
	if p.known {
		return p.blurred
	}
	return now.Sub(p.touched) > absent
}

// focus takes what the terminal says of itself.
func (p *attention) focus(has bool) { p.known, p.blurred = true, !has }

// alert tells a person who is away of what has begun to need them: once of each
// thing, and once for all that come together.
func (m *Model) alert() tea.Cmd {
	waiting, fresh := m.waiting(), 0
	told := map[string]bool{}
	var first *view.InboxItem
	for i := range waiting {
		n := &waiting[i]
		if n.Delegated {
			continue
		}
		told[n.ID] = true
		if !m.presence.told[n.ID] {
			if fresh++; first == nil {
				first = n
			}
		}
	}
	for id := range m.inbox.snoozed { // woken again it is no news
		told[id] = true
	}
	m.presence.told = told
	if first == nil || !m.presence.away(m.now()) {
		return nil
	}
	return m.carry(Notify{Text: m.alertText(first, fresh)})
}

// alertText is one line for the person's desktop.
func (m *Model) alertText(n *view.InboxItem, fresh int) string {
	s := strings.ReplaceAll(m.needText(n), "\n", " ")
	if fresh > 1 {
		s = fmt.Sprintf("%s, and %d more", s, fresh-1)
	}
	return text.Cut(m.view.Status.Project+": "+s, 160)
}

// windowTitle says where the task is, and first that somebody is needed.
func (m *Model) windowTitle() string {
	s := m.view.Status
	title := "ferrus: " + s.State.Text
	if s.Project != "" {
		title = "ferrus " + s.Project + ": " + s.State.Text
	}
	if n := m.waitFor(); n > 0 {
		title = fmt.Sprintf("(%d) %s", n, title)
	}
	return title
}
