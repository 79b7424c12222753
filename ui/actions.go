package ui

import (
	tea "charm.land/bubbletea/v2"

	"ferrus/ui/dialog"
	"ferrus/ui/intent"
	"ferrus/ui/keys"
	"ferrus/ui/view"
)

// action executes the action of a screen's key. Key is the pressed one.
type action func(m *Model, key string) tea.Cmd

// actions holds what each action of the screen does. Components do the actions that are
// not in it.
var actions map[keys.Action]action

func init() { // it holds functions that look at Keys, and with that at it
	actions = map[keys.Action]action{
		leader:      func(m *Model, _ string) tea.Cmd { m.keys.leader = true; return nil },
		zoom:        toggleZoom,
		leaderZoom:  toggleZoom,
		keys.Log:    opens(newLog),
		keys.Diff:   opens(dialog.Diff),
		keys.Help:   openHelp,
		leaderHelp:  openHelp,
		leaderLog:   opens(newLog),
		leaderDiff:  opens(dialog.Diff),
		leaderFind:  opens(dialog.Palette),
		palette:     opens(dialog.Palette),
		taskText:    opens(func() dialog.Dialog { return dialog.Document(taskName) }),
		nextSide:    switchSide,
		tasks:       toggleTasks,
		leaderTasks: focusTasks,
		ownScreen:   switchOwnScreen,
		listNotices: openNotices,
		pageUp:      func(m *Model, _ string) tea.Cmd { m.screen.scrollPage(+1); return nil },
		pageDown:    func(m *Model, _ string) tea.Cmd { m.screen.scrollPage(-1); return nil },
		redraw:      func(*Model, string) tea.Cmd { return tea.ClearScreen },
		suspend:     func(m *Model, _ string) tea.Cmd { return m.do(intent.Suspend{}) },
		keys.Quit:   func(m *Model, _ string) tea.Cmd { return m.interrupt() },
		focus:       func(m *Model, key string) tea.Cmd { return m.focusOn(int(key[len(key)-1] - '0')) },
		next:        nextItem,
		read:        beginReading,
		find:        beginFinding,
		showPastes:  openPastes,
		takeOffer:   acceptOffer,
		edit:        func(m *Model, _ string) tea.Cmd { return m.do(intent.Edit{Text: m.prompt.Edit()}) },
		narrower:    resizeBy(-stepColumns, 0),
		wider:       resizeBy(+stepColumns, 0),
		higher:      resizeBy(0, +stepRows),
		lower:       resizeBy(0, -stepRows),
		usual:       resetSplit,
		keys.Leave:  func(m *Model, _ string) tea.Cmd { return m.leave() },
	}
}

func newLog() dialog.Dialog { return dialog.Log(view.EntryID{}) }

// openNotices shows all notices, and removes the newest from the screen.
func openNotices(m *Model, _ string) tea.Cmd {
	m.notices.hide()
	return m.open(dialog.Notices(m.notices.all))
}

// openPastes shows what is attached to the prompt.
func openPastes(m *Model, _ string) tea.Cmd {
	all := m.prompt.Pastes()
	if all == "" {
		m.say("Nothing is attached: only a paste of more than 10 lines becomes an attachment", false)
		return nil
	}
	return m.open(dialog.Pastes(all))
}

// openHelp opens the help of the place where the keys are.
func openHelp(m *Model, _ string) tea.Cmd {
	return m.open(dialog.Help(frame{Model: m}.place(), m.layer.Open()))
}

// opens returns the action that opens a dialog.
func opens(make func() dialog.Dialog) action {
	return func(m *Model, _ string) tea.Cmd { return m.do(dialog.Open{Dialog: make()}) }
}
