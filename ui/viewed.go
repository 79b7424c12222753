package ui

import "slices"

// maxViewed bounds the marks that are kept.
const maxViewed = 1000

// viewed is the patches that the human has viewed, by their marks.
type viewed struct {
	marked map[string]bool
	order  []string // oldest first
}

func newViewed(marks []string) viewed {
	v := viewed{marked: map[string]bool{}}
	for _, m := range marks[max(len(marks)-maxViewed, 0):] {
		v.toggle(m)
	}
	return v
}

// toggle marks a patch, or takes the mark away.
func (v *viewed) toggle(mark string) {
	if v.marked[mark] {
		delete(v.marked, mark)
		v.order = slices.DeleteFunc(v.order, func(m string) bool { return m == mark })
		return
	}
	v.marked[mark] = true
	v.order = append(v.order, mark)
	if len(v.order) > maxViewed {
		delete(v.marked, v.order[0])
		v.order = v.order[1:]
	}
}
