package statedir

import (
	"os/user"
	"path/filepath"
	"testing"
)

func TestTheDirectoryOfTheUser(t *testing.T) {
	home, state := t.TempDir(), t.TempDir()
	below := filepath.Join(home, ".local", "state", "ferrus")
	for _, c := range []struct{ state, home, want string }{
		{state, home, filepath.Join(state, "ferrus")}, {"", home, below}, {"not/absolute", home, below},
		{"", "not/absolute", ""},
	} {
		t.Setenv("XDG_STATE_HOME", c.state)
		t.Setenv("HOME", c.home)
		if got := Find(); got != c.want {
			t.Errorf("XDG_STATE_HOME=%q HOME=%q: %q, want %q", c.state, c.home, got, c.want)
		}
	}
}

func TestHomeWithoutHOME(t *testing.T) {
	u, err := user.Current()
	if err != nil {
		t.Skip("the system does not know this user")
	}
	t.Setenv("HOME", "")
	if got := Home(); got != u.HomeDir {
		t.Errorf("got %q, want %q", got, u.HomeDir)
	}
}
