package agent

import (
	"regexp"
	"strings"
	"unicode"
)

// sequences are the orders to a terminal in what claims to be text: CSI, OSC and
// other strings, and two-byte escapes.
var sequences = regexp.MustCompile("\x1b\\[[0-?]*[ -/]*[@-~]|\x1b[\\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\\\)?|\x1b[ -/]*[0-~]")

// harmless is text without anything that orders a terminal about or reverses the
// order of what is read. Line ends and tabs stay.
func harmless(text string) string {
	text = sequences.ReplaceAllString(strings.ToValidUTF8(text, "\uFFFD"), "")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, text)
}
