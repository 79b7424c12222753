package doctor

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"ferrus/agent"
	"ferrus/agent/sandbox"
	"ferrus/hq/config"
)

// sandbox looks which walls hold on this machine, and what of yours does not work inside.
func (p *inspection) sandbox(ctx context.Context) {
	cfg, failed := p.Config()
	mode, network := sandbox.Auto, sandbox.Open
	if failed == nil {
		mode, network = sandbox.Mode(cfg.Sandbox.Mode), sandbox.Network(cfg.Sandbox.Network)
	}
	w, err := sandbox.Choose(ctx, mode, network)
	switch {
	case err != nil:
		p.find("sandbox", Error, "checks cannot run: the sandbox that ferrus.toml requires is not available",
			err.Error(), sandbox.Cure(err))
	case w.Kind == "":
		return // This program cannot build walls: it belongs to a test.
	case mode == sandbox.Off:
		p.find("sandbox", Warning, "the sandbox is off: checks run with all your rights", "",
			`remove mode = "off" from [sandbox] in ferrus.toml`)
	case w.Kind == sandbox.Namespace && w.Network != network:
		p.find("sandbox", Warning, "namespace walls are available, but agents have your network", w.Reason, w.Cure)
	case w.Kind == sandbox.Namespace:
		p.find("sandbox", OK, "namespace walls hold", "", "")
	case w.Kind == sandbox.Seatbelt:
		p.find("sandbox", Warning, "the walls of macOS hold, which are experimental", w.Reason, w.Cure)
	case w.Kind == sandbox.Landlock:
		p.find("sandbox", Warning, "only Landlock walls are available, which protect against accidents",
			w.Reason, w.Cure)
	default:
		p.find("sandbox", Warning, "there is no sandbox: checks run with all your rights", w.Reason, w.Cure)
	}
	if w.Kind == sandbox.Namespace && failed == nil {
		p.ownServers(cfg)
	}
}

// ownServers names the MCP servers of yours that cannot run inside.
func (p *inspection) ownServers(cfg config.Config) {
	home, err := os.UserHomeDir()
	if err != nil {
		return // There are no settings then.
	}
	tools, _ := sandbox.Toolchains(home, os.Environ())
	inside := sandbox.Policy{Read: slices.Concat(tools, []string{p.Dir}), Write: nil}
	for _, path := range slices.Concat(cfg.Sandbox.Read, cfg.Sandbox.Write) {
		if below, ok := strings.CutPrefix(path, "~/"); ok {
			path = home + "/" + below
		}
		inside.Read = append(inside.Read, path)
	}
	for _, name := range slices.Compact([]string{cfg.HQ.Supervisor.Agent, cfg.HQ.Executor.Agent}) {
		a, err := agent.Lookup(name, nil) // An agent of ferrus.toml has no settings that ferrus knows.
		if err != nil {
			continue
		}
		if missing := agent.MissingInside(agent.OwnServers(a, home), inside.Shows); len(missing) > 0 {
			p.find("sandbox", Note, fmt.Sprintf("your MCP servers that cannot run inside: %d", len(missing)),
				name+": "+strings.Join(missing, ", "), "list what they need in [sandbox] read, write or sockets")
		}
	}
}
