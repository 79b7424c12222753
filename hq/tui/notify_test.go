package tui

import (
	"os"
	"testing"
)

func TestNotificationsOfTerminals(t *testing.T) {
	for name, c := range map[string]struct {
		environ map[string]string
		want    string
	}{
		"kitty":   {map[string]string{"TERM": "xterm-kitty"}, "\x1b]99;;p: a, b\x1b\\\a"},
		"foot":    {map[string]string{"TERM": "foot-extra"}, "\x1b]777;notify;ferrus;p: a, b\x1b\\\a"},
		"wezterm": {map[string]string{"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, "\x1b]9;p: a, b\x1b\\\a"},
		"console": {map[string]string{"TERM": "linux"}, "\a"},
		"tmux": {map[string]string{"TERM": "tmux-256color", "TMUX": "/tmp/x,1,0"},
			"\x1bPtmux;\x1b\x1b]9;p: a, b\x1b\x1b\\\x1b\\\a"},
		"screen": {map[string]string{"TERM": "screen", "STY": "1.x"}, "\x1bP\x1b]9;p: a, b\a\x1b\\\a"},
	} {
		if got := sequenceOf("p: a; b\x1b\a", func(n string) string { return c.environ[n] }); got != c.want {
			t.Errorf("%s is sent %q, not %q", name, got, c.want)
		}
	}
	for mode, want := range map[string]string{"off": "", "bell": "\a"} {
		if got := notification("x", mode, os.Getenv); got != want {
			t.Errorf("%s sends %q", mode, got)
		}
	}
}
