package ui

import (
	"ferrus/ui/view"
	"slices"
	"strings"
)

// makeMilestones shows the list, that of one specification, or selects at once.
func makeMilestones(_ *view.View, args string) (Intent, error) {
	spec, milestone := word(args)
	if milestone != "" {
		return SelectMilestone{Spec: spec, Milestone: milestone}, nil
	}
	return Milestones{spec}, nil
}

// completeMilestones suggests specifications, then what of one can be selected.
func completeMilestones(v *view.View, words []string) (all []view.Suggestion) {
	switch len(words) {
	case 0:
		return specNames(v)
	case 1:
		i := slices.IndexFunc(v.Found.Specs, func(s view.SpecFile) bool { return s.Name == words[0] || s.Path == words[0] })
		if i < 0 {
			return nil
		}
		for _, m := range v.Found.Specs[i].Milestones {
			if m.ID != "" {
				all = append(all, view.Suggestion{m.ID, m.Title + "  " + strings.TrimSpace(strings.TrimPrefix(m.Status(), m.ID))})
			}
		}
	}
	return all
}

// specNames suggests the specifications there are.
func specNames(v *view.View) (all []view.Suggestion) {
	for _, s := range v.Found.Specs {
		all = append(all, view.Suggestion{s.Name, strings.TrimSpace(s.Progress + "  " + s.Path)})
	}
	return all
}

// specPicker is /milestones: the specifications, then the milestones of one, then
// what to do with it. A single specification is open at once.
func specPicker(specs []view.SpecFile) dialog {
	p := &picker{kind: DialogSpecs, title: "milestones of which specification?"}
	for _, s := range specs {
		one := pick{name: s.Name, words: s.Progress + "  " + s.Path, list: milestoneList(s)}
		if s.Problem != "" {
			one = pick{name: s.Name, words: "cannot be used", list: problemList(s)}
		}
		p.items = append(p.items, one)
	}
	if len(p.items) == 1 {
		return p.items[0].list
	}
	return p
}

// problemList shows what has to be edited, a line each.
func problemList(s view.SpecFile) *picker {
	p := &picker{kind: DialogSpecProblem, title: s.Path + " cannot be used"}
	for line := range strings.SplitSeq(s.Problem, "; ") {
		p.items = append(p.items, pick{name: line})
	}
	return p
}

func milestoneList(s view.SpecFile) *picker {
	p := &picker{kind: DialogMilestones, title: s.Name + "  " + s.Progress, at: -1}
	for i, m := range s.Milestones {
		mark := "[ ] "
		if m.Done {
			mark = "[x] "
		}
		item := pick{name: mark + m.Title, words: m.Status(), list: milestoneChoice(s, m)}
		if m.ID == "" {
			item.list = nil
		}
		ready := item.list != nil && !m.Done && m.Waits == ""
		if m.Chosen || p.at < 0 && ready {
			p.at = i
		}
		p.items = append(p.items, item)
	}
	p.at = max(p.at, 0)
	if len(p.items) == 0 {
		p.items = []pick{{name: "it has no milestone: a line - [ ] #1.0 Title with a line ID: m1.0 below it"}}
	}
	return p
}

// milestoneChoice is what to do with a milestone. What would surprise is said in the title.
func milestoneChoice(s view.SpecFile, m view.Milestone) *picker {
	p := &picker{kind: DialogMilestone, title: m.ID + " " + m.Title}
	switch {
	case m.Done:
		p.title += " is done"
	case m.Waits != "":
		p.title += " waits for " + m.Waits
	}
	p.items = []pick{
		{name: "select it", intent: SelectMilestone{Spec: s.Path, Milestone: m.ID}},
		{name: "select it and draft its task now", intent: SelectMilestone{Spec: s.Path, Milestone: m.ID, Draft: true}},
	}
	return p
}
