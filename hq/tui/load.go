package tui

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	tea "charm.land/bubbletea/v2"

	"ferrus/hq/tui/projection"
	"ferrus/ui"
	"ferrus/ui/intent"
	"ferrus/ui/view"
)

// entry loads all that belongs to an entry of the journal, or to a refusal.
func (a *app) entry(at view.EntryID) tea.Msg {
	zone := a.Now().Location()
	if at.Refused != 0 {
		for _, r := range a.Engine.View().Refused {
			if r.Number == at.Refused {
				return ui.PageMsg{Title: "refusal", Text: projection.Refusal(r, zone)}
			}
		}
		return ui.DoneMsg{Text: "Only the newest refusals are kept; this one is gone", Error: true}
	}
	detail, err := a.Engine.ReadEntry(at.Seq)
	if err != nil {
		return ui.DoneMsg{Text: err.Error(), Error: true}
	}
	return ui.PageMsg{Title: fmt.Sprintf("entry %d", at.Seq), Text: projection.Entry(detail, zone)}
}

// diff loads what the task changed: since it began or, above 0, since a round of comments.
// Drafts that are on their way to the disk count as kept. Done is what was done before.
func (a *app) diff(round int, done ui.DoneMsg) tea.Msg {
	c, err := a.Engine.Diff(a.ctx, round)
	if err != nil {
		return ui.DiffMsg{Error: err.Error(), Done: done}
	}
	if drafts, unsaved := a.drafts.waiting(); unsaved {
		c.Drafts = drafts
	}
	return ui.DiffMsg{Diff: projection.Diff(c, a.Now()), Done: done}
}

// completions loads what commands are completed with. What cannot be read cannot be
// chosen; the command itself says why.
func (a *app) completions() (f view.Completions) {
	if p := a.Commands.Project; p != nil {
		f = p.Completions()
	}
	if all, err := a.Commands.Specs.Specs(); err == nil {
		f.Specs = a.Commands.SpecFiles(all)
	}
	return f
}

// files loads the files that a text can name.
func (a *app) files() tea.Msg {
	if a.Commands.Project == nil {
		return nil
	}
	found, err := a.Commands.Project.List(a.ctx)
	if err != nil {
		return ui.DoneMsg{Text: "list the files: " + err.Error(), Error: true}
	}
	return ui.FilesMsg{Files: found}
}

// attach attaches the file whose path was pasted. What is no file stays as text.
func (a *app) attach(i intent.AttachFile) tea.Msg {
	if a.Commands.Project == nil {
		return nil
	}
	f, err := a.Commands.Project.Attach(i.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nil
	case err != nil:
		return ui.DoneMsg{Text: "attach the file: " + err.Error(), Error: true}
	}
	return ui.AttachedMsg{Pasted: i.Pasted, File: f}
}
