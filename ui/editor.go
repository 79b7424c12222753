package ui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// maxPrompt bounds what can be typed or pasted at the prompt.
const maxPrompt = 256 << 10

// editor is text with a cursor and the habits of readline. The zero value is
// empty.
type editor struct {
	text   string
	at     int // a byte offset between two clusters
	killed string
}

// editing is what each key does to the text; the keys are those of readline.
var editing = map[string]func(*editor){
	"left": (*editor).left, "ctrl+b": (*editor).left, "right": (*editor).right, "ctrl+f": (*editor).right,
	"alt+b": (*editor).wordLeft, "ctrl+left": (*editor).wordLeft, "alt+left": (*editor).wordLeft,
	"alt+f": (*editor).wordRight, "ctrl+right": (*editor).wordRight, "alt+right": (*editor).wordRight,
	"home": (*editor).home, "ctrl+a": (*editor).home, "end": (*editor).end, "ctrl+e": (*editor).end,
	"backspace": (*editor).backspace, "ctrl+h": (*editor).backspace, "shift+backspace": (*editor).backspace,
	"delete": (*editor).deleteRight, "ctrl+d": (*editor).deleteRight,
	"ctrl+w": (*editor).killWordLeft, "alt+backspace": (*editor).killWordLeft, "alt+d": (*editor).killWordRight,
	"ctrl+k": (*editor).killToEnd, "ctrl+u": (*editor).killToStart, "ctrl+y": (*editor).yank, "ctrl+t": (*editor).transpose,
	"shift+enter": (*editor).newline, "alt+enter": (*editor).newline, "ctrl+j": (*editor).newline,
}

func (e *editor) set(text string) { e.text, e.at = text, len(text) }

func (e *editor) insert(text string) {
	if len(e.text)+len(text) > maxPrompt {
		return
	}
	e.text = e.text[:e.at] + text + e.text[e.at:]
	e.at += len(text)
}

// next and previous are the offsets one cluster further.
func (e *editor) next(at int) int {
	if at >= len(e.text) {
		return len(e.text)
	}
	cluster, _ := ansi.FirstGraphemeCluster(e.text[at:], ansi.GraphemeWidth)
	return at + max(len(cluster), 1)
}

func (e *editor) previous(at int) int {
	i := strings.LastIndexByte(e.text[:at], '\n') + 1
	if i == at {
		return max(at-1, 0)
	}
	for n := e.next(i); n < at; n = e.next(n) {
		i = n
	}
	return i
}

func (e *editor) left()  { e.at = e.previous(e.at) }
func (e *editor) right() { e.at = e.next(e.at) }
func (e *editor) home()  { e.at = strings.LastIndexByte(e.text[:e.at], '\n') + 1 }
func (e *editor) end()   { e.at = e.lineEnd() }

func (e *editor) lineEnd() int {
	if i := strings.IndexByte(e.text[e.at:], '\n'); i >= 0 {
		return e.at + i
	}
	return len(e.text)
}

func (e *editor) wordStart() int {
	word := func(r rune) bool { return !unicode.IsSpace(r) }
	i := strings.LastIndexFunc(e.text[:e.at], word)
	if i < 0 {
		return 0
	}
	i = strings.LastIndexFunc(e.text[:i], unicode.IsSpace)
	if i < 0 {
		return 0
	}
	_, n := utf8.DecodeRuneInString(e.text[i:])
	return i + n
}

func (e *editor) wordEnd() int {
	rest := e.text[e.at:]
	i := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsSpace(r) })
	if i < 0 {
		return len(e.text)
	}
	if j := strings.IndexFunc(rest[i:], unicode.IsSpace); j >= 0 {
		return e.at + i + j
	}
	return len(e.text)
}

func (e *editor) wordLeft()  { e.at = e.wordStart() }
func (e *editor) wordRight() { e.at = e.wordEnd() }
func (e *editor) newline()   { e.insert("\n") }
func (e *editor) yank()      { e.insert(e.killed) }

// drop removes what is between two offsets and leaves the cursor there.
func (e *editor) drop(from, to int) string {
	gone := e.text[from:to]
	e.text, e.at = e.text[:from]+e.text[to:], from
	return gone
}

func (e *editor) kill(from, to int) {
	if gone := e.drop(from, to); gone != "" {
		e.killed = gone
	}
}

func (e *editor) backspace()     { e.drop(e.previous(e.at), e.at) }
func (e *editor) deleteRight()   { e.drop(e.at, e.next(e.at)) }
func (e *editor) killWordLeft()  { e.kill(e.wordStart(), e.at) }
func (e *editor) killWordRight() { e.kill(e.at, e.wordEnd()) }
func (e *editor) killToEnd()     { e.kill(e.at, e.lineEnd()) }
func (e *editor) killToStart()   { e.kill(strings.LastIndexByte(e.text[:e.at], '\n')+1, e.at) }

func (e *editor) transpose() {
	if e.at == len(e.text) {
		e.left()
	}
	if e.at == 0 {
		return
	}
	a, c := e.previous(e.at), e.next(e.at)
	e.text = e.text[:a] + e.text[e.at:c] + e.text[a:e.at] + e.text[c:]
	e.at = c
}

// vertical moves the cursor by lines and reports whether there was one.
func (e *editor) vertical(by int) bool {
	start := strings.LastIndexByte(e.text[:e.at], '\n') + 1
	column := width(e.text[start:e.at])
	if by < 0 {
		if start == 0 {
			return false
		}
		e.at = start - 1
		e.home()
	} else {
		end := e.lineEnd()
		if end == len(e.text) {
			return false
		}
		e.at = end + 1
	}
	for stop := e.lineEnd(); e.at < stop && column > 0; column -= max(width(e.text[e.at:e.next(e.at)]), 1) {
		e.right()
	}
	return true
}

// layout breaks the text into rows of at most w cells and says where the cursor is.
func (e *editor) layout(w int) (rows []string, x, y int) {
	var row strings.Builder
	used := 0
	flush := func() { rows = append(rows, row.String()); row.Reset(); used = 0 }
	for i := 0; ; {
		if i < len(e.text) && e.text[i] != '\n' {
			n := e.next(i)
			cell := e.text[i:n]
			if used+width(cell) > w {
				flush()
			}
			if i == e.at {
				x, y = used, len(rows)
			}
			row.WriteString(cell)
			used += width(cell)
			i = n
			continue
		}
		if i == e.at {
			if used >= w {
				flush()
			}
			x, y = used, len(rows)
		}
		flush()
		if i >= len(e.text) {
			return rows, x, y
		}
		i++
	}
}
