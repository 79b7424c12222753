package ui

import (
	"ferrus/ui/view"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// choice is one way to complete what is typed.
type choice struct {
	text  string // the whole line with it
	name  string // what is shown
	words string
	off   string
}

// discover asks once for each command that is typed.
func (m *Model) discover() tea.Cmd {
	line, slash := strings.CutPrefix(m.prompt.text, "/")
	name, _ := word(line)
	c, _ := Lookup(name)
	if !slash || !c.NeedsCompletions {
		m.discovered = ""
		return nil
	}
	if m.discovered == name {
		return nil
	}
	m.discovered = name
	return m.do(LoadCompletions{})
}

// choices are the ways to complete line: a command's name, or its arguments.
func choices(v *view.View, line string) []choice {
	if !strings.HasPrefix(line, "/") || strings.Contains(line, "\n") {
		return nil
	}
	name, rest, arguments := strings.Cut(line[1:], " ")
	if !arguments {
		return nameChoices(v, name)
	}
	c, ok := Lookup(name)
	if !ok || c.Complete == nil {
		return nil
	}
	words := strings.Fields(rest)
	last := ""
	if len(words) > 0 && !strings.HasSuffix(rest, " ") {
		last, words = words[len(words)-1], words[:len(words)-1]
	}
	var ranked [3][]choice
	before := line[:len(line)-len(last)]
	for _, s := range c.Complete(v, words) {
		if rank := match(strings.ToLower(s.Word), strings.ToLower(last)); rank >= 0 && s.Word != last {
			ranked[rank] = append(ranked[rank], choice{before + s.Word + " ", s.Word, s.Help, c.offAs(v, before+s.Word)})
		}
	}
	if found := append(ranked[0], ranked[1]...); len(found) > 0 {
		return found
	}
	return ranked[2]
}

// offAs is why the command cannot be given as a line has it.
func (c Command) offAs(v *view.View, line string) string {
	if c.Disabled == nil {
		return ""
	}
	_, args := word(line)
	return c.Disabled(v, args)
}

// nameChoices are the commands that begin as typed, the exact one first; if none
// does, those that have its letters in this order.
func nameChoices(v *view.View, typed string) []choice {
	var ranked [3][]choice
	for _, c := range Commands {
		rank := match(c.Name, typed)
		if rank < 0 {
			continue
		}
		text := "/" + c.Name
		if c.Args != "" {
			text += " "
		}
		ranked[rank] = append(ranked[rank], choice{text, strings.TrimSpace("/" + c.Name + " " + c.Args), c.Help, c.off(v)})
	}
	if found := append(ranked[0], ranked[1]...); len(found) > 0 {
		return found
	}
	return ranked[2]
}

// match ranks a name for what is typed: 0 exact, 1 begins so, 2 has the letters
// in this order, -1 not at all.
func match(name, typed string) int {
	switch {
	case name == typed:
		return 0
	case strings.HasPrefix(name, typed):
		return 1
	}
	rest := name
	for _, r := range typed {
		i := strings.IndexRune(rest, r)
		if i < 0 {
			return -1
		}
		rest = rest[i+len(string(r)):]
	}
	return 2
}

// common is the longest beginning that all choices share.
func common(all []choice) string {
	if len(all) == 0 {
		return ""
	}
	prefix := all[0].text
	for _, c := range all[1:] {
		for !strings.HasPrefix(c.text, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	return prefix
}
