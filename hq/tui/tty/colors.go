package tty

import (
	"fmt"

	"github.com/charmbracelet/colorprofile"
)

// xtermColors returns the colours of xterm, which hides how many it has: it only says TERM=xterm,
// which means 8 or 16, and removes COLORTERM. ok reports whether the terminal is that program.
func xtermColors(environ func(name string) string) (p colorprofile.Profile, ok bool) {
	if environ("TERM") != "xterm" { // other terminals inherit its variable when they start in it
		return p, false
	}
	var version int
	if _, err := fmt.Sscanf(environ("XTERM_VERSION"), "XTerm(%d)", &version); err != nil {
		return p, false
	}
	const firstDirect = 331 // the first version that takes 24 bits as they are
	if version < firstDirect {
		return colorprofile.ANSI256, true
	}
	return colorprofile.TrueColor, true
}
