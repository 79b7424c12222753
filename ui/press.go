package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/dialog"
	"ferrus/ui/intent"
	"ferrus/ui/keys"
	"ferrus/ui/pane"
	"ferrus/ui/prompt"
	"ferrus/ui/view"
)

// press gives a key to what has the keys.
func (m *Model) press(msg tea.KeyPressMsg) tea.Cmd {
	key, s := msg.Keystroke(), &m.screen
	quits := m.keys.Action(keys.Everywhere, key) == keys.Quit
	if !quits {
		m.keys.quitting = time.Time{} // twice is one after the other
	}
	open := m.layer.Open() != nil
	switch {
	case quits && (open || s.shape == tiny):
		return m.interrupt()
	case s.shape == tiny:
		return nil
	case open:
		m.notices.pressed()
		if done, cmd := m.switchPage(key); done {
			return cmd
		}
		return m.do(m.layer.Press(m.context(), key))
	case m.keys.leader, m.keys.moving && m.keys.Action(keys.MovingBorder, key) != "":
		return m.pressAfterLeader(key)
	}
	m.keys.moving = false
	if s.copying.Active() {
		return m.pressInCopyMode(msg)
	}
	s.copying = pane.CopyMode{} // what the mouse selected was copied
	m.notices.pressed()
	if s.focus != 0 {
		return m.pressInPane(msg)
	}
	return m.pressAtPrompt(msg)
}

// switchPage opens another page by its key over a page, or closes the one it opened, and
// reports whether the key does that.
func (m *Model) switchPage(key string) (bool, tea.Cmd) {
	place := m.layer.Open().Place()
	if place&keys.Pages == 0 {
		return false, nil
	}
	kind, a := m.layer.Open().Kind(), m.keys.Action(place, key)
	switch {
	case a == zoom:
		m.layer.Show(nil)
	case a == keys.Help && kind != dialog.KindHelp, a == keys.Log && kind != dialog.KindLog,
		a == keys.Diff && kind != dialog.KindDiff:
	default:
		return false, nil
	}
	return true, actions[a](m, key)
}

// act does a key that is the screen's in a place, and reports whether it was one.
func (m *Model) act(in keys.Context, key string) (bool, tea.Cmd) {
	do := actions[m.keys.Action(in, key)]
	if do == nil {
		return false, nil
	}
	return true, do(m, key)
}

func (m *Model) pressAtPrompt(msg tea.KeyPressMsg) tea.Cmd {
	if m.prompt.PressInSearch(m.keys.Map, msg) {
		return nil
	}
	if done, cmd := m.act(keys.AtPrompt, msg.Keystroke()); done {
		return cmd
	}
	key := msg.Keystroke()
	prefix := m.keys.prefix
	if m.keys.prefix = key == "ctrl+x"; m.keys.prefix {
		return nil
	}
	if prefix && key == "ctrl+e" {
		return actions[edit](m, key)
	}
	if msg.Text == "?" && m.prompt.Value() == "" {
		return openHelp(m, "")
	}
	wanted := m.prompt.Press(m.keys.Map, &m.view, msg)
	if len(wanted) > 0 { // what came before is not about it
		m.notices.hide()
	}
	return m.doAll(wanted)
}

func (m *Model) pressAfterLeader(key string) tea.Cmd {
	in := keys.AfterLeader
	m.keys.leader = false
	m.notices.pressed()
	_, cmd := m.act(in, key)
	return cmd
}

// pressInCopyMode gives a key to copy mode. What counts everywhere ends it first.
func (m *Model) pressInCopyMode(msg tea.KeyPressMsg) tea.Cmd {
	m.notices.pressed()
	c, key := &m.screen.copying, msg.Keystroke()
	if !c.Valid() {
		c.Stop()
		return nil
	}
	inner := m.screen.inside(c.Number)
	if c.PressInSearch(m.keys.Map, key, msg.Text, inner) {
		return nil
	}
	if actions[m.keys.Action(keys.InCopyMode, key)] != nil {
		c.Stop()
		_, cmd := m.act(keys.InCopyMode, key)
		return cmd
	}
	return m.do(c.Press(m.keys.Map, key, inner))
}

// pressInPane does what is ours and hands the rest to the agent.
func (m *Model) pressInPane(msg tea.KeyPressMsg) tea.Cmd {
	if m.screen.focus == numberTasks {
		return m.pressInTasks(msg)
	}
	p := m.screen.typable()
	if p == nil {
		return m.pressInView(m.screen.pane(m.screen.focus), msg.Keystroke())
	}
	if done, cmd := m.act(keys.InPane, msg.Keystroke()); done {
		return cmd
	}
	own := m.screen.of(p)
	own.ScrollTo(0)
	return m.input(p, own.Key(msg.Key()))
}

// pressInView does a key in a pane that only shows: there is no agent to take the
// screen's keys away from, so they count here, too.
func (m *Model) pressInView(p *view.Pane, key string) tea.Cmd {
	s := &m.screen
	if done, cmd := m.act(keys.InView, key); done {
		return cmd
	}
	switch m.keys.Action(keys.InView, key) {
	case dialog.Close:
		return m.leave()
	case keys.OpenEntry:
		if wanted := m.opened(); wanted != nil {
			return m.doAll(wanted)
		}
	}
	switch by := m.keys.Scroll(keys.InView, key, s.viewPage()); {
	case by != 0 && s.focus == numberActivity:
		s.chooseEntry(-by)
	case by != 0:
		s.scrollBy(s.focus, -by)
	case p != nil && p.Interactive && !p.Living:
		m.say("This session has ended; "+m.keys.First(keys.Leave)+" returns to the prompt", false)
	default:
		m.say("This pane is read-only; "+m.keys.First(keys.Leave)+" returns to the prompt", false)
	}
	return nil
}

// opened returns what opens the chosen entry of the activity, over the log, or the
// check.
func (m *Model) opened() []intent.Intent {
	switch all := m.view.Activity; {
	case m.screen.focus == numberCheck:
		return []intent.Intent{dialog.Open{Dialog: dialog.Check()}}
	case m.screen.focus == numberSide && m.screen.side.showsDiff(&m.view):
		return []intent.Intent{dialog.Open{Dialog: dialog.Diff()}}
	case m.screen.focus == numberSide:
		return []intent.Intent{dialog.Open{Dialog: dialog.Document(taskName)}}
	case m.screen.focus == numberActivity && len(all) > 0:
		at := all[max(len(all)-1-m.screen.boxes.entry, 0)].EntryID
		return []intent.Intent{dialog.Open{Dialog: dialog.Log(at)}, intent.LoadEntry{Entry: at}}
	}
	return nil
}

// paste gives a pasted text to what has the keys.
func (m *Model) paste(pasted string) tea.Cmd {
	s := &m.screen
	m.keys.quitting = time.Time{}
	switch {
	case m.layer.Open() != nil && s.shape != tiny:
		m.layer.Paste(pasted)
		return nil
	case s.shape == tiny:
		return nil
	case s.copying.Active():
		s.copying.Paste(pasted, s.inside(s.copying.Number))
		return nil
	}
	if p := s.typable(); p != nil {
		return m.input(p, s.of(p).Paste(pasted))
	} else if p := s.pane(s.focus); p != nil {
		return m.pressInView(p, "")
	}
	m.notices.pressed()
	if err := m.prompt.Paste(pasted); err != nil {
		m.say(err.Error(), true)
		return nil
	}
	return m.do(prompt.PastedFile(pasted))
}
