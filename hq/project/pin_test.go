package project

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/checks/git/gittest"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/store"
)

// TestEditedConfigurationIsReported, however git is made to overlook it.
func TestEditedConfigurationIsReported(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	for name, hide := range map[string]func(*fixture){
		"plain":         func(*fixture) {},
		"skip-worktree": func(l *fixture) { gittest.Run(t, l.Dir, "update-index", "--skip-worktree", "ferrus.toml") },
		"assumed": func(l *fixture) {
			gittest.Run(t, l.Dir, "update-index", "--assume-unchanged", "ferrus.toml")
		},
		"ignored": func(l *fixture) { l.write(l.Dir, ".git/info/exclude", "ferrus.toml\n") },
		"gone":    func(l *fixture) { os.Remove(filepath.Join(l.Dir, "ferrus.toml")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newFixture(t)
			if name == "ignored" {
				gittest.Run(t, l.Dir, "rm", "-q", "--cached", "ferrus.toml")
				gittest.Run(t, l.Dir, "commit", "-q", "-m", "untracked")
			}
			l.do(core.Command{Kind: "create_task", By: HumanActor(), Text: "# Do it"})
			edited := strings.Replace(toml, "true", "echo", 1) +
				"[hq]\nunattended = true\n[hq.supervisor]\npermissions = \"bypass\"\n"
			l.write(l.Dir, "ferrus.toml", edited)
			hide(l)
			l.resubmit()
			w := l.world().World
			i := slices.IndexFunc(w.HumanAlarms(), func(a core.Alarm) bool { return a.Rule == settingsChanged })
			if i < 0 {
				t.Fatalf("the alarms are %v, want one for the changed settings", w.Submission.Alarms)
			}
			if cfg, _ := l.Config(); Unattended(cfg, w) || w.Pinned().Supervisor.Permissions != "auto" {
				t.Errorf("the edit counts: %+v", w.Pinned())
			}
			// The work may be in a worktree, whose tree has no edit.
			alarms := l.configAlarms(w, nil)
			line := "hq.supervisor.permissions: bypass, was auto"
			if len(alarms) != 1 || name != "gone" && !slices.Contains(alarms[0].Lines, line) {
				t.Errorf("the alarms are %v, want one with %q", alarms, line)
			}
		})
	}
}

// An executor that edits ferrus.toml gives the agents of its task no servers that you took from
// them.
func TestThePinHasTheServers(t *testing.T) {
	cfg := config.Config{MCP: map[string]string{"codex": config.MCPOnly, "claude-code": "keep"}}
	cfg.HQ.Executor.Agent, cfg.HQ.Supervisor.Agent = "codex", "claude-code"
	pin := pinOf(cfg)
	if pin.Executor.MCP != config.MCPOnly || pin.Supervisor.MCP != "" {
		t.Errorf("pinned is %+v, want mcp = only for the executor alone", pin)
	}
	edited := pin.Executor
	edited.MCP = ""
	got := differences("hq.executor", pin.Executor, edited)
	if !slices.Equal(got, []string{"hq.executor.mcp: , was only"}) {
		t.Errorf("an edit is reported as %q", got)
	}
}

// switchExecutor gives the executor of the fixture's task another agent.
func (l *fixture) switchExecutor(agent string) {
	l.Helper()
	do := func(c core.Command) error { l.do(c); return nil }
	if pinned, err := l.SwitchAgent(l.Context(), "executor", agent, do); err != nil || !pinned {
		l.Fatalf("pinned is %v, %v; want that the task has the executor %s", pinned, err, agent)
	}
}

// One command at a time changes agents: another one could edit ferrus.toml before each open task has accepted the
// first edit.
func TestOneSwitchAtATime(t *testing.T) {
	t.Parallel()
	l := newFixture(t)
	l.do(core.Command{Kind: "create_task", By: HumanActor(), Text: "# Do it"})
	before := config.Hash(l.Dir)
	do := func(core.Command) error {
		_, err := l.SetModel(t.Context(), "executor", "small", nil)
		if held := (*store.LockedError)(nil); !errors.As(err, &held) || held.Name != SwitchLock {
			t.Errorf("the second command: %v, want that the first holds the lock", err)
		}
		return errors.New("refused")
	}
	if _, err := l.SwitchAgent(t.Context(), "executor", "codex", do); err == nil || err.Error() != "refused" {
		t.Errorf("the first command: %v, want what its command returned", err)
	}
	text, err := os.ReadFile(filepath.Join(l.Dir, config.File))
	if err != nil || config.Hash(l.Dir) == before || strings.Contains(string(text), "small") {
		t.Errorf("ferrus.toml has\n%s\n%v; want only the first edit", text, err)
	}
}

// Giving a role another agent during a task in your checkout raises no alarm, but an agent's
// addition to the file does.
func TestYourSwitchIsNoAlarm(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	l := newFixture(t)
	l.do(core.Command{Kind: "create_task", By: HumanActor(), Text: "# Do it"})
	l.switchExecutor("codex")
	l.resubmit()
	settings := func() (all []core.Alarm) {
		for _, a := range l.world().World.Submission.Alarms {
			if a.Rule == settingsChanged {
				all = append(all, a)
			}
		}
		return all
	}
	if all := settings(); len(all) > 0 {
		t.Errorf("your own change: %v", all)
	}
	text, err := os.ReadFile(filepath.Join(l.Dir, config.File))
	if err != nil {
		t.Fatal(err)
	}
	l.write(l.Dir, config.File, string(text)+"# more\n")
	l.do(core.Command{Kind: "reject", By: HumanActor(), Text: "again"})
	l.resubmit()
	if all := settings(); len(all) == 0 || !all[0].NeedsHuman {
		t.Errorf("a later edit: %v", all)
	}
}

// TestYourSwitchIsNoAlarmElsewhere: giving a role of one task another agent edits ferrus.toml for all, and the other
// tasks keep their agents without an alarm.
func TestYourSwitchIsNoAlarmElsewhere(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	l := newFixture(t)
	var apart []*fixture
	for _, id := range []string{"t-1-one", "t-2-two"} {
		of, err := l.MakeTask(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		apart = append(apart, &fixture{T: t, Task: of})
	}
	for _, one := range append(apart, l) {
		one.do(core.Command{Kind: "create_task", By: HumanActor(), Text: "# Do it"})
	}
	was := l.world().World.Task.Pin.Executor.Agent
	apart[0].switchExecutor("copilot")
	for i, one := range append(apart, l) {
		w := one.world().World
		if alarms := one.configAlarms(w, nil); len(alarms) > 0 {
			t.Errorf("task %d has the alarms %v", i, alarms)
		}
		if got := w.Task.Pin.Executor.Agent; (got == "copilot") != (i == 0) || i > 0 && got != was {
			t.Errorf("the executor of task %d is %s", i, got)
		}
	}
}
