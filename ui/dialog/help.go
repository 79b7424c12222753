package dialog

import (
	"slices"
	"strings"

	"ferrus/ui/keys"
	"ferrus/ui/prompt"
	"ferrus/ui/style"
	"ferrus/ui/text"
)

// Help shows the keys of a place and the commands that are available now, then all other
// keys, the topics of the guide, and the commands that are not available, each with the
// reason. Closing it goes back to a dialog; nil: to the panes.
func Help(in keys.Context, back Dialog) Dialog {
	return &page{kind: KindHelp, title: "help", back: back, rows: func(c Context, w int) []string {
		return helpRows(c, in, w)
	}}
}

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

// HelpAtPrompt returns the help of the prompt.
func HelpAtPrompt() Dialog { return Help(keys.AtPrompt, nil) }

func helpRows(c Context, in keys.Context, w int) (rows []string) {
	head := func(s string) {
		if len(rows) > 0 {
			rows = append(rows, text.Blanks(w))
		}
		rows = append(rows, style.Row(w, style.Spans{{" " + s, c.Theme.Brand}}, nil))
	}
	list := func(some keys.Map) {
		for _, b := range some {
			rows = append(rows, entryRows(c.Theme, w, b.Label, b.Help)...)
		}
	}
	commands := func(available bool) {
		for _, command := range c.Commands {
			if (command.WhyDisabled(c.View, "") == "") == available {
				rows = append(rows, commandRows(c, command, w)...)
			}
		}
	}
	head("keys " + placeTitle(c, in) + " (you are here)")
	list(c.Keys.In(in))
	head("commands")
	commands(true)
	for _, group := range keys.Groups {
		if group&in == 0 {
			head("keys " + groupTitle(c, group))
			elsewhere := func(b keys.Binding) bool { return b.In.String() != group.String() }
			list(slices.DeleteFunc(slices.Clone(c.Keys), elsewhere))
		}
	}
	head("the prompt")
	for _, s := range text.Wrap(prompt.Help, w-4) {
		rows = append(rows, style.Row(w, style.Spans{{"   " + s, ""}}, nil))
	}
	if topics := c.topics(); len(topics) > 0 {
		head("the guide")
		for _, topic := range topics {
			rows = append(rows, entryRows(c.Theme, w, "/help "+topic.Name, topic.Summary)...)
		}
	}
	head("commands that are not available now")
	commands(false)
	return rows
}

// placeTitle returns the heading of the keys of one place.
func placeTitle(c Context, in keys.Context) string {
	switch in {
	case keys.InDiff:
		return "in the diff"
	case keys.InLog:
		return "in the log"
	case keys.OnPage:
		return "on a page"
	}
	return groupTitle(c, in)
}

// groupTitle returns the heading of keys, with the leader as it is bound now.
func groupTitle(c Context, group keys.Context) string {
	if group == keys.AfterLeader {
		return "after " + c.Keys.First(keys.Leader)
	}
	return group.String()
}

// commandRows returns a command, and why it is not available.
func commandRows(c Context, command prompt.Command, w int) []string {
	why := command.WhyDisabled(c.View, "")
	if why == "" {
		return entryRows(c.Theme, w, command.Usage(), command.Help)
	}
	return dimRows(c.Theme, w, command.Usage(), "not available now: "+why)
}

// entryRows returns one entry: the name, and the words beside it or, if it is long,
// below.
func entryRows(t *style.Theme, w int, name, words string) (rows []string) {
	return namedRows(w, style.Span{name, t.Strong}, style.Span{words, ""})
}

// dimRows returns an entry of what does not count now.
func dimRows(t *style.Theme, w int, name, words string) (rows []string) {
	return namedRows(w, style.Span{name, t.Faint}, style.Span{words, t.Faint})
}

func namedRows(w int, named, about style.Span) (rows []string) {
	column := 24
	if w < 80 { // the words need the room more
		column = 15
	}
	name, words := strings.TrimRight(named.Text, " "), about.Text
	first := style.Spans{{"   " + text.Fit(name, column), named.Paint}}
	if text.Width(name) > column {
		rows = append(rows, style.Row(w, style.Spans{{"   " + name, named.Paint}}, nil))
		first = style.Spans{{text.Blanks(3 + column), ""}}
	}
	for _, line := range text.Wrap(words, max(w-column-6, 20)) {
		rows = append(rows, style.Row(w, append(first, style.Span{"  " + line, about.Paint}), nil))
		first = style.Spans{{text.Blanks(3 + column), ""}}
	}
	return rows
}
