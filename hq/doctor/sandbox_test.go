package doctor

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"ferrus/agent/sandbox"
)

// The report says what was found about this machine's sandboxes: that they hold, or what is
// missing, why, and what to do.
func TestWallsFindings(t *testing.T) {
	t.Parallel()
	missing := fmt.Errorf("the sandbox is required: %w",
		&sandbox.Error{What: "use bubblewrap", Output: "it is not installed"})
	landlock := sandbox.Walls{Kind: sandbox.Landlock, Network: sandbox.Open, Reason: "why", Cure: "do this"}
	for name, c := range map[string]struct {
		mode    sandbox.Mode
		network sandbox.Network
		walls   sandbox.Walls
		err     error
		want    Finding
	}{
		"all": {sandbox.Auto, sandbox.Proxied, sandbox.Walls{Kind: sandbox.Namespace, Network: sandbox.Proxied}, nil,
			Finding{Severity: OK, What: "namespace walls hold"}},
		"no network of their own": {sandbox.Auto, sandbox.Proxied,
			sandbox.Walls{Kind: sandbox.Namespace, Network: sandbox.Open, Reason: "why", Cure: "do this"}, nil,
			Finding{Severity: Warning, What: "namespace walls are available, but agents have your network: why",
				Fix: "do this"}},
		"Landlock": {sandbox.Auto, sandbox.Proxied, landlock, nil,
			Finding{Severity: Warning, What: "only Landlock walls are available, which protect against accidents: why",
				Fix: "do this"}},
		"nothing": {sandbox.Auto, sandbox.Open, sandbox.Walls{Kind: sandbox.None, Reason: "why", Cure: "do this"}, nil,
			Finding{Severity: Warning, What: "there is no sandbox: checks and agents run with all your rights: why; " +
				sandbox.Exposed, Fix: "do this"}},
		"off": {sandbox.Off, sandbox.Proxied, sandbox.Walls{Kind: sandbox.None, Reason: "whose choice"}, nil,
			Finding{Severity: Warning,
				What: "the sandbox is off: checks and agents run with all your rights: " + sandbox.Exposed,
				Fix:  `remove mode = "off" from [sandbox] in ferrus.toml`}},
		"macOS": {sandbox.Require, sandbox.Open, sandbox.Walls{Kind: sandbox.Seatbelt, Network: sandbox.Open}, nil,
			Finding{Severity: Warning, What: "checks run in the walls of macOS, which are experimental; agents run " +
				"with all your rights: " + sandbox.Exposed}},
		"required": {sandbox.Require, sandbox.Open, sandbox.Walls{}, missing,
			Finding{Severity: Error, What: "checks and agents cannot run: ferrus.toml requires a sandbox: " +
				"use bubblewrap: it is not installed", Fix: sandbox.Cure(missing)}},
		"required, and the probe was ended": {sandbox.Require, sandbox.Open, sandbox.Walls{},
			errors.Join(context.Canceled), Finding{Severity: Error,
				What: "checks and agents cannot run: ferrus.toml requires a sandbox: context canceled"}},
	} {
		p := inspection{}
		p.walls(c.mode, c.network, c.walls, c.err)
		if len(p.findings) != 1 {
			t.Fatalf("%s: %d findings, want 1", name, len(p.findings))
		}
		got := p.findings[0]
		if c.want.Area = "sandbox"; got.Area != c.want.Area || got.Severity != c.want.Severity ||
			got.What != c.want.What || got.Fix != c.want.Fix {
			t.Errorf("%s:\ngot  %+v\nwant %+v", name, got, c.want)
		}
	}
}
