package ui

import (
	"fmt"
	"slices"
	"strings"

	"ferrus/ui/dialog"
	"ferrus/ui/keys"
	"ferrus/ui/pane"
	"ferrus/ui/prompt"
	"ferrus/ui/style"
)

// keyLine returns the last row: the keys that count now.
func (f frame) keyLine() string {
	inbox := f.badge()
	left := f.keyHints(f.w - inbox.Width())
	if left.Width()+inbox.Width() > f.w {
		inbox = nil
	}
	return style.Row(f.w, left, inbox)
}

// badge returns how much waits for the human, at the end of the key line.
func (f frame) badge() style.Spans {
	if n := f.inbox.count(&f.view); n > 0 {
		return style.Spans{{fmt.Sprintf("   inbox %d ", n), f.t.Tones[style.Warn]}}
	}
	return nil
}

// place returns the place whose keys apply now.
func (f frame) place() keys.Context {
	switch {
	case f.layer.Open() != nil:
		return f.layer.Open().Place()
	case f.keys.leader:
		return keys.AfterLeader
	case f.keys.moving:
		return keys.MovingBorder
	case f.screen.copying.Active():
		return keys.InCopyMode
	case f.screen.typable() != nil:
		return keys.InPane
	case f.screen.focus != 0:
		return keys.InView
	}
	return keys.AtPrompt
}

// keyHints returns the keys that count now, in at most w cells.
func (f frame) keyHints(w int) style.Spans {
	place := f.place()
	if place == keys.AtPrompt && f.prompt.Searching() {
		return f.prompt.SearchHints(f.t, f.keys.Map, w)
	}
	if place == keys.AtPrompt {
		return f.hints(f.promptHints(), w)
	}
	shown := f.keys.In(place)
	shown = slices.DeleteFunc(shown, func(b keys.Binding) bool { return b.Hint == "" || !onKeyLine(place, b.Action) })
	if place&keys.Dialogs != 0 {
		shown = escapes(shown)
	}
	if f.screen.copying.Selecting() { // first what ends it
		slices.SortStableFunc(shown, func(a, b keys.Binding) int {
			return endsSelection(b.Action) - endsSelection(a.Action)
		})
	}
	if place != keys.InCopyMode {
		return f.hints(shown, w)
	}
	before := f.screen.copying.Hints(f.t, f.keys.Map, w)
	if f.screen.copying.Typing() {
		return before
	}
	return append(before, f.hints(shown, w-before.Width())...)
}

// promptHints returns the keys for what is being done at the prompt.
func (f frame) promptHints() (shown keys.Map) {
	add := func(a keys.Action, words string) {
		b := f.keys.Of(a)
		b.Label, b.Hint = f.keys.First(a), words
		if b.In&keys.Everywhere == 0 && b.In&keys.AfterLeader != 0 {
			b.Label = f.keys.First(leader) + " " + b.Label
		}
		shown = append(shown, b)
	}
	off, sends := f.view.Disabled, f.prompt.Sends(&f.view)
	switch {
	case f.prompt.Chooses(&f.view):
		add(prompt.Send, "insert")
		shown = append(shown, keys.Binding{Label: "Up Down", Hint: "choose"})
		add(keys.Quit, "clear")
	case strings.TrimSpace(f.prompt.Value()) != "":
		if sends != "" {
			add(prompt.Send, sends)
		}
		if f.prompt.IsCommand() {
			add(prompt.Complete, "complete")
		} else {
			add(prompt.Newline, "new line")
			if f.prompt.Pastes() != "" {
				add(showPastes, "pastes")
			}
			add(edit, "editor")
		}
		add(keys.Quit, "clear")
	default:
		names, _ := f.prompt.Recipients()
		switch {
		case f.inbox.count(&f.view) > 0:
			add(next, "what needs you")
		case len(names) > 1 && !f.prompt.Answers():
			add(prompt.Complete, "other agent")
		default:
			shown = append(shown, keys.Binding{Label: "/", Hint: "commands"})
		}
		if off["diff"] == "" && off["approve"] == "" { // there is something to decide
			add(keys.Diff, "diff")
		}
		add(leader, "more keys")
		if off["diff"] == "" && off["approve"] != "" {
			add(keys.Diff, "diff")
		}
		if textOfTask(&f.view) != "" {
			add(taskText, "task")
		}
		add(palette, "go to")
		add(zoom, "zoom")
		add(keys.Log, "log")
	}
	add(keys.Help, "help")
	return shown
}

// escapes returns bindings with Esc alone on their labels, or the first key where
// there is no Esc.
func escapes(all keys.Map) keys.Map {
	for i, b := range all {
		key := b.Keys[0]
		if slices.Contains(b.Keys, "esc") {
			key = "esc"
		}
		all[i].Label = keys.Label(key)
	}
	return all
}

// onKeyLine reports whether the key line shows an action: a dialog has a footer of its
// own, and where keys are the screen's everywhere, they are not shown again.
func onKeyLine(place keys.Context, a keys.Action) bool {
	switch {
	case place&keys.Dialogs != 0:
		return a == dialog.Close || a == dialog.No
	case place == keys.InPane, place == keys.InView:
		return a == keys.Leave
	case place == keys.InCopyMode:
		return pane.Keys.Of(a).Action != ""
	}
	return true
}

// endsSelection is 1 for an action that ends a selection.
func endsSelection(a keys.Action) int {
	if a == pane.Copy || a == pane.Exit {
		return 1
	}
	return 0
}

// hints are keys with their words, as many as fit into w cells; help is the last to go.
func (f frame) hints(shown keys.Map, w int) style.Spans {
	for {
		var hints style.Spans
		gap := " "
		for _, b := range shown {
			hints = append(hints, style.Span{gap, ""}, style.Span{b.Label, ""},
				style.Span{" " + b.Hint, f.t.Faint})
			gap = "   "
		}
		if hints.Width() < w || len(shown) < 2 {
			return hints
		}
		last := len(shown) - 1
		if shown[last].Action == keys.Help {
			last--
		}
		shown = slices.Delete(slices.Clone(shown), last, last+1)
	}
}
