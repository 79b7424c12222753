package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ferrus/hq/workflow"
	"ferrus/ui"
)

// verbs are the person's answers to a workflow.
var verbs = []string{"approve", "revise", "unblock", "replan", "cancel"}

// workflow shows the workflow, begins one, or gives an answer to it.
func (d *deck) workflow(i ui.Workflow) tea.Msg {
	word, rest, _ := strings.Cut(i.Line, " ")
	rest = strings.TrimSpace(rest)
	var w workflow.Workflow
	var err error
	switch {
	case word == "":
		return d.standing()
	case slices.Contains(verbs, word):
		w, err = d.engine.Decide(d.ctx, word, rest)
	case rest == "":
		err = fmt.Errorf("/workflow %s needs a title that says what it is for", word)
	default:
		w, err = d.engine.StartWorkflow(d.ctx, word, rest)
	}
	if err != nil {
		return ui.DoneMsg{Text: err.Error(), Error: true, Line: retype(i)}
	}
	return ui.DoneMsg{Text: fmt.Sprintf("the %s %s is in %s; /workflow shows it", w.Type, w.Title, w.Phase)}
}

// standing shows where the workflow stands.
func (d *deck) standing() tea.Msg {
	w, story, err := d.engine.Workflow()
	if err != nil {
		return ui.DoneMsg{Text: err.Error(), Error: true}
	}
	return ui.PageMsg{Title: "workflow " + string(w.Type), Text: story}
}
