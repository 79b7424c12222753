package agent

// Registration puts both roles into the project's own settings, where comments
// are allowed. Its calls are let through by trust in the entry.
func (q qwen) Registration(r Registered) Registration {
	entry := r.server(q)
	entry.Timeout, entry.AlwaysTools, entry.Trust = endless*1000, true, true
	edits := []Edit{
		{File: ".qwen/settings.json", Kind: Member, Path: []string{"mcpServers"}, Key: r.Server(), Value: quoted(entry), Comments: true},
		r.instructions("QWEN.md"),
	}
	return Registration{
		Edits: append(edits, ignoring(".qwen/settings.json")...), Server: r.Server(),
		Start: q.Binary(), Alone: q.Binary() + " --allowed-mcp-server-names " + r.Server(),
	}
}

// Getting is how the program is installed.
func (qwen) Getting() string { return "npm install -g @qwen-code/qwen-code" }
