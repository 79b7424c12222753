package cli

import (
	"io"
	"os"
	"strings"
	"testing"

	"ferrus/checks/git/gittest"
)

// HQ's prompt accepts the command's flags and has one line for the answer.
func TestRegisterFromHQ(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("FERRUS_PROJECT", "")
	gittest.Run(t, "", "init", "--quiet")
	if code := runCommandLine(t.Context(), &streams{out: io.Discard, err: io.Discard},
		[]string{"init", "--yes"}); code != 0 {
		t.Fatalf("init: exit %d", code)
	}
	for _, test := range []struct{ flags, want, fault string }{
		{"--executor codex", "4 files written; executor:codex:1 is ferrus-executor-1 in .codex/config.toml; to " +
			"start it outside HQ", ""},
		{"--executor codex", "nothing to do: already registered; executor:codex:1", ""},
		{"--executor codex --print", "", "in a shell"},
		{"executor codex", "", `takes no arguments, got "executor"`},
		{"--executor", "", "flag needs an argument"},
		{"--nothing", "", "unknown flag"},
		{"--remove", "4 files written", ""},
	} {
		text, err := registerLine(t.Context(), test.flags)
		if test.fault != "" && (err == nil || !strings.Contains(err.Error(), test.fault)) || test.fault == "" &&
			err != nil || !strings.HasPrefix(text, test.want) || strings.Contains(text, "\n") {
			t.Errorf("%s: %q, %v", test.flags, text, err)
		}
	}
	if _, err := os.Stat(".codex"); err == nil {
		t.Error(".codex is left")
	}
}
