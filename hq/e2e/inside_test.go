//go:build e2e

package e2e

import (
	"strings"
	"testing"

	"ferrus/agent/sandbox"
)

// The loop of [TestLoop] with every session inside the sandbox: the vendors' programs work with a
// private home, their own git directory and a server behind a door, and with their own network, in
// which a proxy leads to the model that their settings name.
func TestLoopInside(t *testing.T) {
	for _, network := range []sandbox.Network{sandbox.Open, sandbox.Proxied} {
		if _, err := sandbox.Choose(t.Context(), sandbox.Require, network); err != nil {
			t.Skip("no namespace sandbox here: " + err.Error())
		}
		for _, pair := range pairs() {
			supervisor, executor, _ := strings.Cut(pair, "+")
			t.Run(pair+"/"+string(network), func(t *testing.T) {
				more := "[sandbox]\nmode = \"require\"\nnetwork = \"" + string(network) + "\"\n"
				b := newFixture(t, setup{supervisor: supervisor, executor: executor, more: more})
				b.runScenario()
				b.metered()
				for _, e := range b.ended() {
					if want := "namespace, network " + string(network); e.Sandbox != want {
						t.Errorf("the %s ran in %q, want %q", e.Name, e.Sandbox, want)
					}
				}
			})
		}
	}
}

// The same in the sandbox of a machine without namespaces: there, too, a session has a private home
// and a server behind a door, and in a worktree it can only read git's directory. The test needs a
// machine, or a mount namespace, without bubblewrap.
func TestLoopOnLandlock(t *testing.T) {
	if w, err := sandbox.Choose(t.Context(), sandbox.Auto, sandbox.Open); err != nil || w.Kind != sandbox.Landlock {
		t.Skipf("this sandbox is not Landlock: %s (%v)", w, err)
	}
	for _, workspace := range []string{"worktree", "here"} {
		for _, pair := range pairs() {
			supervisor, executor, _ := strings.Cut(pair, "+")
			t.Run(workspace+"/"+pair, func(t *testing.T) {
				// Some clients ask before they run a command, and no human is here to answer.
				more := "[hq]\nworkspace = \"" + workspace + "\"\n"
				b := newFixture(t, setup{supervisor: supervisor, executor: executor, permissions: "bypass", more: more})
				b.runScenario()
				b.metered()
				for _, e := range b.ended() {
					if want := "landlock (accidents only), network open"; e.Sandbox != want {
						t.Errorf("the %s ran in %q, want %q", e.Name, e.Sandbox, want)
					}
				}
			})
		}
	}
}
