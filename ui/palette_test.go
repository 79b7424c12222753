package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/dialog"
	"ferrus/ui/intent"
	"ferrus/ui/view"
)

// TestPaletteFinds goes to a file of the diff, a pane and a command by a few letters.
func TestPaletteFinds(t *testing.T) {
	b := openAt(t, work(), 120, 40)
	change := DiffMsg{Diff: view.Diff{Files: []view.FilePatch{
		{Path: "main.go", Added: 1, Patch: "@@ -0,0 +1 @@\n+one\n"},
		{Path: "ui/fetcher.go", Added: 1, Patch: "@@ -0,0 +1 @@\n+two\n"},
	}}}
	b.press("ctrl+o", "p")
	b.send(change)
	b.press("ftr")
	b.shows("ui/fetcher.go")
	b.press("enter")
	if b.m.Dialog() != dialog.KindDiff {
		t.Fatalf("it is %v", b.m.Dialog())
	}
	b.send(change)
	b.shows("▸ ui/fetcher.go")
	b.press("esc")
	b.wants = nil
	b.send(tea.KeyPressMsg{Code: 'p', Mod: tea.ModCtrl})
	b.press("2ex", "enter")
	if b.m.screen.focus != 2 {
		t.Errorf("pane %d has the keys", b.m.screen.focus)
	}
	b.press("ctrl+]", "ctrl+o", "p", "reje", "enter")
	b.shows("> /reject")
}

// TestPaletteFindsTasks goes to a task of the list by its number or its title, also to one that has
// not started.
func TestPaletteFindsTasks(t *testing.T) {
	b := openAt(t, queued(9), 120, 40)
	b.wants = nil
	for _, query := range []string{"#5", "task 5"} {
		b.press("ctrl+o", "p", query)
		b.shows("task", "▸", "#5 Task 5")
		b.press("enter")
		b.wanted(intent.LoadDiff{}, selects("t-5"))
	}
	b.press("ctrl+o", "p", "#4", "enter")
	b.shows("#4 has not started: waits for #1")
}

// TestPagesSwitch: F1 to F4 work inside pages, and the key of a page closes it.
func TestPagesSwitch(t *testing.T) {
	b := openAt(t, work(), 120, 40)
	for _, step := range []struct {
		keys []string
		want dialog.Kind
	}{
		{[]string{"f3"}, dialog.KindLog}, {[]string{"f4"}, dialog.KindDiff}, {[]string{"f1"}, dialog.KindHelp},
		{[]string{"esc"}, dialog.KindDiff}, {[]string{"f4"}, dialog.None}, {[]string{"?"}, dialog.KindHelp},
		{[]string{"f2"}, dialog.None}, {[]string{"ctrl+o", "j"}, dialog.KindLog}, {[]string{"f3"}, dialog.None},
		{[]string{"ctrl+o", "d"}, dialog.KindDiff}, {[]string{"q", "ctrl+o", "?"}, dialog.KindHelp},
		{[]string{"q", "ctrl+o", "t"}, dialog.KindDocument},
	} {
		b.press(step.keys...)
		if got := b.m.Dialog(); got != step.want {
			t.Errorf("after %v it is %v, not %v", step.keys, got, step.want)
		}
	}
	if !b.m.screen.zoomed {
		t.Error("F2 in a page does not zoom")
	}
}

// TestUndoAndEditor: Ctrl+_ takes changes back word by word, Ctrl+X Ctrl+E is the editor.
func TestUndoAndEditor(t *testing.T) {
	b := openAt(t, work(), 120, 40)
	undo := tea.KeyPressMsg{Code: '_', Mod: tea.ModCtrl}
	b.press("one two", "ctrl+u")
	for _, want := range []string{"one two", "one ", ""} {
		b.send(undo)
		if got := b.m.prompt.Value(); got != want {
			t.Errorf("undone to %q, not %q", got, want)
		}
	}
	b.send(undo)
	b.press("x?")
	if got := b.m.prompt.Value(); got != "x?" || b.m.Dialog() != dialog.None {
		t.Errorf("typed %q, over it %v", got, b.m.Dialog())
	}
	b.wants = nil
	b.send(tea.KeyPressMsg{Code: 'x', Mod: tea.ModCtrl})
	b.press("ctrl+e")
	b.sends(intent.Edit{Text: "x?"})
}

// TestThePaletteBeginsWithCommands checks that before a letter is typed, and after all are deleted,
// the list has its own order, however short a name is.
func TestThePaletteBeginsWithCommands(t *testing.T) {
	b := openAt(t, work(), 120, 40)
	b.press("ctrl+o", "p")
	b.send(DiffMsg{Diff: view.Diff{Files: []view.FilePatch{{Path: "a.c", Added: 1, Patch: "@@ -0,0 +1 @@\n+one\n"}}}})
	b.shows("▸ command")
	b.press("c", "backspace")
	b.shows("▸ command")
}
