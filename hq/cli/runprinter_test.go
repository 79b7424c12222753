package cli

import "testing"

// Without a screen, a notice names commands of the shell.
func TestNoticesNameShellCommands(t *testing.T) {
	t.Parallel()
	for notice, want := range map[string]string{
		"it failed; look at its pane, then /resume":            "it failed; see ferrus logs, then ferrus resume",
		"a limit, and /resume (ferrus resume) tries at once":   "a limit, and ferrus resume tries at once",
		"it is silent: /resume executor --take starts another": "it is silent: ferrus resume --take starts another",
		"b continues; /switch changes that":                    "b continues; ferrus switch changes that",
		"no file /tmp/resume is there":                         "no file /tmp/resume is there",
	} {
		if got := forShell(notice); got != want {
			t.Errorf("%q is printed as %q, want %q", notice, got, want)
		}
	}
}
