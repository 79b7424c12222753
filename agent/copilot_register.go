package agent

// Registration puts each role into its own file, which you pass when you start the client.
// The files that it reads by itself, .mcp.json and .github/mcp.json, are shared by teams.
func (c copilot) Registration(r Registered) Registration {
	entry := r.server(c)
	entry.Type, entry.Timeout, entry.Tools = "local", noTimeoutSecs*1000, []string{"*"}
	file := ".copilot/mcp-" + r.Role + ".json"
	edits := []Edit{
		{File: file, Kind: Member, Path: []string{"mcpServers"}, Key: r.Server(), Value: toJSON(entry)},
		r.instructions("AGENTS.md"),
	}
	start := c.Binary() + " --additional-mcp-config=@" + file + " --allow-tool=" + r.Server()
	return Registration{
		Edits:  append(edits, ignoreEdits(".copilot/mcp-supervisor.json", ".copilot/mcp-executor.json")...),
		Server: r.Server(), Start: start, Alone: start,
	}
}

// Install returns the command that installs the program.
func (copilot) Install() string { return "npm install -g @github/copilot" }
