package tui

import (
	"strings"

	"ferrus/hq/core"
)

// Selector is an engine with several tasks, one of which is selected.
type Selector interface {
	// SelectTask selects the task that the view is of, by its directory; empty: the project's own.
	SelectTask(dir string)
	// InputTo is [Terminals.Input] for a session of a task, whichever is selected by then.
	InputTo(dir string, slot core.Slot, data []byte)
}

// directoryOf returns the directory of a task from the ID of its row.
func directoryOf(id string) string { return strings.TrimPrefix(id, ".") }

// selectTask selects the task of a row.
func (a *app) selectTask(id string) {
	if all, ok := a.Engine.(Selector); ok {
		all.SelectTask(directoryOf(id))
	}
}

// inputTo types into a session.
func inputTo(t Terminals, to typedTo, data []byte) {
	if all, ok := t.(Selector); ok && to.task != "" {
		all.InputTo(directoryOf(to.task), to.slot, data)
		return
	}
	if to.where != nil {
		t = to.where
	}
	t.Input(to.slot, data)
}
