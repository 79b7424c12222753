package agent

import (
	"slices"
	"strings"
)

// misleading names tell a program about the terminal or the multiplexer that
// ferrus runs in, which is not the one the agent runs in.
var misleading = []string{
	"TMUX", "TMUX_PANE", "STY", "WINDOW", "ZELLIJ", "ZELLIJ_SESSION_NAME", "ZELLIJ_PANE_ID",
	"TERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TERM_SESSION_ID", "TERMCAP", "COLORTERM", "COLORFGBG",
	"COLUMNS", "LINES", "VTE_VERSION", "WT_SESSION", "WT_PROFILE_ID", "WINDOWID", "INSIDE_EMACS",
	"KITTY_WINDOW_ID", "KITTY_PID", "KITTY_LISTEN_ON", "KITTY_PUBLIC_KEY", "ITERM_SESSION_ID", "ITERM_PROFILE",
	"LC_TERMINAL", "LC_TERMINAL_VERSION", "ALACRITTY_WINDOW_ID", "ALACRITTY_SOCKET", "ALACRITTY_LOG",
	"WEZTERM_PANE", "WEZTERM_UNIX_SOCKET", "WEZTERM_EXECUTABLE", "GHOSTTY_RESOURCES_DIR", "KONSOLE_VERSION",
}

// nested names tell an agent that it was started by another one; each vendor's
// file adds its own.
var nested []string

// environ is the environment of an agent: the parent's, because that is where a
// person points a client at a server or a key, without what belongs to the
// parent's own terminal and session, and with what belongs to this one.
func environ(parent, add []string) []string {
	env := slices.DeleteFunc(slices.Clone(parent), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return strings.HasPrefix(name, "FERRUS_") || slices.Contains(misleading, name) || slices.Contains(nested, name)
	})
	env = append(env, "TERM=xterm-256color", "COLORTERM=truecolor")
	return append(env, add...)
}
