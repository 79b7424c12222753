package vt

import (
	"bytes"
	"strings"
)

// Place is a cell of a terminal's text. Lines are numbered through the
// scrollback and the screen. A line keeps its number while lines are added below
// it and forgotten above it, until the number of columns changes.
type Place struct{ Line, Column int }

// Before reports whether p comes before q in the text.
func (p Place) Before(q Place) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Column < q.Column
}

// Lines returns the numbers of the oldest line there is and of the first row of the
// screen.
func (t *Terminal) Lines() (oldest, screen int) {
	return t.history.gone, t.history.gone + t.history.count
}

// Cells returns a line in cells: what each shows, which is nothing for the right half
// of a wide character. Blanks at the end are left off unless the line continues in
// the next one. A line that is not there is empty.
func (t *Terminal) Cells(line int) (cells []string, goesOn bool) {
	if n := line - t.history.gone; n >= 0 && n < t.history.count {
		stored := *t.history.lineAt(n)
		reader := New(maxSize, 1, 0)
		return reader.tables.texts(reader.read(t.history.read(stored))), stored.wrapped
	}
	y := line - t.history.gone - t.history.count
	if y < 0 || y >= t.height {
		return nil, false
	}
	r := t.shown(y)
	if r.wrapped {
		return t.tables.texts(r.cells), true
	}
	return t.tables.texts(r.cells[:r.length()]), false
}

// Prompt reports whether a shell said, by OSC 133, that its prompt begins in a line.
func (t *Terminal) Prompt(line int) bool {
	if n := line - t.history.gone; n >= 0 && n < t.history.count {
		return t.history.lineAt(n).prompt
	}
	y := line - t.history.gone - t.history.count
	return y >= 0 && y < t.height && t.shown(y).prompt
}

func (k *styleTable) texts(cells []cell) []string {
	texts := make([]string, len(cells))
	for x, c := range cells {
		texts[x] = k.cellText(c)
	}
	return texts
}

// plain returns what the cells of a line show, one after the other.
func (t *Terminal) plain(line int) (text string, goesOn bool) {
	if n := line - t.history.gone; n >= 0 && n < t.history.count {
		stored := *t.history.lineAt(n)
		return withoutSequences(t.history.read(stored)), stored.wrapped
	}
	cells, goesOn := t.Cells(line)
	return strings.Join(cells, ""), goesOn
}

// withoutSequences returns the text of a stored line, which contains only
// appendStyle's sequences.
func withoutSequences(stored []byte) string {
	var b strings.Builder
	for {
		text, rest, found := bytes.Cut(stored, []byte{0x1b})
		b.Write(text)
		if !found {
			return b.String()
		}
		end := []byte("m")
		if rest[0] == ']' {
			end = []byte("\x1b\\")
		}
		_, stored, _ = bytes.Cut(rest, end)
	}
}

// TextBetween returns the text from one place up to and with another, the lines apart
// as the program wrote them: what was wrapped is one line again.
func (t *Terminal) TextBetween(from, to Place) string {
	if to.Before(from) {
		from, to = to, from
	}
	oldest, screen := t.Lines()
	first, last := max(from.Line, oldest), min(to.Line, screen+t.height-1)
	var b strings.Builder
	for line := first; line <= last; line++ {
		cells, goesOn := t.Cells(line)
		begin, end := 0, len(cells)
		if line == from.Line {
			begin = min(leftHalf(cells, from.Column), end)
		}
		if line == to.Line {
			end = max(min(to.Column+1, end), begin)
		}
		text := strings.Join(cells[begin:end], "")
		if !goesOn {
			text = strings.TrimRight(text, " ")
		}
		b.WriteString(text)
		if !goesOn && line < last {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// leftHalf returns the column where the character in a column begins.
func leftHalf(cells []string, x int) int {
	x = max(x, 0)
	for x > 0 && x < len(cells) && cells[x] == "" {
		x--
	}
	return x
}
