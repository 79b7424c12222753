package text

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// CheckEncoding returns an error for a text that is not UTF-8. Records and calls of tools are JSON, which
// replaces every other byte, so such a text would reach its reader changed.
func CheckEncoding(text string) error {
	if utf8.ValidString(text) {
		return nil
	}
	for n, at := 1, 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if r == utf8.RuneError && size == 1 {
			const odd = "line %d has the byte 0x%02x, which is not UTF-8: convert the text, as iconv does"
			return fmt.Errorf(odd, n, text[at])
		}
		n += strings.Count(text[at:at+size], "\n")
		at += size
	}
	return nil
}
