package termtest

import "os"

// M runs the tests of a package that open terminals. What they start must see the
// terminal that they open, and no trace of the one that the tests run in.
type M struct{ Tests interface{ Run() int } }

// Run runs the tests and returns the exit code.
func (m M) Run() int {
	for name, value := range map[string]string{"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	for _, name := range []string{"NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLORTERM", "COLORFGBG", "TERM_PROGRAM",
		"TMUX", "STY", "KITTY_WINDOW_ID", "WT_SESSION", "DISPLAY", "WAYLAND_DISPLAY"} {
		if err := os.Unsetenv(name); err != nil {
			panic(err)
		}
	}
	return m.Tests.Run()
}
