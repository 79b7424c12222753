package deck

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ferrus/hq"
	"ferrus/hq/spec"
	"ferrus/ui"
)

// specs reads what /milestones offers.
func (d *deck) specs() tea.Msg {
	all, err := d.engine.Specs()
	if err != nil {
		return ui.DoneMsg{Text: err.Error(), Error: true}
	}
	if len(all) == 0 {
		return ui.DoneMsg{Text: "there is no specification yet: /spec writes one with you", Error: true}
	}
	now := d.engine.View().State.World.Selection
	out := make([]ui.SpecFile, len(all))
	for i, s := range all {
		out[i] = specFile(s, now)
	}
	return ui.SpecsMsg{Specs: out}
}

func specFile(s spec.Spec, now hq.Selection) ui.SpecFile {
	done, all := s.Progress()
	out := ui.SpecFile{Path: ui.Clean(s.Path), Name: ui.Clean(s.Name()), Progress: fmt.Sprintf("%d/%d", done, all)}
	if err := s.Err(); err != nil {
		out.Problem = ui.Clean(strings.TrimPrefix(err.Error(), s.Path+" has to be edited first: "))
		return out
	}
	for _, m := range s.Milestones {
		out.Milestones = append(out.Milestones, ui.Milestone{
			ID: ui.Clean(m.ID), Title: ui.Clean(m.String()), On: ui.Clean(strings.Join(m.Depends, ", ")),
			Waits: ui.Clean(strings.Join(s.Waits(m), ", ")), Done: m.Done,
			Chosen: s.Path == now.SelectedSpec && m.ID == now.SelectedMilestone && m.ID != "",
		})
	}
	return out
}

// choose selects, and begins the task if that is wished.
func (d *deck) choose(i ui.Choose) (string, error) {
	now := d.engine.View().State.World.Selection
	if i.Spec == "" && now.SelectedSpec == "" {
		return "nothing is selected", nil
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
