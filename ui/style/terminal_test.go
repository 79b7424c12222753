package style

import (
	"strings"
	"testing"
)

// Only terminals that are known to show progress get it: others may notify you instead.
func TestTerminalsThatShowProgress(t *testing.T) {
	for environment, want := range map[string]bool{
		"":                              false,
		"TERM=xterm-256color":           false,
		"TERM_PROGRAM=ghostty":          true,
		"TERM_PROGRAM=WezTerm":          true,
		"WT_SESSION=1":                  true,
		"WT_SESSION=1 TMUX=/tmp/tmux,1": false,
		"TERM_PROGRAM=iTerm.app TERM_PROGRAM_VERSION=3.5.14": false,
		"TERM_PROGRAM=iTerm.app TERM_PROGRAM_VERSION=3.6.1":  true,
		"TERM_PROGRAM=iTerm.app":                             false,
	} {
		got := TerminalOf(func(name string) string {
			for entry := range strings.FieldsSeq(environment) {
				if value, ok := strings.CutPrefix(entry, name+"="); ok {
					return value
				}
			}
			return ""
		})
		if got.Progress != want {
			t.Errorf("%q: %v", environment, got.Progress)
		}
	}
}
