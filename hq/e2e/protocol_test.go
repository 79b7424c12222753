//go:build e2e

package e2e

import (
	"strings"
	"testing"

	"ferrus/agent/sandbox"
	"ferrus/hq/project"
)

// TestProtocol runs the loop of [TestLoop] with clients that speak the Agent Client Protocol in
// every role: as the built-in agent, and as agents in ferrus.toml.
func TestProtocol(t *testing.T) {
	for _, name := range []string{"gemini-cli", "gemini-acp", "qwen-acp", "opencode-acp"} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, setup{supervisor: name, executor: name})
			b.runScenario()
			b.readable()
			metered := 0
			for _, e := range b.ended() {
				if e.Usage != nil && e.Usage.Input > 0 {
					metered++
				}
			}
			if metered < 4 {
				t.Errorf("only %d sessions report their usage, want 4", metered)
			}
		})
	}
}

// TestProtocolInside is the same inside the sandbox, where a proxy leads to the model: with the
// built-in agent, as the others do in [TestLoopInside].
func TestProtocolInside(t *testing.T) {
	if _, err := sandbox.Choose(t.Context(), sandbox.Require, sandbox.Proxied); err != nil {
		t.Skip("no namespace sandbox here: " + err.Error())
	}
	b := newFixture(t, setup{supervisor: "gemini-cli", executor: "gemini-cli", more: required})
	b.runScenario()
	for _, e := range b.ended() {
		if want := "namespace, network proxy"; e.Sandbox != want {
			t.Errorf("the %s ran in %q, want %q", e.Name, e.Sandbox, want)
		}
	}
}

// readable fails unless a session's output is readable text.
func (b *fixture) readable() {
	b.t.Helper()
	p, err := project.Open(b.dir)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, e := range b.ended() {
		code, out := b.run("logs", string(e.Slot))
		if code != 0 || strings.Contains(out, `{"`) || !strings.Contains(out, "● ") {
			b.t.Errorf("%s of %s: exit %d, or unreadable output\n%s", e.Slot, p.Dir, code, out)
		}
	}
}
