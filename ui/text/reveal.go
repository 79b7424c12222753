package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// lineMark replaces a line end in a revealed text.
const lineMark = " ⏎ "

// Reveal returns text as one harmless line that hides nothing, for a reader who decides by it. What [Sanitize] removes
// or reduces, and what is drawn as a blank or not at all, is spelled out as in Go; a line end is a mark, and a long row
// of blanks is counted.
func Reveal(text string) string {
	if harmless(text, '\n') && !strings.Contains(text, "\n") && !strings.Contains(text, longBlank) {
		return text
	}
	var b strings.Builder
	blanks := 0
	endBlanks := func() {
		if blanks > len(longBlank) {
			fmt.Fprintf(&b, " (%d blanks) ", blanks)
		} else {
			b.WriteString(longBlank[:blanks])
		}
		blanks = 0
	}
	for text != "" {
		cluster, _ := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
		text = text[len(cluster):]
		if cluster == " " {
			blanks++
			continue
		}
		endBlanks()
		b.WriteString(reveal(cluster))
	}
	endBlanks()
	if shown := b.String(); Sanitize(shown) == shown {
		return shown
	}
	return spell(b.String()) // clusters that are one with what is next to them now
}

// longBlank is the longest row of blanks that is shown as it is, with one more than deep code is indented by.
const longBlank = "                         "

// reveal spells out a cluster that is not shown as it is.
func reveal(cluster string) string {
	if cluster == "\n" {
		return lineMark
	}
	if Sanitize(cluster) == cluster && strings.IndexFunc(cluster, unseen) < 0 {
		return cluster
	}
	return spell(cluster)
}

// spell spells out all but printable ASCII; a line end is a mark.
func spell(text string) string {
	var b strings.Builder
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case r == '\n':
			b.WriteString(lineMark)
		case ' ' <= r && r <= '~':
			b.WriteByte(byte(r))
		case r < utf8.RuneSelf:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
		text = text[size:]
	}
	return b.String()
}

// unseen reports runes that are drawn as a blank, or not at all.
func unseen(r rune) bool {
	const braille = '\u2800' // without dots
	return r == braille || r != ' ' &&
		unicode.In(r, unicode.Zs, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
