package agent

import (
	"slices"
	"strings"
)

// terminalVars describe the terminal or multiplexer that ferrus runs in, which is not the
// one the agent runs in.
var terminalVars = []string{
	"TMUX", "TMUX_PANE", "STY", "WINDOW", "ZELLIJ", "ZELLIJ_SESSION_NAME", "ZELLIJ_PANE_ID",
	"TERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TERM_SESSION_ID", "TERMCAP", "COLORTERM", "COLORFGBG",
	"COLUMNS", "LINES", "VTE_VERSION", "WT_SESSION", "WT_PROFILE_ID", "WINDOWID", "INSIDE_EMACS",
	"KITTY_WINDOW_ID", "KITTY_PID", "KITTY_LISTEN_ON", "KITTY_PUBLIC_KEY", "ITERM_SESSION_ID", "ITERM_PROFILE",
	"LC_TERMINAL", "LC_TERMINAL_VERSION", "ALACRITTY_WINDOW_ID", "ALACRITTY_SOCKET", "ALACRITTY_LOG",
	"WEZTERM_PANE", "WEZTERM_UNIX_SOCKET", "WEZTERM_EXECUTABLE", "GHOSTTY_RESOURCES_DIR", "KONSOLE_VERSION",
}

// nestedSessionVars tell an agent that another agent started it. Each vendor's file adds
// its own.
var nestedSessionVars []string

// childEnviron returns the environment of an agent: its parent's, which may contain
// your servers and keys, without the variables of the parent's terminal and session, and
// with those of this one. Some clients work in PWD instead of the directory that they are
// started in.
func childEnviron(parent []string, dir string, add []string) []string {
	env := slices.DeleteFunc(slices.Clone(parent), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return strings.HasPrefix(name, "FERRUS_") || name == "PWD" || name == "OLDPWD" ||
			slices.Contains(terminalVars, name) || slices.Contains(nestedSessionVars, name)
	})
	env = append(env, "TERM=xterm-256color", "COLORTERM=truecolor", "PWD="+dir)
	return append(env, add...)
}
