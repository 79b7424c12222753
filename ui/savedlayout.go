package ui

import (
	"ferrus/ui/view"
	"slices"

	tea "charm.land/bubbletea/v2"
)

// mostViewed bounds the marks that are kept.
const mostViewed = 1000

// viewed are the marks of patches.
type viewed struct {
	marked map[string]bool
	order  []string // oldest first
}

func newViewed(marks []string) viewed {
	v := viewed{marked: map[string]bool{}}
	for _, m := range marks[max(len(marks)-mostViewed, 0):] {
		v.turn(m)
	}
	return v
}

// turn marks a patch, or takes the mark away.
func (v *viewed) turn(mark string) {
	if v.marked[mark] {
		delete(v.marked, mark)
		v.order = slices.DeleteFunc(v.order, func(m string) bool { return m == mark })
		return
	}
	v.marked[mark] = true
	v.order = append(v.order, mark)
	if len(v.order) > mostViewed {
		delete(v.marked, v.order[0])
		v.order = v.order[1:]
	}
}

// keep hands out what is to stay for the next time.
func (m *Model) keep() tea.Cmd { return m.carry(m.kept()) }

func (m *Model) kept() SaveLayout {
	return SaveLayout{view.SavedLayout{Split: m.screen.split, Viewed: slices.Clone(m.viewed.order)}}
}
