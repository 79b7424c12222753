package session

import (
	"strings"
	"testing"

	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/remote"
)

// onAWorker launches sessions on the worker big. Claude Code gets ferrus's server alone.
func onAWorker() *Local {
	return &Local{
		Project: &project.Task{ID: "t-1-one"}, Agents: func() map[string]config.Custom { return nil },
		Only:   func(agent string) bool { return agent == "claude-code" },
		Remote: func() (Place, bool) { return Place{Target: remote.Target{Name: "big"}, Attempt: 2}, true },
	}
}

// An agent on a worker has the same MCP servers as here.
func TestAWorkerGivesOnlyTheServersThatYouAllow(t *testing.T) {
	t.Parallel()
	l := onAWorker()
	at, _ := l.place()
	for agent, only := range map[string]bool{"claude-code": true, "codex": false} {
		s := Launch{Job: Job{Job: core.Job{Slot: core.SlotExecutor}, Agent: config.RoleConfig{Agent: agent}}}
		if got := l.startOf(at, s, 60).OnlyFerrus; got != only {
			t.Errorf("%s gets ferrus's server alone: %v, want %v", agent, got, only)
		}
	}
}

// A session on a worker cannot move to its own screen: its conversation is there.
func TestTheScreenOfASessionOnAWorkerStays(t *testing.T) {
	t.Parallel()
	record := project.SessionRecord{Slot: core.SlotExecutor, AgentType: "claude-code"}
	err := onAWorker().Continuable(record, t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "on the worker big") {
		t.Errorf("it can move: %v", err)
	}
}
