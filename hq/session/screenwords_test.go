package session

import (
	"testing"

	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/project"
)

// Where an agent has only a dialog, no text speaks of the agent's own screen.
func TestScreenWords(t *testing.T) {
	t.Parallel()
	l := &Local{Agents: func() map[string]config.Custom {
		return map[string]config.Custom{"goose": {ACP: []string{"goose", "acp"}}}
	}}
	const dialog = "The executor continues in a dialog, type in its pane; goose has no screen of its own here"
	for _, c := range []struct {
		agent string
		own   bool
		want  string
	}{
		{"claude-code", true, "The executor continues on its own screen"},
		{"claude-code", false, "The executor continues without its own screen"},
		{"goose", true, dialog},
		{"goose", false, "The executor continues without the dialog"},
	} {
		got := l.ScreenWords(project.SessionRecord{Slot: core.SlotExecutor, AgentType: c.agent}, c.own)
		if got != c.want {
			t.Errorf("%s, own screen %v: got %q, want %q", c.agent, c.own, got, c.want)
		}
	}
}
