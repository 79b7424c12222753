//go:build e2e

package e2e

import (
	"os"
	"strings"
	"testing"

	"ferrus/agent"
)

// The demo's loop, run by the vendors' own programs: the gate fails once, the executor consults,
// the reviewer rejects once, the human is asked, and the task completes. FERRUS_E2E is a list of
// supervisor+executor, or all for every combination.
func TestLoop(t *testing.T) {
	for _, pair := range pairs() {
		supervisor, executor, _ := strings.Cut(pair, "+")
		t.Run(pair, func(t *testing.T) {
			b := newFixture(t, setup{supervisor: supervisor, executor: executor})
			b.runScenario()
			b.metered()
		})
	}
}

// metered fails if none of a client's sessions reports its usage, though the client can.
func (b *fixture) metered() {
	b.t.Helper()
	known := map[string]bool{}
	for _, e := range b.ended() {
		if tokens, _ := agent.ReportsUsage(e.Agent); tokens {
			known[e.Agent] = known[e.Agent] || e.Usage != nil && e.Usage.Input > 0
		}
	}
	for name, ok := range known {
		if !ok {
			b.t.Errorf("no session of %s reports its usage", name)
		}
	}
}

// TestModels uses two model names that Codex knows: for one it defers ferrus's tools, and for the
// other it has the model write programs that call them.
func TestModels(t *testing.T) {
	for _, name := range []string{"gpt-5.5", "gpt-5.6-sol"} {
		t.Run(name, func(t *testing.T) {
			newFixture(t, setup{supervisor: "codex", executor: "codex", model: name}).runScenario()
		})
	}
}

// pairs returns the combinations in FERRUS_E2E; without it each vendor plays each role once.
func pairs() []string {
	switch asked := os.Getenv("FERRUS_E2E"); asked {
	case "":
		return []string{"claude-code+codex", "codex+qwen-code", "qwen-code+claude-code"}
	case "all":
		var all []string
		for _, supervisor := range names {
			for _, executor := range names {
				all = append(all, supervisor+"+"+executor)
			}
		}
		for _, name := range others {
			all = append(all, name+"+"+name)
		}
		return all
	default:
		return strings.Fields(asked)
	}
}
