package checks

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// escapes are the control sequences of terminals: CSI, the string sequences OSC,
// DCS, APC, PM and SOS, and the short ones.
var escapes = regexp.MustCompile(`\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])`)

// cut joins the start and the end of a line as plain text and says what is
// missing in between.
func cut(head, rest []byte, missing int) string {
	if missing == 0 {
		return PlainText(string(head) + string(rest))
	}
	return fmt.Sprintf("%s [... %d bytes ...] %s", PlainText(string(head)), missing, PlainText(string(rest)))
}

// PlainText is one line of output as a person reads it: without escape sequences,
// overwritten parts, control and direction characters, and as valid UTF-8.
func PlainText(s string) string {
	if readable(s) {
		return s
	}
	s = escapes.ReplaceAllString(s, "")
	s = strings.TrimRight(s, "\r")
	s = s[strings.LastIndexByte(s, '\r')+1:]
	return strings.Map(visible, strings.ToValidUTF8(s, string(utf8.RuneError)))
}

// readable is true for almost every line, and quick.
func readable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' && s[i] != '\t' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

func visible(r rune) rune {
	switch {
	case r == '\t':
		return r
	case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == 0x2028, r == 0x2029:
		return -1
	}
	return r
}
