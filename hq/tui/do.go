package tui

import (
	tea "charm.land/bubbletea/v2"

	"ferrus/hq/core"
	"ferrus/hq/tui/slash"
	"ferrus/ui"
	"ferrus/ui/intent"
)

// do takes an intent from the screen, and returns the command that does it. Update calls
// it, so it touches no disk, no process and no engine: it only queues what has to keep
// its order.
func (a *app) do(wanted intent.Intent) tea.Cmd { return a.idle.track(a.guard(a.command(wanted))) }

func (a *app) command(wanted intent.Intent) tea.Cmd {
	if cmd, done := a.elsewhere(wanted); done {
		return cmd
	}
	switch i := wanted.(type) {
	case slash.Request:
		return func() tea.Msg { return a.run(i) }
	case intent.Answer:
		return func() tea.Msg { return a.run(slash.Answer{Answer: i}) }
	case intent.SwitchScreen:
		return func() tea.Msg { return a.run(slash.SwitchScreen{Slot: core.Slot(i.Slot)}) }
	case intent.Input:
		return a.typed.put(a.session(i), i.Data)
	case intent.Resize:
		return a.ordered.add(func() { a.Engine.Resize(core.Slot(i.Slot), i.Columns, i.Rows) })
	case intent.LoadEntry:
		return func() tea.Msg { return a.entry(i.Entry) }
	case intent.LoadDiff:
		return func() tea.Msg { return a.diff(i.Round, ui.DoneMsg{}) }
	case intent.KeepComments:
		return a.keepComments(i.Drafts)
	case intent.SendComments:
		return func() tea.Msg { return a.sendComments(i.Drafts) }
	case intent.LoadCompletions:
		return func() tea.Msg { return ui.FoundMsg{Found: a.completions()} }
	case intent.LoadFiles:
		return a.files
	case intent.AttachFile:
		return func() tea.Msg { return a.attach(i) }
	case intent.SelectTask:
		return func() tea.Msg { a.selectTask(i.ID); return nil }
	case intent.Shell:
		return func() tea.Msg { return a.openShell(i.Command) }
	case intent.OpenProject:
		return func() tea.Msg { return a.openProject(i.Dir) }
	case intent.Quit:
		return a.quit(i)
	}
	return a.terminalCommand(wanted)
}

// terminalCommand returns the command for what is the terminal's, or is kept.
func (a *app) terminalCommand(wanted intent.Intent) tea.Cmd {
	switch i := wanted.(type) {
	case intent.Copy:
		return a.copy(i)
	case intent.Notify:
		return a.notify(i)
	case intent.Edit:
		return func() tea.Msg { return a.edit(i.Text) }
	case intent.Suspend:
		return a.terminal.Suspend(a.ctx, resumed)
	case intent.SaveHistory:
		return a.save(func(m Memory) { m.SaveHistory(i.Line) })
	case intent.SaveLayout:
		return a.save(func(m Memory) { m.SaveLayout(i.Layout) })
	}
	return nil
}

// run runs a request, and says how it went. What failed is given back to be typed again.
func (a *app) run(r slash.Request) tea.Msg {
	result, err := r.Run(a.ctx, a.Commands)
	switch {
	case err != nil:
		return ui.DoneMsg{Text: err.Error(), Error: true, Line: r.CommandLine()}
	case result.Dialog != nil:
		return ui.OpenMsg{Dialog: result.Dialog, Later: result.Later}
	case result.Page.Title != "":
		return ui.PageMsg{Title: result.Page.Title, Text: result.Page.Markdown}
	}
	return ui.DoneMsg{Text: result.Text, Error: result.Error, Slot: string(result.Slot)}
}

// quit ends HQ, once nothing of ours is under way to the terminal.
func (a *app) quit(i intent.Quit) tea.Cmd {
	a.stop.Store(!i.Leave)
	return a.terminal.Release(a.ctx, tea.Quit)
}

// save keeps something for the next HQ, in the order in which it was done.
func (a *app) save(what func(Memory)) tea.Cmd {
	if a.Memory == nil {
		return nil
	}
	return a.ordered.add(func() { what(a.Memory) })
}

// resumed returns what comes of a suspension.
func resumed(err error) tea.Msg {
	if err != nil {
		return ui.DoneMsg{Text: err.Error(), Error: true}
	}
	return ui.DoneMsg{}
}
