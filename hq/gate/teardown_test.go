package gate

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/hq/project"
	"ferrus/hq/worktree"
)

func TestTeardownRunsBeforeTheWorktreeGoes(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs several gates")
	}
	t.Parallel()
	for name, c := range map[string]struct {
		command            string
		trusted, ran       bool
		teardown, kept     string
		force, uncommitted bool
	}{
		"runs": {command: "pwd >%s; echo $FERRUS_TASK $FERRUS_PORT >>%s", trusted: true, ran: true},
		"fails": {command: "pwd >%s; exit 3", trusted: true, ran: true,
			teardown: "exit 3; see .ferrus/logs/teardown_"},
		"is not trusted":   {command: "pwd >%s", teardown: "to allow them: ferrus trust"},
		"keeps what lives": {command: "pwd >%s", trusted: true, uncommitted: true, kept: "uncommitted"},
		"is forced":        {command: "pwd >%s", trusted: true, ran: true, uncommitted: true, force: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newFixture(t)
			out := filepath.Join(t.TempDir(), "out")
			l.Trusts = &project.TrustStore{File: filepath.Join(t.TempDir(), "trust.json")}
			l.write(filepath.Join(l.Dir, "ferrus.toml"), "[sandbox]\nmode = \"off\"\n[hq]\nteardown = ['"+
				strings.ReplaceAll(c.command, "%s", out)+"']\n")
			if c.trusted {
				cfg, err := l.Config()
				l.ok(err)
				l.ok(l.Trust(project.GateDefinition(cfg)))
			}
			place := l.Worktree("t-9")
			if _, err := worktree.Make(t.Context(), place, worktree.Options{}); err != nil {
				t.Fatal(err)
			}
			if c.uncommitted {
				if err := os.WriteFile(filepath.Join(place.Top(), "new"), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			kept := filepath.Join(l.SessionsDir(), "t-9")
			l.ok(os.MkdirAll(filepath.Join(kept, "home", "executor"), 0o700))
			l.ok(os.Chmod(filepath.Join(kept, "home"), 0)) // what a session may leave
			teardown, err := RemoveWorktree(t.Context(), l.Task, place, c.force)
			if !says(teardown, c.teardown) || !says(err, c.kept) {
				t.Errorf("teardown: %v, removal: %v", teardown, err)
			}
			text, _ := os.ReadFile(out)
			if name == "runs" && !strings.Contains(string(text), "\nt-9") {
				t.Errorf("FERRUS_TASK is not the task of the worktree: %q", text)
			}
			if (len(text) > 0) != c.ran || c.ran && !strings.HasPrefix(string(text), place.Top()) {
				t.Errorf("it printed %q", text)
			}
			if _, err := os.Stat(place.Top()); errors.Is(err, os.ErrNotExist) == (c.kept != "") {
				t.Errorf("the worktree: %v", err)
			}
			if _, err := os.Stat(kept); errors.Is(err, os.ErrNotExist) == (c.kept != "") {
				t.Errorf("what sessions of the task kept: %v", err)
			}
		})
	}
}

// says reports whether an error has some words; without words, whether there is none.
func says(err error, words string) bool {
	if words == "" || err == nil {
		return words == "" && err == nil
	}
	return strings.Contains(err.Error(), words)
}
