package dialog

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ferrus/ui/intent"
	"ferrus/ui/style"
)

// wheelLines is how far one notch of the wheel scrolls.
const wheelLines = 3

// Layer is what is drawn over the panes: the open dialog, and the mouse's selection in
// it. The zero Layer is empty.
type Layer struct {
	open      Dialog
	selection selection
	frame     []string // as drawn last, without the selection
	at        style.Rect
}

// clicked is a dialog in which a click chooses something, besides beginning a selection.
type clicked interface {
	// Click gets the cell below and right of the inside's corner, and the inside's width.
	Click(c Context, x, y, w int)
}

// pasted is a dialog that a text can be pasted into.
type pasted interface {
	// Paste reports whether the text was wanted.
	Paste(text string) bool
}

// Paste pastes a text into the dialog, if that takes one.
func (l *Layer) Paste(text string) {
	if d, ok := l.open.(pasted); ok {
		d.Paste(text)
	}
}

// Show opens a dialog over what is open; nil closes it.
func (l *Layer) Show(d Dialog) {
	l.open, l.selection = d, selection{}
}

// Open returns the dialog that is open; nil: there is none.
func (l *Layer) Open() Dialog { return l.open }

// Deselect ends the selection.
func (l *Layer) Deselect() { l.selection = selection{} }

// Draw draws the dialog over the rows of a frame, within room.
func (l *Layer) Draw(c Context, room style.Rect, frame []string, w int) {
	r, box := l.open.Draw(c, room)
	for i, row := range box {
		frame[r.Y+i] = style.Splice(frame[r.Y+i], r.X, row, w)
	}
	l.at, l.frame = r, append(l.frame[:0], frame...)
	l.selection.paint(c.Theme, frame)
}

// Press does a key.
func (l *Layer) Press(c Context, key string) intent.Intent {
	next, wanted := l.open.Press(c, key)
	l.Show(next)
	return wanted
}

// Mouse handles a mouse event, and returns the text that it selected.
func (l *Layer) Mouse(c Context, msg tea.MouseMsg) (copied string) {
	at := msg.Mouse()
	switch msg.(type) {
	case tea.MouseWheelMsg:
		l.Deselect()
		lines := wheelLines
		if at.Button == tea.MouseWheelUp {
			lines = -lines
		}
		l.open.Scroll(c, lines)
	case tea.MouseClickMsg:
		l.click(c, at)
	case tea.MouseMotionMsg:
		l.selection.drag(cell{at.X, at.Y})
	case tea.MouseReleaseMsg:
		held := l.selection.held
		l.selection.held = false
		if held && l.selection.on {
			return l.selection.selectedText(l.frame)
		}
	}
	return ""
}

func (l *Layer) click(c Context, at tea.Mouse) {
	room := l.at.Inner()
	if at.Button != tea.MouseLeft || !room.Contains(at.X, at.Y) || at.Y >= len(l.frame) {
		l.Deselect()
		return
	}
	if d, ok := l.open.(clicked); ok {
		d.Click(c, at.X-room.X, at.Y-room.Y, room.W)
	}
	if d, ok := l.open.(Columned); ok {
		room = d.Column(room, at.X)
	}
	l.selection.click(cell{at.X, at.Y}, room, ansi.Strip(l.frame[at.Y]), c.Now)
}
