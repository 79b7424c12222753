package pane

import (
	"ferrus/ui/intent"
	"ferrus/ui/keys"
	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/vt"
)

// CopyMode is how the human reads one pane: what is selected and searched for in it, and
// where the cursor is. The zero CopyMode reads nothing.
type CopyMode struct {
	Number  int // of the pane, as it is focused; 0: none is read
	pane    *Pane
	of      *vt.Locked // the pane's terminal when it began
	columns int        // of that: lines keep their numbers at this width
	keys    bool       // keys move, select and search; otherwise only the mouse selected
	before  int        // how far the pane was scrolled back when it began
	at      vt.Place   // the cursor, or where the mouse is
	selection
	paneSearch
	drag mouseDrag
}

// Enter begins to read a pane with the keys, at its last row.
func (c *CopyMode) Enter(p *Pane, number int) {
	*c = CopyMode{Number: number, pane: p, of: p.Terminal, keys: true, before: p.Back}
	p.ScrollTo(c.before) // from now on it stays where it is
	c.of.With(func(t *vt.Terminal) {
		c.columns, _ = t.Size()
		_, c.at.Line = t.Lines()
		c.at.Line += t.Cursor().Y - c.before
	})
}

// Active reports whether keys move, select and search.
func (c *CopyMode) Active() bool { return c.keys }

// Valid reports whether what is read is still there: the pane may show another session
// by now, or the same one in another width.
func (c *CopyMode) Valid() bool {
	if c.pane == nil || c.pane.Terminal != c.of || c.of == nil {
		return false
	}
	columns := 0
	c.of.With(func(t *vt.Terminal) { columns, _ = t.Size() })
	return columns == c.columns
}

// Stop ends copy mode and shows what was shown before.
func (c *CopyMode) Stop() {
	if c.keys {
		c.pane.ScrollTo(c.before)
	}
	*c = CopyMode{}
}

// Press does a key while a pane is read, and returns what the human wants.
func (c *CopyMode) Press(m keys.Map, key string, inner style.Rect) intent.Intent {
	switch a := m.Action(keys.InCopyMode, key); a {
	case Find:
		c.paneSearch = paneSearch{typing: true}
	case Older:
		return c.search(m, inner, func() int { return c.lastBefore(c.at) })
	case Newer:
		return c.search(m, inner, c.firstAfter)
	case PromptAbove:
		return c.toPrompt(-1, inner)
	case PromptBelow:
		return c.toPrompt(+1, inner)
	case Select:
		c.toggle(byCell)
	case SelectLines:
		c.toggle(byLine)
	case Copy:
		return c.copy(m)
	case Exit:
		c.back()
	default:
		c.move(a, m.Scroll(keys.InCopyMode, key, max(inner.H-1, 1)), inner)
	}
	return nil
}

// back undoes the last of what reading did: the selection, the search, itself.
func (c *CopyMode) back() {
	switch {
	case c.on:
		c.selection = selection{}
	case c.query != "":
		c.paneSearch = paneSearch{}
	default:
		c.Stop()
	}
}

// copy copies what is selected, and stops reading.
func (c *CopyMode) copy(m keys.Map) intent.Intent {
	if !c.on {
		return intent.Say{Text: "Nothing is selected: " + m.First(Select) + " starts"}
	}
	copied := c.Selected()
	c.Stop()
	return intent.Copy{Text: copied}
}

// move moves the cursor by lines, or by an action along its line.
func (c *CopyMode) move(a keys.Action, lines int, inner style.Rect) {
	columns := map[keys.Action]int{Left: -1, Right: +1, LineStart: -keys.Far}[a]
	c.of.With(func(t *vt.Terminal) {
		oldest, screen := t.Lines()
		_, rows := t.Size()
		c.at.Line = max(oldest, min(c.at.Line+lines, screen+rows-1))
		cells, _ := t.Cells(c.at.Line)
		if a == LineEnd {
			c.at.Column = len(cells) - 1
		}
		c.at.Column = max(0, min(c.at.Column+columns, c.columns-1))
		step := -1
		if columns > 0 {
			step = +1
		}
		for c.at.Column > 0 && c.at.Column < len(cells) && cells[c.at.Column] == "" { // half of a wide character
			c.at.Column += step
		}
	})
	c.reveal(false, inner)
}

// toPrompt goes to the next prompt of a shell, up (-1) or down (+1).
func (c *CopyMode) toPrompt(step int, inner style.Rect) (wanted intent.Intent) {
	found := false
	c.of.With(func(t *vt.Terminal) {
		oldest, screen := t.Lines()
		_, rows := t.Size()
		for line := c.at.Line + step; line >= oldest && line < screen+rows && !found; line += step {
			if found = t.Prompt(line); found {
				c.at = vt.Place{Line: line}
			}
		}
	})
	if !found {
		wanted = intent.Say{Text: "No more shell prompts"}
	}
	c.reveal(false, inner)
	return wanted
}

// reveal scrolls as little as it takes to show the cursor, or until it is in the middle
// if it was not to be seen.
func (c *CopyMode) reveal(middle bool, inner style.Rect) {
	h, newest := inner.H, 0
	c.of.With(func(t *vt.Terminal) {
		_, newest = t.Lines()
		newest += hiddenRows(t, h)
	})
	back, line := c.pane.Back, c.at.Line
	top := newest - back
	switch {
	case line >= top && line < top+h:
		return
	case middle:
		back = newest + h/2 - line
	case line < top:
		back = newest - line
	default:
		back = newest - line + h - 1
	}
	c.pane.ScrollTo(back)
}

// Cursor returns where the cursor is on the screen; ok is false when it is not shown.
func (c *CopyMode) Cursor(inner style.Rect) (x, y int, ok bool) {
	x, y = inner.X+c.at.Column, inner.Y+c.at.Line-c.pane.canvas.top
	return x, y, inner.Contains(x, y)
}

// Hints returns what the key line begins with while a pane is read.
func (c *CopyMode) Hints(t *style.Theme, m keys.Map, w int) style.Spans {
	switch {
	case c.typing:
		hints := append(style.Spans{{" find ", t.Strong}, {c.query.Tail(20) + "▏", t.Strong}}, c.count(t)...)
		return t.Hints(w, hints, [2]string{m.First(keys.Accept), "accept"}, [2]string{m.First(keys.Cancel), "cancel"})
	case c.query != "":
		hints := style.Spans{{" " + text.Cut(string(c.query), 20), t.Strong}}
		return append(append(hints, c.count(t)...), style.Span{"  ", ""})
	}
	return nil
}

// Selecting reports whether something is selected.
func (c *CopyMode) Selecting() bool { return c.on }
