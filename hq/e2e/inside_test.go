//go:build e2e

package e2e

import (
	"strings"
	"testing"

	"ferrus/agent/sandbox"
)

// The story of [TestLoop] with every session inside of the sandbox: the vendors' programs get
// along with a private home, a git directory of their own and a server behind a door.
func TestLoopInside(t *testing.T) {
	if _, err := sandbox.Choose(t.Context(), sandbox.Require, sandbox.Open); err != nil {
		t.Skip("no namespace walls here: " + err.Error())
	}
	for _, pair := range pairs() {
		supervisor, executor, _ := strings.Cut(pair, "+")
		t.Run(pair, func(t *testing.T) {
			b := newBench(t, setup{supervisor: supervisor, executor: executor, more: "[sandbox]\nmode = \"require\"\n"})
			b.runScenario()
			b.metered()
			for _, e := range b.ended() {
				if !strings.HasPrefix(e.Sandbox, "namespace") {
					t.Errorf("the %s ran in %q", e.Name, e.Sandbox)
				}
			}
		})
	}
}
