package tui

import (
	tea "charm.land/bubbletea/v2"

	"ferrus/ui"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// found is what commands are completed with. What cannot be read is not there to
// be chosen; the command itself says why.
func (d *deck) found() view.Completions {
	var f view.Completions
	if d.options.Found != nil {
		f = d.options.Found()
	}
	if all, err := d.engine.Specs(); err == nil {
		f.Specs = d.specFiles(all)
	}
	return f
}

// runs is the list of pairs.
func (d *deck) runs() tea.Msg {
	all := d.found().Runs
	if len(all) == 0 {
		return ui.DoneMsg{Text: "no pair has run in this project: /pair <task> begins one"}
	}
	return ui.RunsMsg{Runs: all}
}

// old reads the texts of a task that was put away.
func (d *deck) old(id string) tea.Msg {
	if d.options.Texts == nil {
		return ui.DoneMsg{Text: "read it in a shell: ferrus tasks " + text.Sanitize(id), Error: true}
	}
	s, err := d.options.Texts(id)
	if err != nil {
		return ui.DoneMsg{Text: err.Error(), Error: true}
	}
	return ui.PageMsg{Title: text.Sanitize(id), Text: s}
}
