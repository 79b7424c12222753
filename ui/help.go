package ui

import (
	"fmt"
	"strings"

	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// helpPage is all commands and keys, with the reason where one is off.
func helpPage() *page { return &page{kind: DialogHelp, title: "help", lines: helpLines} }

func makeHelp(_ *view.View, args string) (Intent, error) {
	name := strings.TrimPrefix(args, "/")
	if _, ok := Lookup(name); !ok && name != "" {
		return nil, fmt.Errorf("there is no command /%s: /help shows all", text.Sanitize(name))
	}
	return openHelp{name}, nil
}

// commandPage is one command: what it takes, and why it is off.
func commandPage(c Command) *page {
	return &page{kind: DialogHelp, title: "help " + c.Name, lines: func(m *Model, w int) []string {
		lines := m.commandRows(c, w)
		if c.Complete == nil {
			return lines
		}
		for _, s := range c.Complete(&m.view, nil) {
			lines = append(lines, m.helpRows(w, "  "+s.Word, s.Help)...)
		}
		return lines
	}}
}

func helpLines(m *Model, w int) []string {
	t := m.theme
	head := func(text string) string { return style.Row(w, style.Spans{{" " + text, t.Brand}}, nil) }
	lines := []string{head("commands")}
	for _, c := range Commands {
		lines = append(lines, m.commandRows(c, w)...)
	}
	for place := range KeyContext(len(placeNames)) {
		lines = append(lines, text.Blanks(w), head("keys "+m.placeWords(place)))
		for _, k := range m.keys {
			if k.Place == place {
				lines = append(lines, m.helpRows(w, k.Label, k.Help)...)
			}
		}
	}
	lines = append(lines, text.Blanks(w), head("the prompt"))
	for _, s := range text.Wrap(promptWords, w-4) {
		lines = append(lines, style.Row(w, style.Spans{{"   " + s, ""}}, nil))
	}
	return lines
}

const promptWords = "Plain text answers the question that was shown when you began to type; when nothing is asked it is put after /task for a second Enter. " +
	"The prompt edits like readline: Ctrl+A E B F K U W Y, Alt+B F D."

// commandRows is a command, and why it is off.
func (m *Model) commandRows(c Command, w int) []string {
	lines := m.helpRows(w, "/"+c.Name+" "+c.Args, c.Help)
	if why := c.off(&m.view); why != "" {
		for _, s := range text.Wrap("off now: "+why, w-7) {
			lines = append(lines, style.Row(w, style.Spans{{text.Blanks(5) + s, m.theme.Tones[style.Warn]}}, nil))
		}
	}
	return lines
}

// helpRows is one entry: the name, and the words beside it or, if it is long, below.
func (m *Model) helpRows(w int, name, words string) []string {
	const column = 24
	t := m.theme
	name = strings.TrimRight(name, " ")
	if w < 80 { // beside the names there is no room for sentences
		rows := []string{style.Row(w, style.Spans{{"   " + name, t.Key}}, nil)}
		for _, line := range text.Wrap(words, w-7) {
			rows = append(rows, style.Row(w, style.Spans{{"     " + line, t.Faint}}, nil))
		}
		return rows
	}
	var rows []string
	first := style.Spans{{"   " + text.Fit(name, column), t.Key}}
	if text.Width(name) > column {
		rows = append(rows, style.Row(w, style.Spans{{"   " + name, t.Key}}, nil))
		first = style.Spans{{text.Blanks(3 + column), ""}}
	}
	for _, line := range text.Wrap(words, max(w-column-6, 20)) {
		rows = append(rows, style.Row(w, append(first, style.Span{"  " + line, t.Faint}), nil))
		first = style.Spans{{text.Blanks(3 + column), ""}}
	}
	return rows
}

// off is why the command cannot be given now.
func (c Command) off(v *view.View) string { return c.offAs(v, "/"+c.Name) }
