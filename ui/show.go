package ui

import (
	"fmt"
	"slices"
	"strings"
)

// Document is a text of the task, as its writer left it.
type Document struct{ Name, Text string }

// specSheet is the name of the newest specification, which is read when it is
// asked for.
const specSheet = "spec"

// sheetNames are the texts that there are now.
func (v *View) sheetNames() (names []string) {
	for _, s := range v.Sheets {
		names = append(names, s.Name)
	}
	if v.Spec.Last != "" || len(v.Found.Specs) > 0 {
		names = append(names, specSheet)
	}
	return names
}

func completeShow(v *View, words []string) (all []Suggestion) {
	switch {
	case len(words) == 0:
		return append(plain(v.sheetNames()), v.Found.Tasks...)
	case len(words) == 1 && words[0] == specSheet:
		return specNames(v)
	}
	return nil
}

func makeShow(v *View, args string) (Intent, error) {
	names := v.sheetNames()
	name, rest := word(args)
	switch {
	case name == specSheet:
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
	if args == specSheet {
		return ReadSpec{}, nil
	}
	return openSheet{args}, nil
}

// isTask reports whether a word looks like the id of a task.
func isTask(word string) bool { return strings.HasPrefix(word, "t-") }

// sheetPage is one text, as it is now.
func sheetPage(name string) *page {
	return &page{kind: DialogSheet, title: name, full: true, sheet: func(m *Model) string {
		for _, s := range m.view.Sheets {
			if s.Name == name {
				return s.Text
			}
		}
		return "The " + name + " is not there any more."
	}}
}
