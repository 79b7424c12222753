package ui

import (
	"errors"
	"ferrus/ui/view"
	"fmt"
	"strings"
)

// makeResume takes a slot by the name on its pane, too.
func makeResume(v *view.View, args string) (Intent, error) {
	for _, p := range v.Panes {
		if p.Title.Name == args {
			args = p.Slot
		}
	}
	return Resume{args}, nil
}

func makeAttach(v *view.View, args string) (Intent, error) {
	p, err := paneOf(v, "attach", args)
	if err != nil {
		return nil, err
	}
	return focusPane{p.Title.Number}, nil
}

func makeTell(v *view.View, args string) (Intent, error) {
	name, text := word(args)
	if text == "" {
		return nil, errors.New("/tell takes a slot and a text")
	}
	p, err := paneOf(v, "tell", name)
	if err != nil {
		return nil, err
	}
	return Tell{p.Slot, text}, nil
}

// paneOf is the pane that a command names.
func paneOf(v *view.View, command, name string) (*view.Pane, error) {
	var known []string
	for i := range v.Panes {
		p := &v.Panes[i]
		if name != "" && (p.Slot == name || p.Title.Name == name) {
			return p, nil
		}
		known = append(known, p.Slot)
	}
	if len(known) == 0 {
		return nil, fmt.Errorf("/%s needs a session: there is none yet", command)
	}
	return nil, fmt.Errorf("/%s takes one of: %s", command, strings.Join(known, ", "))
}

// slots are those that had a session.
func slots(v *view.View, words []string) (all []view.Suggestion) {
	if len(words) > 0 {
		return nil
	}
	for _, p := range v.Panes {
		all = append(all, view.Suggestion{p.Slot, p.Title.Agent + "  " + p.Title.Status})
	}
	return all
}
