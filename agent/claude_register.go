package agent

// Registration puts each role into a file of its own, which a person names when
// they start the client. The file that it would read by itself, .mcp.json, is one
// that teams share and that other clients read as well: every session of every
// one of them would then have the tools of every role.
func (c claude) Registration(r Registered) Registration {
	entry := r.server(c)
	entry.Type, entry.Timeout, entry.AlwaysLoad = "stdio", endless*1000, true
	file := ".claude/mcp-" + r.Role + ".json"
	edits := []Edit{
		{File: file, Kind: Member, Path: []string{"mcpServers"}, Key: r.Server(), Value: quoted(entry)},
		{File: ".claude/settings.local.json", Kind: Element, Path: []string{"permissions", "allow"}, Value: quoted("mcp__" + r.Server()), Comments: true},
		r.instructions("CLAUDE.md"),
	}
	edits = append(edits, ignoring(".claude/mcp-supervisor.json", ".claude/mcp-executor.json", ".claude/settings.local.json")...)
	start := c.Binary() + " --mcp-config " + file
	return Registration{Edits: edits, Start: start, Alone: start, Server: r.Server()}
}

// Getting is how the program is installed.
func (claude) Getting() string { return "npm install -g @anthropic-ai/claude-code" }

// shared are the servers of the file that clients share. A launch is strict and uses
// none of them, but in its own screen the client first asks a person about each.
func (claude) shared(l Launch) []string { return listed(l, ".mcp.json") }
