package project

import (
	"errors"
	"path/filepath"
	"testing"

	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/store"
)

// TestChangesComeAlong into the worktree of a task that was asked for with them:
// by the human at once, or by the supervisor who drafts it for them.
func TestChangesComeAlong(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	planner := core.Actor{Role: machine.Supervisor, ID: "supervisor:x:3", Session: "p", Mode: core.ModeTask}
	for _, c := range []struct {
		name             string
		by               core.Actor
		asked, drafted   bool
		workspace        string
		along, isRefused bool
	}{
		{"the human asks", HumanActor(), true, false, "worktree", true, false},
		{"nothing asks", HumanActor(), false, false, "worktree", false, false},
		{"drafted with them", planner, false, true, "worktree", true, false},
		{"the draft is another's", HumanActor(), false, true, "worktree", false, false},
		{"there is no worktree", HumanActor(), true, false, "here", false, true},
		{"nor for a draft", planner, false, true, "here", false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newFixture(t)
			l.write(l.Dir, "ferrus.toml", toml+"\n[hq]\nworkspace = \""+c.workspace+"\"\n")
			l.write(l.Dir, "main.go", "package changed\n")
			if c.drafted {
				l.do(core.Command{Kind: "select", By: FerrusActor(), Select: &core.Selection{PendingTaskChanges: true}})
			}
			command := core.Command{Kind: "create_task", By: c.by, Text: "# Do it", Changes: c.asked}
			if c.isRefused {
				if _, err := l.Do(t.Context(), store.Call{}, command); !errors.Is(err, ErrNoWorktree) {
					t.Errorf("got %v, want ErrNoWorktree", err)
				}
				return
			}
			l.do(command)
			w := l.world().World
			text := l.readFile(filepath.Join(relative(t, l.Dir, l.Workspace(w)), "main.go"))
			if got := text == "package changed\n"; got != c.along || w.PendingTaskChanges {
				t.Errorf("main.go holds %q; %+v", text, w.Selection)
			}
		})
	}
}

func relative(t *testing.T, from, to string) string {
	t.Helper()
	below, err := filepath.Rel(from, to)
	if err != nil {
		t.Fatal(err)
	}
	return below
}
