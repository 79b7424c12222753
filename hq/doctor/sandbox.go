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

// sandbox finds out which walls hold on this machine, and which of your settings do not
// work inside.
func (p *inspection) sandbox(ctx context.Context) {
	cfg, failed := p.Config()
	mode, network := sandbox.Auto, sandbox.Open
	if failed == nil {
		mode, network = sandbox.Mode(cfg.Sandbox.Mode), sandbox.Network(cfg.Sandbox.Network)
	}
	w, err := sandbox.Choose(ctx, mode, network)
	p.walls(mode, network, w, err)
	if w.Kind == sandbox.Namespace && failed == nil {
		p.ownSettings(cfg)
	}
}

// walls says what was found for what ferrus.toml asks for.
func (p *inspection) walls(mode sandbox.Mode, network sandbox.Network, w sandbox.Walls, err error) {
	switch {
	case err != nil:
		p.find("sandbox", Error, "checks and agents cannot run: ferrus.toml requires a sandbox",
			strings.TrimPrefix(err.Error(), "the sandbox is required: "), sandbox.Cure(err))
	case w.Kind == "":
		return // This program cannot build walls: it belongs to a test.
	case mode == sandbox.Off:
		p.find("sandbox", Warning, "the sandbox is off: checks and agents run with all your rights", sandbox.Exposed,
			`remove mode = "off" from [sandbox] in ferrus.toml`)
	case w.Kind == sandbox.Namespace && w.Network != network:
		p.find("sandbox", Warning, "namespace walls are available, but agents have your network", w.Reason, w.Cure)
	case w.Kind == sandbox.Namespace:
		p.find("sandbox", OK, "namespace walls hold", "", "")
	case w.Kind == sandbox.Seatbelt:
		p.find("sandbox", Warning, "checks run in the walls of macOS, which are experimental; agents run with "+
			"all your rights", strings.TrimPrefix(w.Reason+"; "+sandbox.Exposed, "; "), w.Cure)
	case w.Kind == sandbox.Landlock:
		p.find("sandbox", Warning, "only Landlock walls are available, which protect against accidents",
			w.Reason, w.Cure)
	default:
		p.find("sandbox", Warning, "there is no sandbox: checks and agents run with all your rights",
			strings.TrimPrefix(w.Reason+"; "+sandbox.Exposed, "; "), w.Cure)
	}
}

// ownSettings names the MCP servers and hooks of yours that cannot run inside.
func (p *inspection) ownSettings(cfg config.Config) {
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
		servers, hooks := agent.MissingOfYours(a, home, inside.Shows)
		if len(servers) > 0 {
			p.find("sandbox", Note, fmt.Sprintf("your MCP servers that cannot run inside: %d", len(servers)),
				name+": "+strings.Join(servers, ", "), "list what they need in [sandbox] read, write or sockets")
		}
		if len(hooks) > 0 {
			p.find("sandbox", Note, fmt.Sprintf("your hooks that lack a file inside: %d", len(hooks)),
				name+": "+strings.Join(hooks, ", "), "name it by its absolute path, and in [sandbox] read")
		}
	}
}
