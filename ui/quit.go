package ui

import (
	"ferrus/ui/text"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"
)

// interrupt is Ctrl+C, or what stands for it, at the prompt or over a dialog: the second one within two
// seconds quits.
func (m *Model) interrupt() tea.Cmd {
	if now := m.now(); now.Sub(m.quitting) > 2*time.Second || now.Before(m.quitting) {
		m.quitting = now
		m.dialog = nil
		m.prompt.clear()
		words := m.first("quit") + " again quits"
		if n := m.living(); n > 0 {
			words += fmt.Sprintf(" and ends %s", text.Count(n, "session"))
		}
		m.say(words, false)
		return nil
	}
	return m.carry(Quit{})
}

// living is how many sessions would end with HQ.
func (m *Model) living() (n int) {
	for _, p := range m.view.Panes {
		if p.Living {
			n++
		}
	}
	return n
}

func (m *Model) quit() tea.Cmd {
	n := m.living()
	if n == 0 {
		return m.carry(Quit{})
	}
	ask := confirm{kind: DialogQuit, title: "Quit?", words: "Quitting ends " + text.Count(n, "session") + ". The task stays on disk; next time /resume goes on with it.", yes: Quit{}}
	if !m.view.StopOnExit {
		ask.words += " Or leave them running: the next HQ has them again."
		ask.other, ask.otherWords = Quit{Leave: true}, "leave running"
	}
	m.dialog = ask
	return nil
}
