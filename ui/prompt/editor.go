package prompt

import (
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"ferrus/ui/text"
)

// MaxText bounds what can be typed or pasted at the prompt, in bytes.
const MaxText = 64 << 10

// editor is text with a cursor: a textarea that grows with what is in it, and what
// Ctrl+Y brings back. What is drawn is kept, because frames are drawn far more often
// than something is typed.
type editor struct {
	area   textarea.Model
	text   string
	rows   []string
	x, y   int // the cursor in rows
	killed string
	undo   []string // the texts before each change, oldest first
	// What the marks in the text refer to.
	attached attachments
	vi       vi
}

// maxUndo bounds the changes that can be undone.
const maxUndo = 100

// undoLast brings back the text before the last change.
func (e *editor) undoLast() {
	n := len(e.undo)
	if n == 0 {
		return
	}
	before := e.undo[n-1]
	e.area.SetValue(before)
	e.update()
	e.undo = e.undo[:n-1]
}

// remember keeps the text before a change. Letters of one word are one change.
func (e *editor) remember(before string) {
	n := len(e.undo)
	word := n > 0 && strings.HasPrefix(e.text, before) && len(e.text) == len(before)+1 &&
		strings.HasPrefix(before, e.undo[n-1]) && !strings.HasSuffix(before, " ") && len(before) > len(e.undo[n-1])
	if before == e.text || word {
		return
	}
	e.undo = append(e.undo[max(n-maxUndo+1, 0):], before)
}

func newEditor() editor {
	a := textarea.New()
	a.Prompt, a.ShowLineNumbers = "", false
	a.DynamicHeight, a.MaxWidth, a.MaxContentHeight = true, 0, MaxText
	a.SetVirtualCursor(false)
	a.SetStyles(editorStyles())
	a.KeyMap.InsertNewline.SetEnabled(false) // a key of the table
	a.KeyMap.DeleteCharacterBackward.SetKeys("backspace", "shift+backspace", "ctrl+h")
	a.KeyMap.Paste.SetEnabled(false) // the terminal pastes, and keeps the clipboard
	a.KeyMap.CopySelection.SetEnabled(false)
	a.Focus()
	e := editor{area: a}
	e.update()
	return e
}

// editorStyles returns plain looks for everything but what is selected.
func editorStyles() textarea.Styles {
	plain := lipgloss.NewStyle()
	state := textarea.StyleState{
		Base: plain, Text: plain, LineNumber: plain, CursorLineNumber: plain, CursorLine: plain, EndOfBuffer: plain,
		Placeholder: plain, Prompt: plain, Selection: plain.Reverse(true),
	}
	return textarea.Styles{Focused: state, Blurred: state}
}

// resize makes it w cells wide and at most h rows high.
func (e *editor) resize(w, h int) {
	e.area.MaxHeight = h
	e.area.SetWidth(w)
	e.update()
}

func (e *editor) set(text string) {
	e.area.SetValue(text)
	e.update()
}

// insert puts text at the cursor, and reports whether there was room.
func (e *editor) insert(text string) bool {
	if len(e.text)+len(text) > MaxText {
		return false
	}
	e.area.InsertString(text)
	e.update()
	return true
}

// press does one key that edits.
func (e *editor) press(msg tea.KeyPressMsg) {
	if msg.Keystroke() == "ctrl+y" {
		e.insert(e.killed)
		return
	}
	if msg.Text != "" {
		msg.Text = text.SanitizeLines(msg.Text)
	}
	if len(e.text)+len(msg.Text) > MaxText {
		return
	}
	before, keys := e.text, e.area.KeyMap
	e.area, _ = e.area.Update(msg)
	e.update()
	kills := key.Matches(msg, keys.DeleteAfterCursor, keys.DeleteBeforeCursor, keys.DeleteWordBackward,
		keys.DeleteWordForward)
	if gone := len(before) - len(e.text); gone > 0 && kills {
		at := e.offset()
		e.killed = before[at : at+gone]
	}
}

// offset returns where the cursor is, in bytes.
func (e *editor) offset() int {
	lines := strings.SplitAfter(e.text, "\n")
	at := len(string([]rune(lines[e.area.Line()])[:e.area.Column()]))
	for _, line := range lines[:e.area.Line()] {
		at += len(line)
	}
	return at
}

// moveTo puts the cursor in front of a letter of the text.
func (e *editor) moveTo(at int) {
	before := string([]rune(e.text)[:at])
	line := strings.Count(before, "\n")
	for e.area.Line() > line {
		e.area.CursorUp()
	}
	for e.area.Line() < line {
		e.area.CursorDown()
	}
	e.area.SetCursorColumn(len([]rune(before[strings.LastIndex(before, "\n")+1:])))
	e.update()
}

// inFirstRow and inLastRow report that there is no row above or below the cursor.
func (e *editor) inFirstRow() bool { return e.area.Line() == 0 && e.area.LineInfo().RowOffset == 0 }

func (e *editor) inLastRow() bool {
	info := e.area.LineInfo()
	return e.area.Line() == e.area.LineCount()-1 && info.RowOffset == info.Height-1
}

// update stores the changed textarea. A textarea scrolls to its cursor only when it is
// updated.
func (e *editor) update() {
	before := e.text
	e.area, _ = e.area.Update(nil)
	e.text = e.area.Value()
	e.remember(before)
	e.rows = strings.Split(e.area.View(), "\n")
	at := e.area.Cursor()
	e.x, e.y = at.X, at.Y
}
