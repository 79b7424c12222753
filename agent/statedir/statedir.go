// Package statedir finds the directory in which ferrus keeps what belongs to a user and to no project.
package statedir

import (
	"os"
	"os/user"
	"path/filepath"
)

// Find returns $XDG_STATE_HOME/ferrus, else ~/.local/state/ferrus, which need not exist; empty if the user has no
// home.
func Find() string {
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		home := Home()
		if !filepath.IsAbs(home) {
			return ""
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "ferrus")
}

// Home returns $HOME, or where it is not set the home that the system knows; empty if it knows none.
func Home() string {
	home := os.Getenv("HOME")
	if home == "" {
		if u, err := user.Current(); err == nil {
			home = u.HomeDir
		}
	}
	return home
}
