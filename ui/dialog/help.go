package dialog

import (
	"strings"

	"ferrus/ui/keys"
	"ferrus/ui/prompt"
	"ferrus/ui/style"
	"ferrus/ui/text"
)

// Help shows all commands, keys and topics of the guide, with the reason where a command
// is not available.
func Help() Dialog { return &page{kind: KindHelp, title: "help", rows: helpRows} }

// HelpOn shows one command: what it takes, and why it is not available.
func HelpOn(command prompt.Command) Dialog {
	return &page{kind: KindHelp, title: "help " + command.Name, rows: func(c Context, w int) []string {
		rows := commandRows(c, command, w)
		if command.Complete == nil {
			return rows
		}
		for _, s := range command.Complete(c.View, nil) {
			rows = append(rows, entryRows(c.Theme, w, "  "+s.Word, s.Help)...)
		}
		return rows
	}}
}

// Guide shows a topic of the guide.
func Guide(title, markdown string) Dialog {
	return &page{kind: KindHelp, title: title, full: true, markdown: func(Context) string { return markdown }}
}

func helpRows(c Context, w int) []string {
	head := func(s string) string { return style.Row(w, style.Spans{{" " + s, c.Theme.Brand}}, nil) }
	rows := []string{head("commands")}
	for _, command := range c.Commands {
		rows = append(rows, commandRows(c, command, w)...)
	}
	for _, group := range keys.Groups {
		rows = append(rows, text.Blanks(w), head("keys "+groupTitle(c, group)))
		for _, b := range c.Keys {
			if b.In.String() == group.String() {
				rows = append(rows, entryRows(c.Theme, w, b.Label, b.Help)...)
			}
		}
	}
	rows = append(rows, text.Blanks(w), head("the prompt"))
	for _, s := range text.Wrap(prompt.Help, w-4) {
		rows = append(rows, style.Row(w, style.Spans{{"   " + s, ""}}, nil))
	}
	if len(c.Topics) == 0 {
		return rows
	}
	rows = append(rows, text.Blanks(w), head("the guide"))
	for _, topic := range c.Topics {
		rows = append(rows, entryRows(c.Theme, w, "/help "+topic.Name, topic.Summary)...)
	}
	return rows
}

// groupTitle is the heading of keys, with the leader as it is bound now.
func groupTitle(c Context, group keys.Context) string {
	if group == keys.AfterLeader {
		return "after " + c.Keys.First(keys.Leader)
	}
	return group.String()
}

// commandRows is a command, and why it is not available.
func commandRows(c Context, command prompt.Command, w int) []string {
	why := command.WhyDisabled(c.View, "")
	if why == "" {
		return entryRows(c.Theme, w, command.Usage(), command.Help)
	}
	dim := *c.Theme
	dim.Key = dim.Faint
	return entryRows(&dim, w, command.Usage(), "not available now: "+why)
}

// entryRows is one entry: the name, and the words beside it or, if it is long, below.
func entryRows(t *style.Theme, w int, name, words string) (rows []string) {
	const column = 24
	name = strings.TrimRight(name, " ")
	if w < 80 { // beside the names there is no room for sentences
		rows = append(rows, style.Row(w, style.Spans{{"   " + name, t.Key}}, nil))
		for _, line := range text.Wrap(words, w-7) {
			rows = append(rows, style.Row(w, style.Spans{{"     " + line, t.Faint}}, nil))
		}
		return rows
	}
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
