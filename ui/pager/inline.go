package pager

import (
	"ferrus/ui/style"
	"strings"
	"unicode"
)

// inline returns a line of Markdown as styled pieces: strong, code, struck out,
// links. An unclosed mark stays as it is written.
func inline(t *style.Theme, text string, base style.Paint) style.Spans {
	var out style.Spans
	plain := 0
	put := func(from, to int, s style.Span, next int) {
		if from > plain {
			out = append(out, style.Span{text[plain:from], base})
		}
		if to > from {
			out = append(out, s)
		}
		plain = next
	}
	for i := 0; i < len(text); {
		from, to, next, look := inlineMark(t, text, i, base)
		if next == 0 {
			if text[i] == '\\' && i+1 < len(text) && strings.IndexByte("\\`*_[]#|", text[i+1]) >= 0 {
				put(i, i+1, style.Span{text[i+1 : i+2], base}, i+2)
				i++
			}
			i++
			continue
		}
		put(i, i+1, style.Span{text[from:to], look}, next)
		i = next
	}
	if plain < len(text) {
		out = append(out, style.Span{text[plain:], base})
	}
	return out
}

// marked looks for something that is marked from i on: what of it is shown, and
// where it ends; next 0 is nothing.
func inlineMark(t *style.Theme, text string, i int, base style.Paint) (from, to, next int, look style.Paint) {
	rest := text[i:]
	for _, m := range []struct {
		mark string
		look style.Paint
	}{{"``", t.Quoted}, {"`", t.Quoted}, {"**", t.Strong}, {"__", t.Strong}, {"~~", t.Faint}, {"*", t.Leaning},
		{"_", t.Leaning}} {
		if !strings.HasPrefix(rest, m.mark) {
			continue
		}
		n := strings.Index(rest[len(m.mark):], m.mark)
		if n <= 0 || m.mark != "`" && m.mark != "``" && !isEmphasis(text, i, len(m.mark), n) {
			continue
		}
		return i + len(m.mark), i + len(m.mark) + n, i + 2*len(m.mark) + n, m.look
	}
	if rest[0] == '[' {
		if words := strings.Index(rest, "]("); words > 1 && !strings.Contains(rest[:words], "\n") {
			if end := strings.IndexByte(rest[words:], ')'); end > 0 {
				return i + 1, i + words, i + words + end + 1, t.Linked
			}
		}
	}
	return 0, 0, 0, base
}

// isEmphasis reports whether a mark of a width at i and its end n later stand
// around words as emphasis does: not in snake_case, not around blanks.
func isEmphasis(text string, i, wide, n int) bool {
	first, last := text[i+wide], text[i+wide+n-1]
	if first == ' ' || last == ' ' {
		return false
	}
	if text[i] != '_' {
		return true
	}
	after := i + 2*wide + n
	return (i == 0 || !isWordByte(text[i-1])) && (after >= len(text) || !isWordByte(text[after]))
}

func isWordByte(c byte) bool {
	return c == '_' || unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c))
}
