package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/intent"
	"ferrus/ui/text"
)

// bell is what every terminal understands.
const bell = "\a"

// notify sends the terminal the sequence that alerts a human who looks elsewhere,
// unless they have turned it off.
func (a *app) notify(i intent.Notify) tea.Cmd {
	if bytes := notification(i.Text, a.settings.Load().Notify, a.Environ); bytes != "" {
		return tea.Raw(bytes)
	}
	return nil
}

// notification returns what a terminal is sent in a mode: off, bell or auto.
func notification(s, mode string, environ func(string) string) string {
	switch mode {
	case "off":
		return ""
	case "bell":
		return bell
	}
	return sequenceOf(text.Sanitize(s), environ)
}

// sequenceOf returns the notification that the terminal of an environment knows, and the
// bell. It is one sequence only, because a terminal that knows two would alert twice.
func sequenceOf(text string, environ func(string) string) string {
	text = strings.NewReplacer(";", ",", "\x1b", "", "\a", "").Replace(text)
	program, terminal := strings.ToLower(environ("TERM_PROGRAM")), environ("TERM")
	var sequence string
	switch {
	case terminal == "linux" || terminal == "dumb" || strings.HasPrefix(terminal, "vt"):
		return bell // it would print the rest
	case environ("KITTY_WINDOW_ID") != "" || strings.Contains(terminal, "kitty"):
		sequence = "\x1b]99;;" + text + "\x1b\\"
	case strings.HasPrefix(terminal, "foot"), strings.HasPrefix(terminal, "rxvt"), environ("VTE_VERSION") != "",
		program == "ghostty", program == "warpterminal":
		sequence = "\x1b]777;notify;ferrus;" + text + "\x1b\\"
	default: // iTerm2, WezTerm, Windows Terminal; others ignore it
		sequence = "\x1b]9;" + text + "\x1b\\"
	}
	return through(sequence, environ) + bell
}

// through wraps a sequence for the terminal outside a multiplexer; the bell passes by
// itself. Tmux passes it on with "set -g allow-passthrough on".
func through(sequence string, environ func(string) string) string {
	switch {
	case environ("TMUX") != "":
		return "\x1bPtmux;" + strings.ReplaceAll(sequence, "\x1b", "\x1b\x1b") + "\x1b\\"
	case environ("STY") != "":
		return "\x1bP" + strings.ReplaceAll(sequence, "\x1b\\", "\a") + "\x1b\\"
	}
	return sequence
}
