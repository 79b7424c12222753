package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/text"
)

// write opens what is typed in the person's editor. What comes back answers the
// question that is shown now, whatever is asked meanwhile.
func (m *Model) write() tea.Cmd {
	m.prompt.take()
	m.prompt.cycle = nil
	if !m.prompt.begun {
		m.prompt.bind(m.ask())
	}
	return m.carry(OpenEditor{Text: m.prompt.text})
}

// written takes what the editor left.
func (m *Model) written(msg WrittenMsg) {
	content := strings.TrimRight(text.SanitizeLines(msg.Text), " \n")
	switch {
	case msg.Error != "":
		m.say(msg.Error, true)
	case len(content) > maxPrompt:
		m.say("this is more than the prompt takes: put it into a file and name that", true)
	default:
		m.prompt.set(content)
	}
	m.prompt.settle(m.ask())
}
