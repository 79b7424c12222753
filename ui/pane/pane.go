// Package pane shows a session's terminal: it draws and scrolls the agent's output,
// lets the human read and copy it, and turns keys and the mouse into input.
//
// A [Pane] belongs to a slot and shows one terminal after another. In [CopyMode] the
// keys move a cursor in one pane, search and select; the mouse selects without it.
package pane

import (
	tea "charm.land/bubbletea/v2"

	"ferrus/ui/style"
	"ferrus/ui/vt"
)

// Pane is what the human did to the pane of a slot, and what of it is drawn. The zero
// Pane has no terminal yet.
type Pane struct {
	Terminal *vt.Locked // nil before the first byte
	Back     int        // how many lines the human scrolled back from the newest
	screen   int        // the number of the screen's first line when they did
	canvas   canvas
}

// Draw returns the pane in rows of exactly w x h cells, with what copy mode marks in it.
func (p *Pane) Draw(t *style.Theme, w, h int, c *CopyMode) []string {
	rows := p.canvas.draw(t, p.Terminal, w, h, p.Back)
	if c.pane != p || !c.Valid() {
		return rows
	}
	return c.paint(t, p.canvas.top, rows)
}

// extent returns how many lines are above the screen, and the number of the screen's first line: a full
// scrollback forgets as many lines as are added.
func (p *Pane) extent() (above, screen int) {
	if p.Terminal != nil {
		p.Terminal.With(func(t *vt.Terminal) {
			above = t.Scrollback()
			_, screen = t.Lines()
		})
	}
	return above, screen
}

// ScrollTo shows what is so many lines above the newest, as far as there is any.
func (p *Pane) ScrollTo(back int) {
	above, screen := p.extent()
	p.screen, p.Back = screen, max(min(back, above), 0)
}

// Follow keeps what is read in place while lines are added below it, as long as they are not forgotten. A
// pane at its newest lines stays there, unless it is read.
func (p *Pane) Follow(read bool) {
	if p.Terminal == nil || p.Back == 0 && !read {
		return
	}
	above, screen := p.extent()
	if more := screen - p.screen; more > 0 {
		p.Back = min(p.Back+more, above)
	}
	p.screen = screen
}

// Cursor returns the agent's cursor as drawn last, seen from the pane's
// first cell; ok is false when it is hidden or scrolled away.
func (p *Pane) Cursor() (c vt.Cursor, ok bool) {
	c = p.canvas.cursor
	return c, p.canvas.of != nil && c.Visible && p.Back == 0
}

// WantsMotion reports whether the agent wants every motion of the mouse.
func (p *Pane) WantsMotion() bool { return p.canvas.modes.Mouse == vt.MouseMotion }

// WantsMouse reports whether the agent gets what the mouse did. One that does not know
// the mouse gets the wheel all the same on the alternate screen, as arrows.
func (p *Pane) WantsMouse(msg tea.MouseMsg) bool {
	var modes vt.Modes
	p.Terminal.With(func(t *vt.Terminal) { modes = t.Modes() })
	_, wheel := msg.(tea.MouseWheelMsg)
	return modes.Mouse != vt.MouseOff || wheel && modes.AlternateScroll && modes.AltScreen
}

// Key returns what the agent is typed for a key.
func (p *Pane) Key(k tea.Key) []byte {
	return p.encode(func(t *vt.Terminal) []byte { return t.EncodeKey(paneKey(k)) })
}

// Paste returns what the agent is typed for a text that is pasted.
func (p *Pane) Paste(text string) []byte {
	return p.encode(func(t *vt.Terminal) []byte { return t.EncodePaste(text) })
}

// Focus returns what tells the agent that it has the keys, or not any more, if it wants
// to know.
func (p *Pane) Focus(has bool) []byte {
	return p.encode(func(t *vt.Terminal) []byte {
		if !t.Modes().FocusEvents {
			return nil
		}
		return t.EncodeFocus(has)
	})
}

// Mouse returns what tells the agent of the mouse over the inside its pane.
func (p *Pane) Mouse(msg tea.MouseMsg, inner style.Rect) []byte {
	if at := msg.Mouse(); !inner.Contains(at.X, at.Y) {
		return nil
	}
	return p.encode(func(t *vt.Terminal) []byte { return t.EncodeMouse(paneMouse(msg, inner.X, inner.Y)) })
}

func (p *Pane) encode(as func(*vt.Terminal) []byte) (input []byte) {
	p.Terminal.With(func(t *vt.Terminal) { input = as(t) })
	return input
}

// Offers returns how often the agent asked to put text on the clipboard.
func (p *Pane) Offers() (n int) {
	p.Terminal.With(func(t *vt.Terminal) { n = t.Offers() })
	return n
}

// Offered returns the text that the agent asked to put there last.
func (p *Pane) Offered() (text string) {
	p.Terminal.With(func(t *vt.Terminal) { text = t.Clipboard() })
	return text
}
