package vt

import (
	"bytes"
	"unicode/utf8"
)

// Row is row y as text with SGR sequences, for a program that draws
// the screen. Default blanks at its end are left off, and it always ends in
// a reset. It costs nothing when the row has not changed.
func (t *Terminal) Row(y int) string {
	if y < 0 || y >= t.height {
		return resetSGR
	}
	r := t.shown(y)
	if r.textGen != r.gen {
		b := t.tables.appendCells(t.history.scratch[:0], r.cells[:r.length()], forShow)
		t.history.scratch = b
		r.text, r.textGen = string(append(b, resetSGR...)), r.gen
	}
	return r.text
}

// RowGen moves when row y changed.
func (t *Terminal) RowGen(y int) uint64 {
	if y < 0 || y >= t.height {
		return 0
	}
	if t.inSync() {
		return t.sync.gens[y]
	}
	return max(t.rows[y].gen, t.moved)
}

// Gen moves when any row, or how the cursor looks, changed. The cursor's place
// is not in it: compare [Terminal.Cursor].
func (t *Terminal) Gen() uint64 {
	if t.inSync() {
		return t.sync.gen
	}
	return t.gen
}

// Cursor returns the cursor as shown.
func (t *Terminal) Cursor() Cursor {
	if t.inSync() {
		return t.sync.cursor
	}
	return t.cursor()
}

func (w *writer) cursor() Cursor {
	return Cursor{w.x, w.y, !w.private.hidden, w.private.shape, !w.private.steady}
}

// Cell returns the text and style at x, y as shown. The right half of a wide
// character has no text; its left half has its style.
func (t *Terminal) Cell(x, y int) (string, Style) {
	if x < 0 || y < 0 || x >= t.columns || y >= t.height {
		return " ", Style{}
	}
	c := t.shown(y).cells[x]
	return t.tables.cellText(c), t.tables.styles.values[c.style]
}

// form is for whom cells become text.
type form bool

const (
	forShow  form = false // another terminal: widths are certain, no links
	forStore form = true  // a Terminal: exactly the same cells again
)

// appendCells appends cells as text with sequences that begin and end in the
// default style.
func (k *styleTable) appendCells(b []byte, cells []cell, f form) []byte {
	style := uint32(0)
	for i, c := range cells {
		if c.content < 0x80 && c.style == style { // most are
			b = append(b, byte(c.content))
			continue
		}
		if c.content&spacerFlag != 0 {
			continue
		}
		if c.style != style {
			b = k.appendStyle(b, style, c.style, f)
			style = c.style
		}
		if f == forStore && k.wouldJoin(cells[:i], c) {
			b = append(b, k.styleSGR(style)...) // any sequence keeps it apart
		}
		switch {
		case c.content < 0x80:
			b = append(b, byte(c.content))
		case c.content&clusterFlag == 0:
			b = utf8.AppendRune(b, rune(c.content&contentMask))
		case f == forStore:
			b = append(b, k.cellText(c)...)
		default:
			b = append(b, k.certain(c)...)
		}
	}
	if style != 0 {
		b = k.appendStyle(b, style, 0, f)
	}
	return b
}

// wouldJoin reports whether a cell, printed right after others, would go into the
// last of them.
func (k *styleTable) wouldJoin(others []cell, c cell) bool {
	n := len(others)
	if c.content < 0x80 {
		return false
	}
	if n > 0 && others[n-1].content&spacerFlag != 0 {
		n--
	}
	if n == 0 {
		return false
	}
	first := rune(c.content & contentMask)
	if c.content&clusterFlag != 0 {
		first, _ = utf8.DecodeRuneInString(k.cellText(c))
	}
	return k.joins(others[n-1], first)
}

// appendStyle changes from one style to another.
func (k *styleTable) appendStyle(b []byte, from, to uint32, f form) []byte {
	link := k.styles.values[to].Link
	if f == forStore && link != k.styles.values[from].Link {
		b = appendLink(b, k.links.values[link])
	}
	if to == 0 {
		return append(b, resetSGR...)
	}
	return append(b, k.styleSGR(to)...)
}

func appendLink(b []byte, target string) []byte {
	b = append(b, "\x1b]8;;"...)
	b = append(b, target...)
	return append(b, "\x1b\\"...)
}

// uncertain are the characters that make a cluster so, as a set.
const uncertain = "\u200d\ufe0e\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"

// certain returns a cluster if every terminal gives it the width of the cell, else
// its first code point. Only plain marks are certain.
func (k *styleTable) certain(c cell) string {
	text := k.cellText(c)
	_, size := utf8.DecodeRuneInString(text)
	for _, r := range text[size:] {
		if r == joiner || r == textSelector || r == emojiSelector || runeWidth(r) > 0 {
			return text[:size]
		}
	}
	return text
}

// saveRow puts a row into the scrollback.
func (g *grid) saveRow(r *row) {
	h := &g.history
	if h.limit == 0 {
		return
	}
	n := len(r.cells)
	if !r.wrapped {
		n = r.length()
	}
	h.scratch = g.tables.appendCells(h.scratch[:0], r.cells[:n], forStore)
	h.push(h.scratch, r.wrapped, r.prompt)
}

// HistoryRow is line n of the scrollback, 0 the oldest, in the form of
// [Terminal.Row]. It may be wider than the terminal is now.
func (t *Terminal) HistoryRow(n int) string {
	if n < 0 || n >= t.history.count {
		return resetSGR
	}
	text := t.history.read(*t.history.lineAt(n))
	if !bytes.Contains(text, []byte("\x1b]")) && !bytes.ContainsAny(text, uncertain) {
		return string(text) + resetSGR
	}
	reader := New(maxSize, 1, 0)
	return string(reader.tables.appendCells(nil, reader.read(text), forShow)) + resetSGR
}

// read returns the cells that stored text was made of, in t's own numbers, as
// long as t is not used further.
func (t *Terminal) read(text []byte) []cell {
	t.Write([]byte("\r\x1b[2K"))
	t.Write(text)
	return t.rows[0].cells[:t.x+choose(t.pending, 1, 0)]
}
