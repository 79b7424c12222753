package ui

import (
	"strings"
	"unicode"

	"ferrus/ui/text"
)

// inline is a line of Markdown as pieces in their looks: what is strong, quoted
// as code, struck out or leads somewhere. What is not closed is as it is written.
func (t *Theme) inline(text string, base Paint) spans {
	var out spans
	plain := 0
	put := func(from, to int, s span, next int) {
		if from > plain {
			out = append(out, span{text[plain:from], base})
		}
		if to > from {
			out = append(out, s)
		}
		plain = next
	}
	for i := 0; i < len(text); {
		from, to, next, look := t.marked(text, i, base)
		if next == 0 {
			if text[i] == '\\' && i+1 < len(text) && strings.IndexByte("\\`*_[]#|", text[i+1]) >= 0 {
				put(i, i+1, span{text[i+1 : i+2], base}, i+2)
				i++
			}
			i++
			continue
		}
		put(i, i+1, span{text[from:to], look}, next)
		i = next
	}
	if plain < len(text) {
		out = append(out, span{text[plain:], base})
	}
	return out
}

// marked looks for something that is marked from i on: what of it is shown, and
// where it ends; next 0 is nothing.
func (t *Theme) marked(text string, i int, base Paint) (from, to, next int, look Paint) {
	rest := text[i:]
	for _, m := range []struct {
		mark string
		look Paint
	}{{"``", t.quoted}, {"`", t.quoted}, {"**", t.strong}, {"__", t.strong}, {"~~", t.faint}, {"*", t.leaning}, {"_", t.leaning}} {
		if !strings.HasPrefix(rest, m.mark) {
			continue
		}
		n := strings.Index(rest[len(m.mark):], m.mark)
		if n <= 0 || m.mark != "`" && m.mark != "``" && !embraces(text, i, len(m.mark), n) {
			continue
		}
		return i + len(m.mark), i + len(m.mark) + n, i + 2*len(m.mark) + n, m.look
	}
	if rest[0] == '[' {
		if words := strings.Index(rest, "]("); words > 1 && !strings.Contains(rest[:words], "\n") {
			if end := strings.IndexByte(rest[words:], ')'); end > 0 {
				return i + 1, i + words, i + words + end + 1, t.linked
			}
		}
	}
	return 0, 0, 0, base
}

// embraces reports whether a mark of a width at i and its end n later stand
// around words as emphasis does: not in snake_case, not around blanks.
func embraces(text string, i, wide, n int) bool {
	first, last := text[i+wide], text[i+wide+n-1]
	if first == ' ' || last == ' ' {
		return false
	}
	if text[i] != '_' {
		return true
	}
	after := i + 2*wide + n
	return (i == 0 || !wordByte(text[i-1])) && (after >= len(text) || !wordByte(text[after]))
}

func wordByte(c byte) bool { return c == '_' || unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c)) }

// wrapSpans breaks pieces into lines of at most w cells, at blanks where there
// are any.
func wrapSpans(all spans, w int) (lines []spans) {
	w = max(w, 1)
	var line spans
	used := 0
	end := func() {
		lines, line, used = append(lines, line), nil, 0
	}
	for _, p := range all {
		for _, word := range strings.SplitAfter(p.text, " ") {
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
				line = append(line, span{head, p.paint})
				end()
				bare, word, left = bare[len(head):], word[len(head):], left-text.Width(head)
			}
			if used == 0 && bare == "" {
				continue
			}
			word = word[:min(len(word), len(bare)+1)]
			line = append(line, span{word, p.paint})
			used += text.Width(word)
		}
	}
	if len(line) > 0 || len(lines) == 0 {
		end()
	}
	return lines
}
