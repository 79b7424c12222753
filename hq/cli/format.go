package cli

import (
	"fmt"
	"strings"
	"time"

	"ferrus/ui/text"
)

func indent(s string) string {
	return "  " + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n  ")
}

// hanging indents the lines of a text but the first, so that none of them can pass for a line of ferrus.
func hanging(s string) string { return strings.TrimSpace(indent(text.SanitizeLines(s))) }

func quote(text string) string {
	return "> " + strings.ReplaceAll(text, "\n", "\n> ")
}

func oneLine(s string) string { return strings.ReplaceAll(text.Sanitize(s), "`", "'") }

// shortHash returns enough of a hash to identify it.
func shortHash(hash string) string {
	if hash == "" {
		return "none"
	}
	return oneLine(hash[:min(len(hash), 12)])
}

func timestamp(t time.Time) string { return t.Local().Format(time.DateTime) }

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

func plural(n int, word string) string {
	if n != 1 {
		word += "s"
	}
	return fmt.Sprintf("%d %s", n, word)
}
