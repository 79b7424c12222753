package pager

import (
	"strings"

	"ferrus/ui/keys"
	"ferrus/ui/style"
	"ferrus/ui/text"
)

// maxComment bounds what can be typed, in bytes.
const maxComment = 16 << 10

// commentEdit is a comment that is being typed. Its keys edit as the prompt's do.
type commentEdit struct {
	title string
	text  []rune
	at    int // the cursor, before text[at]
}

func newEdit(title, written string) *commentEdit {
	return &commentEdit{title: title, text: []rune(written), at: len([]rune(written))}
}

// insert types a text, or pastes one.
func (e *commentEdit) insert(s string) {
	s = text.SanitizeLines(s)
	if len(string(e.text))+len(s) > maxComment {
		return
	}
	typed := []rune(s)
	e.text = append(e.text[:e.at:e.at], append(typed, e.text[e.at:]...)...)
	e.at += len(typed)
}

// remove removes the text between two places, and puts the cursor there.
func (e *commentEdit) remove(from, to int) {
	e.text = append(e.text[:from:from], e.text[to:]...)
	e.at = from
}

// lineStart and lineEnd are the ends of the line that a place is in.
func (e *commentEdit) lineStart(at int) int {
	for at > 0 && e.text[at-1] != '\n' {
		at--
	}
	return at
}

func (e *commentEdit) lineEnd(at int) int {
	for at < len(e.text) && e.text[at] != '\n' {
		at++
	}
	return at
}

// wordStart returns where the word before the cursor begins; wordEnd is where the next one
// ends.
func (e *commentEdit) wordStart() int {
	at := e.at
	for at > 0 && !isWordRune(e.text[at-1]) {
		at--
	}
	for at > 0 && isWordRune(e.text[at-1]) {
		at--
	}
	return at
}

func (e *commentEdit) wordEnd() int {
	at := e.at
	for at < len(e.text) && !isWordRune(e.text[at]) {
		at++
	}
	for at < len(e.text) && isWordRune(e.text[at]) {
		at++
	}
	return at
}

// press does a key that edits.
func (e *commentEdit) press(key string) {
	switch key {
	case "left", "ctrl+b":
		e.at = max(e.at-1, 0)
	case "right", "ctrl+f":
		e.at = min(e.at+1, len(e.text))
	case "home", "ctrl+a":
		e.at = e.lineStart(e.at)
	case "end", "ctrl+e":
		e.at = e.lineEnd(e.at)
	case "alt+b", "ctrl+left", "alt+left":
		e.at = e.wordStart()
	case "alt+f", "ctrl+right", "alt+right":
		e.at = e.wordEnd()
	case "up", "ctrl+p":
		e.moveLine(-1)
	case "down", "ctrl+n":
		e.moveLine(+1)
	case "backspace", "ctrl+h":
		e.remove(max(e.at-1, 0), e.at)
	case "delete", "ctrl+d":
		e.remove(e.at, min(e.at+1, len(e.text)))
	case "ctrl+w", "alt+backspace", "ctrl+backspace":
		e.remove(e.wordStart(), e.at)
	case "alt+d":
		e.remove(e.at, e.wordEnd())
	case "ctrl+u":
		e.remove(e.lineStart(e.at), e.at)
	case "ctrl+k":
		e.remove(e.at, e.lineEnd(e.at))
	default:
		e.insert(keys.Letter(key))
	}
}

// moveLine moves the cursor to the line above or below, to the same column if it has one.
func (e *commentEdit) moveLine(by int) {
	start := e.lineStart(e.at)
	column := e.at - start
	switch {
	case by < 0 && start > 0:
		above := e.lineStart(start - 1)
		e.at = min(above+column, start-1)
	case by > 0 && e.lineEnd(e.at) < len(e.text):
		below := e.lineEnd(e.at) + 1
		e.at = min(below+column, e.lineEnd(below))
	}
}

// draw returns the rows that the comment is typed in: its title, and as much of the text
// around the cursor as there is room for.
func (e *commentEdit) draw(t *style.Theme, w, h int) []string {
	const caret = "▏"
	before, after := string(e.text[:e.at]), string(e.text[e.at:])
	var lines []string
	at := 0
	for i, line := range strings.Split(before+caret+after, "\n") {
		wrapped := text.Wrap(line, max(w-3, 1))
		if len(wrapped) == 0 {
			wrapped = []string{""}
		}
		for _, l := range wrapped {
			if strings.Contains(l, caret) && i == strings.Count(before, "\n") {
				at = len(lines)
			}
			lines = append(lines, l)
		}
	}
	room := max(h-1, 1)
	from := max(min(at-room+1, len(lines)-room), 0)
	rows := []string{style.Row(w, style.Spans{{strings.Repeat("─", 2) + " ", t.Focused}, {e.title + " ", t.Strong},
		{strings.Repeat("─", max(w-4-text.Width(e.title), 0)), t.Focused}}, nil)}
	for _, l := range lines[from:min(from+room, len(lines))] {
		rows = append(rows, style.Row(w, style.Spans{{"  " + l, ""}}, nil))
	}
	return rows
}
