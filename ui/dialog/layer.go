package dialog

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ferrus/ui/intent"
	"ferrus/ui/style"
)

// wheelLines is how far one notch of the wheel scrolls.
const wheelLines = 3

// Layer is what lies over the panes: the dialog that is open, and what the mouse selects
// of it. The zero Layer is empty.
type Layer struct {
	open      Dialog
	selection selection
	frame     []string // as drawn last, without the selection
	at        style.Rect
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

// Mouse does what the mouse did, and returns the text that was selected by that.
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
	if d, ok := l.open.(Columned); ok {
		room = d.Column(room, at.X)
	}
	l.selection.click(cell{at.X, at.Y}, room, ansi.Strip(l.frame[at.Y]), c.Now)
}
