package style

import (
	"strings"

	"ferrus/ui/text"
)

// Span is a piece of a line in one look. It has no type of its own, so that other
// packages can write lines without naming the fields of each piece.
type Span = struct {
	Text  string
	Paint Paint
}

// Spans is a line in the making.
type Spans []Span

// Width returns how many cells the line takes.
func (s Spans) Width() int {
	n := 0
	for _, p := range s {
		n += text.Width(p.Text)
	}
	return n
}

// Render draws the line as long as it is.
func (s Spans) Render() string {
	line := ""
	for _, p := range s {
		line += p.Paint.Render(p.Text)
	}
	return line
}

// Row draws left and right at the two ends of exactly w cells. Right is dropped when
// it leaves left less than half of them; left is cut.
func Row(w int, left, right Spans) string {
	room := w - right.Width()
	if len(right) > 0 && room < min(left.Width(), w/2) {
		right, room = nil, w
	}
	var b strings.Builder
	used := left.Draw(&b, room)
	b.WriteString(text.Blanks(room - used))
	right.Draw(&b, w-room)
	return b.String()
}

// Draw writes as much of the line as fits into w cells, and returns how many it took.
func (s Spans) Draw(b *strings.Builder, w int) int {
	used := 0
	for _, p := range s {
		if used >= w {
			break
		}
		content := text.Cut(p.Text, w-used)
		b.WriteString(p.Paint.Render(content))
		used += text.Width(content)
	}
	return used
}

// Wrap breaks the line into lines of at most w cells, at blanks where there are any.
func (s Spans) Wrap(w int) (lines []Spans) {
	w = max(w, 1)
	var line Spans
	used := 0
	end := func() {
		lines, line, used = append(lines, line), nil, 0
	}
	for _, p := range s {
		for _, word := range strings.SplitAfter(p.Text, " ") {
			bare := strings.TrimRight(word, " ")
			left := text.Width(bare)
			if used > 0 && used+left > w {
				end()
			}
			for left > w {
				head := text.Fold(bare, w)
				if text.Width(head) > w { // a wide character in a narrow place
					break
				}
				line = append(line, Span{head, p.Paint})
				end()
				bare, word, left = bare[len(head):], word[len(head):], left-text.Width(head)
			}
			if used == 0 && bare == "" {
				continue
			}
			word = word[:min(len(word), len(bare)+1)]
			line = append(line, Span{word, p.Paint})
			used += text.Width(word)
		}
	}
	if len(line) > 0 || len(lines) == 0 {
		end()
	}
	return lines
}

// Break breaks the line into lines of at most w cells, behind a blank or before a short piece
// where one is near the end: nothing of it is left out.
func (s Spans) Break(w int) (lines []Spans) {
	w = max(w, 1)
	var line Spans
	used := 0
	for _, p := range s {
		for rest := p.Text; rest != ""; {
			head := headOf(rest, w-used, w/3)
			if head == "" && used > 0 {
				lines, line, used = append(lines, line), nil, 0
				continue
			}
			if head == "" { // a wide character in a narrow place
				head = text.Fold(rest, w)
			}
			line = append(line, Span{head, p.Paint})
			used += text.Width(head)
			rest = rest[len(head):]
		}
	}
	return append(lines, line)
}

// headOf returns the beginning of a piece that is put into w cells; less than fits if only so
// many cells at most stay empty by that and no word is broken.
func headOf(piece string, w, most int) string {
	head := text.Head(piece, w)
	if len(head) == len(piece) {
		return head
	}
	whole := head[:strings.LastIndexByte(head, ' ')+1]
	if strings.TrimSpace(whole) != "" && text.Width(head)-text.Width(whole) <= most {
		return whole
	}
	if w <= most && text.Width(text.Head(piece, most+1)) <= most { // a short piece
		return ""
	}
	return head
}
