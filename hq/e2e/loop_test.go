//go:build e2e

package e2e

import (
	"os"
	"strings"
	"testing"

	"ferrus/agent"
)

// The story of the demo, told by the vendors' own programs: the gate fails once,
// the executor consults, the reviewer rejects once, the human is asked, and the
// task is complete. Each supervisor is tried with each executor in FERRUS_E2E, a
// list of supervisor+executor, or all.
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

// metered fails when a session's client reports what it used, and none of its
// sessions did.
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
			b.t.Errorf("no session of %s says what it used", name)
		}
	}
}

// TestModels uses names of models that Codex knows: it defers the tools of ferrus
// for one, and has the other write programs that call them.
func TestModels(t *testing.T) {
	for _, name := range []string{"gpt-5.5", "gpt-5.6-sol"} {
		t.Run(name, func(t *testing.T) {
			newFixture(t, setup{supervisor: "codex", executor: "codex", model: name}).runScenario()
		})
	}
}

// pairs returns what FERRUS_E2E asks for; without it each vendor in each role once.
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
