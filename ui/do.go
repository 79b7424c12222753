package ui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/dialog"
	"ferrus/ui/intent"
	"ferrus/ui/keys"
	"ferrus/ui/text"
)

// do executes an intent: what concerns the screen at once; everything else it returns
// as a command.
func (m *Model) do(wanted intent.Intent) tea.Cmd {
	switch i := wanted.(type) {
	case nil:
		return nil
	case dialog.Open:
		return m.open(i.Dialog)
	case intent.Say:
		m.say(i.Text, i.Error)
		return nil
	case intent.Prefill:
		m.prompt.Set(i.Text)
		return m.leave()
	case intent.FocusPane:
		return m.focusOn(i.Number)
	case intent.Attend:
		return m.attend(i)
	case intent.Snooze:
		m.inbox.snooze(i.ID)
		m.prompt.Ask(m.inbox.ask(&m.view))
		return nil
	case intent.ToggleViewed:
		m.viewed.toggle(i.Mark)
		return m.saveLayout()
	case intent.Copy:
		return m.copy(i)
	case intent.InTask:
		cmd := m.do(intent.SelectTask{ID: i.ID})
		m.screen.tasks.pending = i
		return cmd
	case intent.Command:
		return m.doLine(i.Line)
	case intent.SelectTask:
		m.screen.tasks.pending = intent.InTask{}
	}
	return m.options.Do(wanted)
}

// doPending executes the line that waits for its task to be selected, once it is.
func (m *Model) doPending() tea.Cmd {
	line := m.screen.tasks.pending.Line
	if line == "" || m.screen.tasks.pending.Number != m.view.Tasks.Number {
		return nil
	}
	m.screen.tasks.pending = intent.InTask{}
	return m.doLine(line)
}

// doLine does a command line.
func (m *Model) doLine(line string) tea.Cmd {
	wanted, err := m.options.Commands.Parse(&m.view, line)
	if err != nil {
		return m.done(DoneMsg{Text: err.Error(), Error: true, Line: line})
	}
	return m.do(wanted)
}

// doAll does intents in their order.
func (m *Model) doAll(all []intent.Intent) tea.Cmd {
	var cmds []tea.Cmd
	for _, i := range all {
		cmds = append(cmds, m.do(i))
	}
	return tea.Batch(cmds...)
}

// open shows a dialog, and asks for what it shows.
func (m *Model) open(d dialog.Dialog) tea.Cmd {
	m.layer.Show(d)
	switch d.Kind() {
	case dialog.KindDiff:
		return m.options.Do(intent.LoadDiff{})
	case dialog.KindPalette:
		return tea.Batch(m.options.Do(intent.LoadCompletions{}), m.loadFiles())
	}
	return nil
}

// loadFiles asks for the files of the diff, where there is one.
func (m *Model) loadFiles() tea.Cmd {
	if m.view.Disabled["diff"] != "" {
		return nil
	}
	return m.options.Do(intent.LoadDiff{})
}

// copy hands text out for the clipboard; Ctrl+Y at the prompt brings it, too.
func (m *Model) copy(i intent.Copy) tea.Cmd {
	if strings.TrimSpace(i.Text) == "" {
		return nil
	}
	m.prompt.SetKilled(text.SanitizeLines(i.Text))
	return m.options.Do(i)
}

// quitTime is how soon after each other the key that quits is pressed twice.
const quitTime = 2 * time.Second

// interrupt clears the prompt and closes what lies over the panes. The second time
// shortly after the first, it quits.
func (m *Model) interrupt() tea.Cmd {
	now := m.options.Now()
	if now.Sub(m.keys.quitting) <= quitTime && !now.Before(m.keys.quitting) {
		return m.do(intent.Quit{})
	}
	m.keys.quitting = now
	m.layer.Show(nil)
	m.prompt.Clear()
	m.screen.tasks.pending = intent.InTask{}
	words := m.keys.First(keys.Quit) + " again quits"
	if n := m.view.Living() + m.view.Tasks.OtherSessions; n > 0 && !m.view.LooksOn {
		words += fmt.Sprintf(" and stops %s", text.Count(n, "session"))
	}
	m.say(words, false)
	return nil
}
