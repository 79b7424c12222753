package tui

import (
	"strings"

	"ferrus/ui/text"
)

// bell rings where everything else is unknown.
const bell = "\a"

// notification is what a terminal is sent to tell a person who looks elsewhere;
// empty where they want none.
func (d *deck) notification(s string) string {
	want := "auto"
	if d.options.Notify != nil {
		want = d.options.Notify()
	}
	switch want {
	case "off":
		return ""
	case "bell":
		return bell
	}
	return notify(text.Sanitize(s), d.options.Environ)
}

// notify is the notification that the terminal of an environment knows, and the
// bell. One sequence only: a terminal that knows two would tell twice.
func notify(text string, environ func(string) string) string {
	text = strings.NewReplacer(";", ",", "\x1b", "", "\a", "").Replace(text)
	program, terminal := strings.ToLower(environ("TERM_PROGRAM")), environ("TERM")
	var sequence string
	switch {
	case terminal == "linux" || terminal == "dumb" || strings.HasPrefix(terminal, "vt"):
		return bell // it would print the rest
	case environ("KITTY_WINDOW_ID") != "" || strings.Contains(terminal, "kitty"):
		sequence = "\x1b]99;;" + text + "\x1b\\"
	case strings.HasPrefix(terminal, "foot"), strings.HasPrefix(terminal, "rxvt"), environ("VTE_VERSION") != "", program == "ghostty", program == "warpterminal":
		sequence = "\x1b]777;notify;ferrus;" + text + "\x1b\\"
	default: // iTerm2, WezTerm, Windows Terminal; others leave it out
		sequence = "\x1b]9;" + text + "\x1b\\"
	}
	return through(sequence, environ) + bell
}

// through wraps a sequence for the terminal outside of a multiplexer; the bell
// goes through by itself. Tmux lets it pass with "set -g allow-passthrough on".
func through(sequence string, environ func(string) string) string {
	switch {
	case environ("TMUX") != "":
		return "\x1bPtmux;" + strings.ReplaceAll(sequence, "\x1b", "\x1b\x1b") + "\x1b\\"
	case environ("STY") != "":
		return "\x1bP" + strings.ReplaceAll(sequence, "\x1b\\", "\a") + "\x1b\\"
	}
	return sequence
}
