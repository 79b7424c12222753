package ui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/text"
	"ferrus/ui/view"
	"ferrus/ui/vt"
)

// The numbers of what has no session.
const (
	numberActivity = 5
	numberCheck    = 6
)

// screen is what the person looks at.
type screen struct {
	focus  int // the number of what has the keys; 0 is the prompt
	chosen int // the number that was focused last: zoomed, scrolled and shown; 0 is ours to choose
	over   string
	zoom   bool
	leader bool // the next key is one after the leader
	moving bool // a border was moved by the last key: the next may do so without the leader
	split  view.Split
	grip   borderDrag
	entry  int         // of the journal, back from the newest: what Enter opens while the activity has the keys
	scroll map[int]int // lines back from the newest, by number
	held   map[int]int // lines of scrollback when it was scrolled
}

// unpin forgets a choice when a session newer than those it was made among
// starts, unless the chosen pane has the keys.
func (s *screen) unpin(m *Model) {
	if s.chosen == 0 || s.focus != 0 || s.zoom {
		return
	}
	if p := m.newest(m.side(s.chosen)); p != nil && p.Living && s.over != p.SessionID() {
		s.chosen = 0
	}
}

// side is the panes that compete for one place with a number.
func (m *Model) side(n int) func(*view.Pane) bool {
	p := m.pane(n)
	if m.size.shape != wide || p == nil {
		return func(*view.Pane) bool { return true }
	}
	return func(other *view.Pane) bool { return other.Left == p.Left }
}

// newest is the pane to show when nobody chose: the one that lives, else the
// one that lived last.
func (m *Model) newest(among func(*view.Pane) bool) (best *view.Pane) {
	for i := range m.view.Panes {
		p := &m.view.Panes[i]
		switch {
		case !among(p):
		case best == nil, p.Living && !best.Living, p.Living == best.Living && p.Born > best.Born:
			best = p
		}
	}
	return best
}

func (m *Model) pane(n int) *view.Pane {
	for i := range m.view.Panes {
		if m.view.Panes[i].Title.Number == n {
			return &m.view.Panes[i]
		}
	}
	return nil
}

// target is the name of what a number means; nil is nothing.
func (m *Model) target(n int) *string {
	name := ""
	switch p := m.pane(n); {
	case p != nil:
		name = p.Title.Name
	case n == numberActivity:
		name = "activity"
	case n == numberCheck:
		name = "check"
	default:
		return nil
	}
	return &name
}

// shown is the pane in one place: the chosen one if it belongs there.
func (m *Model) shown(among func(*view.Pane) bool) *view.Pane {
	if p := m.pane(m.screen.chosen); p != nil && among(p) {
		return p
	}
	return m.newest(among)
}

// current is the number that zoom and scrolling mean.
func (m *Model) current() int {
	if m.screen.chosen != 0 {
		return m.screen.chosen
	}
	if p := m.newest(func(*view.Pane) bool { return true }); p != nil {
		return p.Title.Number
	}
	return numberActivity
}

// focusOn gives the keys to a pane, or chooses the activity or the check.
func (m *Model) focusOn(n int) tea.Cmd {
	if m.target(n) == nil {
		m.say(fmt.Sprintf("there is no session in %d yet", n), false)
		return nil
	}
	told := m.tellFocus(false)
	m.screen.chosen, m.screen.focus = n, n
	if p := m.newest(m.side(n)); p != nil {
		m.screen.over = p.SessionID()
	}
	return tea.Batch(told, m.tellFocus(true), m.fitPanes())
}

// leave gives the keys back to the prompt.
func (m *Model) leave() tea.Cmd {
	told := m.tellFocus(false)
	m.screen.focus = 0
	m.screen.unpin(m)
	return tea.Batch(told, m.fitPanes())
}

func (m *Model) zoomPane() tea.Cmd {
	m.screen.zoom = !m.screen.zoom
	if m.screen.zoom {
		m.screen.chosen = m.current()
	}
	return m.fitPanes()
}

// pressInPane does what is ours and hands the rest to the agent.
func (m *Model) pressInPane(msg tea.KeyPressMsg) tea.Cmd {
	m.notice.Text = ""
	if k, ok := m.struck(InPane, msg.Keystroke()); ok {
		return k.press(m)
	}
	p := m.pane(m.screen.focus)
	if p == nil || !p.Interactive || !p.Living || p.Terminal == nil {
		return m.pressOnShown(p, msg.Keystroke())
	}
	m.scrollTo(m.screen.focus, 0)
	return m.input(p, func(t *vt.Terminal) []byte { return t.EncodeKey(paneKey(msg.Key())) })
}

// editsPrompt are the keys at the prompt that mean nothing elsewhere.
var editsPrompt = map[string]bool{"complete": true, "back": true, "send": true, "newline": true, "search": true, "page-up": true, "page-down": true}

// pressOnShown is a key in a pane that nobody can type into: there is no agent
// to take ours away from, so they count here too.
func (m *Model) pressOnShown(p *view.Pane, name string) tea.Cmd {
	if k, ok := m.struck(AtPrompt, name); ok && !editsPrompt[k.Name] {
		if k.press == nil {
			return m.focusOn(number(name))
		}
		return k.press(m)
	}
	switch {
	case m.screen.focus == numberActivity && name == "enter" && len(m.view.Activity) > 0:
		return m.opened()
	case m.screen.focus == numberActivity && m.choose(name):
		return nil
	case m.screen.focus == numberCheck && name == "enter":
		m.dialog = checkPage()
		return nil
	}
	page := max(m.size.left.Inner().H-1, 1)
	by, ok := map[string]int{"up": 1, "down": -1, "pgup": page, "pgdown": -page, "home": 1 << 20, "end": -1 << 20}[name]
	switch {
	case ok:
		m.scrollTo(m.screen.focus, m.screen.scroll[m.screen.focus]+by)
	case name == "esc" || name == "q":
		return m.leave()
	case p != nil && p.Interactive && !p.Living:
		m.say("this session has ended; "+m.first("leave")+" goes back to the prompt", false)
	default:
		m.say("this pane only shows; "+m.first("leave")+" goes back to the prompt", false)
	}
	return nil
}

// input sends what the emulator makes of a key, a paste or the mouse.
func (m *Model) input(p *view.Pane, encode func(*vt.Terminal) []byte) tea.Cmd {
	var data []byte
	p.Terminal.With(func(t *vt.Terminal) { data = encode(t) })
	if len(data) == 0 {
		return nil
	}
	return m.carry(Input{Slot: p.Slot, Data: data})
}

func (m *Model) paste(s string) tea.Cmd {
	m.quitting = time.Time{}
	if m.dialog != nil || m.size.shape == tiny {
		return nil
	}
	if m.reading.keys {
		if m.reading.seek.typing {
			m.seekFor(m.reading.seek.text + text.Sanitize(s))
		}
		return nil
	}
	if p := m.pane(m.screen.focus); p != nil {
		if !p.Interactive || !p.Living || p.Terminal == nil {
			return m.pressOnShown(p, "")
		}
		return m.input(p, func(t *vt.Terminal) []byte { return t.EncodePaste(s) })
	}
	m.notice.Text = ""
	m.prompt.take()
	if !m.prompt.insert(text.SanitizeLines(s)) {
		m.say("this is more than the prompt takes: put it into a file and name that", true)
	}
	m.prompt.cycle = nil
	m.prompt.settle(m.ask())
	return nil
}

// tellFocus tells the agent with the keys that it has them, if it wants to know.
func (m *Model) tellFocus(focused bool) tea.Cmd {
	p := m.pane(m.screen.focus)
	if p == nil || !p.Living || !p.Interactive || p.Terminal == nil {
		return nil
	}
	return m.input(p, func(t *vt.Terminal) []byte {
		if !t.Modes().FocusEvents {
			return nil
		}
		return t.EncodeFocus(focused)
	})
}
