package checks

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"ferrus/ui/text"
)

// Why a line does not show what a program reads.
const (
	oddHidden = "it has characters that cannot be seen"
	oddLong   = "it is too long to examine"
)

// shown returns the line as it is shown, its beginning if it is long.
func (l patchLine) shown() string {
	line := l.text[:min(len(l.text), lineBytes)]
	words := text.Output(escape(string(line)))
	if more := len(l.text) - len(line); more > 0 {
		words += fmt.Sprintf("... (%d more bytes)", more)
	}
	return words
}

// eachChange calls f with a line that is added or removed, as each does.
func (l patchLine) eachChange(f func(LineChange)) {
	if l.mark == '+' || l.mark == '-' {
		l.each(f)
	}
}

// each calls f with the line, or with its parts where a language sees several: a carriage return
// ends a line in Python and JavaScript, and so do separators of Unicode in JavaScript.
func (l patchLine) each(f func(LineChange)) {
	one := LineChange{Path: l.path, Number: l.number, Added: l.mark == '+'}
	line := string(bytes.TrimSuffix(l.text[1:], []byte("\r")))
	parts := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune("\r\u2028\u2029", r) })
	switch {
	case l.long:
		one.Odd = oddLong
	case len(parts) > 1 || hasHidden(line, l.number == 1):
		one.Odd = oddHidden
	}
	if len(parts) == 0 {
		parts = []string{""}
	}
	for _, part := range parts {
		one.Text = text.Output(escape(part))
		f(one)
	}
}

// escape shows what cannot be seen.
func escape(line string) string {
	line = text.Escape(strings.TrimSuffix(strings.ToValidUTF8(line, "\uFFFD"), "\r"))
	if strings.IndexFunc(line, isIgnorable) < 0 {
		return line
	}
	var b strings.Builder
	for _, r := range line {
		if isIgnorable(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isIgnorable reports whether a letter or mark is drawn as nothing: languages take some for a name.
func isIgnorable(r rune) bool {
	return r > unicode.MaxASCII && unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// selects reports whether a selector chooses how the character before it is drawn: there are hundreds of selectors,
// and a row of them is a text that cannot be seen.
func selects(before, selector rune) bool {
	const picture = '\uFE0F'
	return before > unicode.MaxASCII && !unicode.Is(unicode.Variation_Selector, before) ||
		selector == picture && strings.ContainsRune("0123456789#*", before)
}

// hasHidden reports whether a line has characters that hide or reorder others, or that cannot be seen. A mark of the
// byte order may begin a file, a form feed may be alone, and clusters beyond ASCII have joiners and selectors.
func hasHidden(line string, first bool) bool {
	if first {
		line = strings.TrimPrefix(line, "\uFEFF")
	}
	if line == "\f" {
		return false
	}
	before := rune(0)
	for _, r := range line {
		joins := (r == '\u200D' || r == '\u200C') && before > unicode.MaxASCII
		switch {
		case joins || r == '\t':
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp), isIgnorable(r),
			unicode.Is(unicode.Variation_Selector, r) && !selects(before, r):
			return true
		}
		before = r
	}
	return false
}
