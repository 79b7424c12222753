package ui

import (
	"slices"

	"ferrus/ui/view"
)

// recipients returns the agents that plain text can go to: those at work, the newest
// first. While none is, and no task can begin either, it is for a next session.
func recipients(v *view.View) (names []string) {
	panes := slices.Clone(v.Panes)
	slices.SortStableFunc(panes, func(a, b view.Pane) int {
		switch {
		case a.Born > b.Born:
			return -1
		case a.Born < b.Born:
			return 1
		}
		return 0
	})
	waits := v.Disabled["task"] != ""
	if slices.ContainsFunc(panes, func(p view.Pane) bool { return p.Living }) {
		waits = false
	}
	for _, p := range panes {
		switch {
		case waits && p.Slot == "executor": // its session is the next one most of the time
			names = slices.Insert(names, 0, p.Title.Name)
		case p.Living || waits:
			names = append(names, p.Title.Name)
		}
	}
	return names
}
