package agent

// Registration puts each role into a file of its own, which a person names when
// they start the client. The files that it would read by itself, .mcp.json and
// .github/mcp.json, are ones that teams share.
func (c copilot) Registration(r Registered) Registration {
	entry := r.server(c)
	entry.Type, entry.Timeout, entry.Tools = "local", endless*1000, []string{"*"}
	file := ".copilot/mcp-" + r.Role + ".json"
	edits := []Edit{
		{File: file, Kind: Member, Path: []string{"mcpServers"}, Key: r.Server(), Value: quoted(entry)},
		r.instructions("AGENTS.md"),
	}
	start := c.Binary() + " --additional-mcp-config=@" + file + " --allow-tool=" + r.Server()
	return Registration{
		Edits: append(edits, ignoring(".copilot/mcp-supervisor.json", ".copilot/mcp-executor.json")...), Server: r.Server(), Start: start, Alone: start,
	}
}

// Getting is how the program is installed.
func (copilot) Getting() string { return "npm install -g @github/copilot" }
