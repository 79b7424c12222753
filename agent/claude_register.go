package agent

// Registration puts each role into its own file, which you pass when you start the client.
// The file that it reads by itself, .mcp.json, is shared by teams and read by other clients
// as well: every session of each of them would then have the tools of every role.
func (c claude) Registration(r Registered) Registration {
	entry := r.server(c)
	entry.Type, entry.Timeout, entry.AlwaysLoad = "stdio", noTimeoutSecs*1000, true
	file := ".claude/mcp-" + r.Role + ".json"
	edits := []Edit{
		{File: file, Kind: Member, Path: []string{"mcpServers"}, Key: r.Server(), Value: toJSON(entry)},
		{File: ".claude/settings.local.json", Kind: Element, Path: []string{"permissions", "allow"},
			Value: toJSON("mcp__" + r.Server()), Comments: true},
		r.instructions("CLAUDE.md"),
	}
	edits = append(edits,
		ignoreEdits(".claude/mcp-supervisor.json", ".claude/mcp-executor.json", ".claude/settings.local.json")...)
	start := c.Binary() + " --mcp-config " + file
	return Registration{Edits: edits, Start: start, Alone: start, Server: r.Server()}
}

// Install returns the command that installs the program.
func (claude) Install() string { return "npm install -g @anthropic-ai/claude-code" }

// sharedServers returns the servers in the file that clients share. A launch uses none of them,
// because an agent can write that file; on its own screen the client would first ask you about
// each.
func (claude) sharedServers(l Launch) []string { return configuredServers(l, ".mcp.json") }
