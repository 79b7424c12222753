package tui

import (
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ferrus/hq/core"
	"ferrus/hq/spec"
	"ferrus/ui"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// specs reads what /milestones offers: of all specifications, or of one.
func (d *deck) specs(name string) tea.Msg {
	all, err := d.engine.Specs()
	if err == nil && name != "" {
		var one spec.Spec
		one, err = specOf(all, name)
		all = []spec.Spec{one}
	}
	if err == nil && len(all) == 0 {
		err = errNoSpec
	}
	if err != nil {
		return ui.DoneMsg{Text: err.Error(), Error: true}
	}
	return ui.SpecsMsg{Specs: d.specFiles(all)}
}

var errNoSpec = errors.New("there is no specification yet: /spec writes one with you")

// specOf is the specification that a person means.
func specOf(all []spec.Spec, name string) (spec.Spec, error) {
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
	return spec.Spec{}, fmt.Errorf("there is no specification %.80q: there is %s", name, strings.Join(known, ", "))
}

func (d *deck) specFiles(all []spec.Spec) []view.SpecFile {
	now := d.engine.View().State.World.Selection
	out := make([]view.SpecFile, len(all))
	for i, s := range all {
		out[i] = specFile(s, now)
	}
	return out
}

func specFile(s spec.Spec, now core.Selection) view.SpecFile {
	done, all := s.Progress()
	out := view.SpecFile{Path: text.Sanitize(s.Path), Name: text.Sanitize(s.Name()), Progress: fmt.Sprintf("%d/%d", done, all)}
	if err := s.Err(); err != nil {
		out.Problem = text.Sanitize(strings.TrimPrefix(err.Error(), s.Path+" has to be edited first: "))
		return out
	}
	for _, m := range s.Milestones {
		out.Milestones = append(out.Milestones, view.Milestone{
			ID: text.Sanitize(m.ID), Title: text.Sanitize(m.String()), On: text.Sanitize(strings.Join(m.Depends, ", ")),
			Waits: text.Sanitize(strings.Join(s.Waits(m), ", ")), Done: m.Done,
			Chosen: s.Path == now.SelectedSpec && m.ID == now.SelectedMilestone && m.ID != "",
		})
	}
	return out
}

// choose selects, and begins the task if that is wished.
func (d *deck) choose(i ui.SelectMilestone) (string, error) {
	now := d.engine.View().State.World.Selection
	if i.Spec == "" && now.SelectedSpec == "" {
		return "nothing is selected", nil
	}
	if i.Spec != "" {
		all, err := d.engine.Specs()
		if err != nil {
			return "", err
		}
		one, err := specOf(all, i.Spec)
		if err != nil {
			return "", err
		}
		i.Spec = one.Path
	}
	if err := d.engine.Choose(d.ctx, i.Spec, i.Milestone); err != nil {
		return "", err
	}
	if i.Spec == "" {
		return "no specification is selected", nil
	}
	words := fmt.Sprintf("%s of %s is selected", i.Milestone, spec.Name(i.Spec))
	if !i.Draft {
		return words + "; /task drafts its task", nil
	}
	started, err := d.task(ui.Task{Again: true})
	return words + "; " + started, err
}
