package ui

import (
	"ferrus/ui/view"
	"fmt"
	"slices"
	"strings"
)

func completeShow(v *view.View, words []string) (all []view.Suggestion) {
	switch {
	case len(words) == 0:
		return append(plain(v.DocumentNames()), v.Found.Tasks...)
	case len(words) == 1 && words[0] == view.SpecDocument:
		return specNames(v)
	}
	return nil
}

func makeShow(v *view.View, args string) (Intent, error) {
	names := v.DocumentNames()
	name, rest := word(args)
	switch {
	case name == view.SpecDocument:
		return ReadSpec{rest}, nil
	case rest == "" && isTask(name):
		return ReadTask{name}, nil
	case len(names) == 0:
		return nil, fmt.Errorf("there is no text yet: a task has some")
	case args == "":
		args = names[0]
	case !slices.Contains(names, args):
		return nil, fmt.Errorf("/show takes one of: %s, or the id of a task", strings.Join(names, ", "))
	}
	if args == view.SpecDocument {
		return ReadSpec{}, nil
	}
	return openSheet{args}, nil
}

// isTask reports whether a word looks like the id of a task.
func isTask(word string) bool { return strings.HasPrefix(word, "t-") }

// sheetPage is one text, as it is now.
func sheetPage(name string) *page {
	return &page{kind: DialogSheet, title: name, full: true, sheet: func(m *Model) string {
		for _, s := range m.view.Documents {
			if s.Name == name {
				return s.Text
			}
		}
		return "The " + name + " is not there any more."
	}}
}
