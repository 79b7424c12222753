package cli

import (
	"fmt"
	"testing"

	"ferrus/hq/core"
	"ferrus/hq/hqtest"
)

// /model is about the agents that the selected task has, not the agents of the next one in ferrus.toml.
func TestModelsOfTheSelectedTask(t *testing.T) {
	t.Parallel()
	pr := hqtest.NewProject(t, hqtest.Files{
		"ferrus.toml": "[checks]\ncommands = [\"true\"]\n[hq.executor]\nagent = \"codex\"\nmodel = \"small\"\n" +
			"[hq.supervisor]\nagent = \"codex\"\n"}, agentNames()...)
	pin := &core.Pin{Executor: core.RolePin{Agent: "claude-code"},
		Supervisor: core.RolePin{Agent: "codex", Model: "large"}}
	for want, p := range map[string]*core.Pin{
		"supervisor codex , executor codex small":       nil,
		"supervisor codex large, executor claude-code ": pin,
	} {
		m := hqSettings(pr, p).Models
		if got := fmt.Sprintf("%s %s %s, %s %s %s", m[0].Role, m[0].Agent, m[0].Model, m[1].Role, m[1].Agent,
			m[1].Model); got != want {
			t.Errorf("with the pin %+v the models are %q, want %q", p, got, want)
		}
	}
}
