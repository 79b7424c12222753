package slash

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ferrus/hq/core"
	"ferrus/hq/spec"
	"ferrus/ui/dialog"
	"ferrus/ui/intent"
	"ferrus/ui/prompt"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// listMilestones offers the milestones of all specs, or of one, as they are now.
type listMilestones struct {
	once
	Spec string
}

// selectMilestone selects a milestone of a spec, or nothing. Draft begins its task at
// once.
type selectMilestone struct {
	Spec, Milestone string
	Draft           bool
}

// parseMilestones lists all milestones or one spec's, or selects one at once.
func parseMilestones(_ *view.View, args string) (intent.Intent, error) {
	name, milestone := prompt.Word(args)
	if milestone != "" {
		return selectMilestone{Spec: name, Milestone: milestone}, nil
	}
	return listMilestones{Spec: name}, nil
}

// completeMilestones suggests specs, then the milestones of one that can be selected.
func completeMilestones(v *view.View, words []string) (all []view.Suggestion) {
	switch len(words) {
	case 0:
		return specNames(v)
	case 1:
		i := slices.IndexFunc(v.Found.Specs, func(s view.SpecFile) bool {
			return s.Name == words[0] || s.Path == words[0]
		})
		if i < 0 {
			return nil
		}
		for _, m := range v.Found.Specs[i].Milestones {
			if m.ID != "" {
				status := strings.TrimSpace(strings.TrimPrefix(m.Status(), m.ID))
				all = append(all, view.Suggestion{m.ID, m.Title + "  " + status})
			}
		}
	}
	return all
}

// specNames suggests the specs.
func specNames(v *view.View) (all []view.Suggestion) {
	for _, s := range v.Found.Specs {
		all = append(all, view.Suggestion{s.Name, strings.TrimSpace(s.Progress + "  " + s.Path)})
	}
	return all
}

// Run reads the specs and opens the list.
func (l listMilestones) Run(_ context.Context, e *Env) (Result, error) {
	var all []spec.Spec
	var err error
	if l.Spec == "" {
		all, err = e.Specs.Specs()
	} else {
		all = make([]spec.Spec, 1)
		all[0], err = e.findSpec(l.Spec)
	}
	if err == nil && len(all) == 0 {
		err = errNoSpec
	}
	if err != nil {
		return Result{}, err
	}
	return Result{Dialog: specList(e.SpecFiles(all))}, nil
}

var errNoSpec = errors.New("there is no spec yet: /spec writes one with you")

// findSpec returns the spec that a path or a name means.
func (e *Env) findSpec(name string) (spec.Spec, error) {
	all, err := e.Specs.Specs()
	if err != nil {
		return spec.Spec{}, err
	}
	var known []string
	for _, s := range all {
		if s.Path == name || s.Name() == name {
			return s, nil
		}
		known = append(known, s.Name())
	}
	if len(known) == 0 {
		return spec.Spec{}, errNoSpec
	}
	return spec.Spec{}, fmt.Errorf("unknown spec %.80q; use one of: %s", name, strings.Join(known, ", "))
}

// SpecFiles returns specs as the screen shows them.
func (e *Env) SpecFiles(all []spec.Spec) []view.SpecFile {
	selected := e.Viewer.View().State.World.Selection
	out := make([]view.SpecFile, len(all))
	for i, s := range all {
		out[i] = specFile(s, selected)
	}
	return out
}

func specFile(s spec.Spec, selected core.Selection) view.SpecFile {
	done, all := s.Progress()
	out := view.SpecFile{Path: text.Sanitize(s.Path), Name: text.Sanitize(s.Name()),
		Progress: fmt.Sprintf("%d/%d", done, all)}
	if err := s.Err(); err != nil {
		out.Problem = text.Sanitize(strings.TrimPrefix(err.Error(), s.Path+" has to be edited first: "))
		return out
	}
	for _, m := range s.Milestones {
		out.Milestones = append(out.Milestones, view.Milestone{
			ID: text.Sanitize(m.ID), Title: text.Sanitize(m.String()), On: text.Sanitize(strings.Join(m.Depends, ", ")),
			Waits: text.Sanitize(strings.Join(s.Waits(m), ", ")), Done: m.Done,
			Chosen: s.Path == selected.SelectedSpec && m.ID == selected.SelectedMilestone && m.ID != "",
		})
	}
	return out
}

// specList is /milestones: the specs, then the milestones of one, then what to do with
// it. A single spec is open at once.
func specList(specs []view.SpecFile) dialog.Dialog {
	l := &dialog.List{Of: dialog.KindSpecs, Title: "Choose a spec"}
	for _, s := range specs {
		item := dialog.Item{Name: s.Name, Words: s.Progress + "  " + s.Path, List: milestoneList(s)}
		if s.Problem != "" {
			item = dialog.Item{Name: s.Name, Words: "cannot be used", List: problemList(s)}
		}
		l.Items = append(l.Items, item)
	}
	if len(l.Items) == 1 {
		return l.Items[0].List
	}
	return l
}

// problemList shows what has to be edited, a line each.
func problemList(s view.SpecFile) *dialog.List {
	l := &dialog.List{Of: dialog.KindSpecProblem, Title: s.Path + " cannot be used"}
	for line := range strings.SplitSeq(s.Problem, "; ") {
		l.Items = append(l.Items, dialog.Item{Name: line})
	}
	return l
}

func milestoneList(s view.SpecFile) *dialog.List {
	l := &dialog.List{Of: dialog.KindMilestones, Title: s.Name + "  " + s.Progress, At: -1}
	for i, m := range s.Milestones {
		mark := "[ ] "
		if m.Done {
			mark = "[x] "
		}
		item := dialog.Item{Name: mark + m.Title, Words: m.Status(), List: milestoneChoice(s, m)}
		if m.ID == "" {
			item.List = nil
		}
		ready := item.List != nil && !m.Done && m.Waits == ""
		if m.Chosen || l.At < 0 && ready {
			l.At = i
		}
		l.Items = append(l.Items, item)
	}
	l.At = max(l.At, 0)
	if len(l.Items) == 0 {
		l.Items = []dialog.Item{{Name: "it has no milestone: a line - [ ] #1.0 Title with a line ID: m1.0 below it"}}
	}
	return l
}

// milestoneChoice returns what to do with a milestone. What would surprise is in the
// title.
func milestoneChoice(s view.SpecFile, m view.Milestone) *dialog.List {
	l := &dialog.List{Of: dialog.KindMilestone, Title: m.ID + " " + m.Title}
	switch {
	case m.Done:
		l.Title += " is done"
	case m.Waits != "":
		l.Title += " waits for " + m.Waits
	}
	l.Items = []dialog.Item{
		{Name: "select it", Intent: selectMilestone{Spec: s.Path, Milestone: m.ID}},
		{Name: "select it and draft its task now", Intent: selectMilestone{Spec: s.Path, Milestone: m.ID, Draft: true}},
	}
	return l
}

// Intent implements [intent.Intent].
func (selectMilestone) Intent() {}

// Run selects, and begins the task if that is wanted.
func (m selectMilestone) Run(ctx context.Context, e *Env) (Result, error) {
	if m.Spec == "" {
		return m.deselect(ctx, e)
	}
	one, err := e.findSpec(m.Spec)
	if err != nil {
		return Result{}, err
	}
	if err := e.Specs.SelectMilestone(ctx, one.Path, m.Milestone); err != nil {
		return Result{}, err
	}
	words := fmt.Sprintf("%s of %s is selected", m.Milestone, spec.Name(one.Path))
	if !m.Draft {
		return Result{Text: words + "; /task drafts its task"}, nil
	}
	started, err := task{Again: true}.Run(ctx, e)
	return report(words+". "+started.Text, err)
}

func (m selectMilestone) deselect(ctx context.Context, e *Env) (Result, error) {
	if e.Viewer.View().State.World.SelectedSpec == "" {
		return report("Nothing is selected", nil)
	}
	return report("No spec is selected", e.Specs.SelectMilestone(ctx, "", ""))
}

// CommandLine returns the command as it would be typed.
func (m selectMilestone) CommandLine() string {
	if m.Milestone == "" {
		return ""
	}
	return "/milestones " + m.Spec + " " + m.Milestone
}
