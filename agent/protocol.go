package agent

import (
	"maps"
	"path/filepath"
	"slices"

	"ferrus/agent/acp"
)

// protocolCommand is the command of ferrus that speaks the Agent Client Protocol with an agent,
// and prints what happens as events.
const protocolCommand = "acp"

// protocolStream begins the name of the renderer of these events; the name of a built-in agent
// follows.
const protocolStream = "acp:"

// invokeProtocol returns the command line of a session with an agent that speaks the protocol.
// Servers are passed on to it; its own are there as well.
func (l Launch) invokeProtocol(a Adapter, prompt, model string, command []string) Invocation {
	servers := []acp.Server{}
	if !l.NoServer {
		servers = append(servers, l.protocolServer(a))
	}
	permit := "read"
	if l.Bypass || l.edits() {
		permit = "all"
	}
	args := []string{protocolCommand, "--permit=" + permit, "--mcp=" + toJSON(servers), "--prompt=" + prompt}
	if l.Ask {
		args = append(args, "--ask")
	}
	if model != "" {
		args = append(args, "--model="+model)
	}
	if c, ok := resembled(a).(interface{ cumulativeUsage() bool }); ok && c.cumulativeUsage() {
		args = append(args, "--cumulative")
	}
	if l.Resume != "" {
		args = append(args, "--resume="+l.Resume)
	}
	stream := protocolStream + resembled(a).Name()
	if l.Interactive {
		args = append(args, "--dialog="+stream)
	}
	args = append(append(args, "--"), command...)
	return Invocation{Path: l.Ferrus, Args: args, Env: append(l.env(), "FERRUS_WAIT_SECS="+l.waitSecs(a)),
		Headless: !l.Interactive, Stream: stream}
}

// protocolServer returns ferrus's server in the spelling of the protocol.
func (l Launch) protocolServer(a Adapter) acp.Server {
	s := l.server(a)
	server := acp.Server{Name: "ferrus", Command: s.Command, Args: s.Args}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		server.Env = append(server.Env, acp.EnvVariable{Name: name, Value: s.Env[name]})
	}
	return server
}

// resembled returns the built-in adapter of the program that an agent of ferrus.toml speaks the
// protocol with, else the agent's adapter itself. It knows what the program needs of your home.
func resembled(a Adapter) Adapter {
	c, ok := a.(custom)
	if !ok || len(c.ACP) == 0 {
		return a
	}
	for _, name := range Names() {
		if adapters[name].Binary() == filepath.Base(c.ACP[0]) {
			return adapters[name]
		}
	}
	return a
}

// toolPrefixed is an adapter whose program has another prefix before the names of ferrus's tools
// than most, when it speaks the protocol.
type toolPrefixed interface{ toolPrefix() string }

// toolPrefix returns what is before the names of ferrus's tools.
func toolPrefix(a Adapter) string {
	if p, ok := resembled(a).(toolPrefixed); ok {
		return p.toolPrefix()
	}
	return "mcp__ferrus__"
}
