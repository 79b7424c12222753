package agent

// Registration puts both roles into the project's settings, where comments are allowed. The
// entry's trust allows its calls.
func (q qwen) Registration(r Registered) Registration {
	entry := r.server(q)
	entry.Timeout, entry.AlwaysTools, entry.Trust = noTimeoutSecs*1000, true, true
	edits := []Edit{
		{File: ".qwen/settings.json", Kind: Member, Path: []string{"mcpServers"}, Key: r.Server(),
			Value: toJSON(entry), Comments: true},
		r.instructions("QWEN.md"),
	}
	return Registration{
		Edits: append(edits, ignoreEdits(".qwen/settings.json")...), Server: r.Server(),
		Notes: []string{"Qwen Code starts the server once you approve it, and asks again when its entry changes: " +
			"approve " + r.Server() + " in the dialog of its own screen, or run: " +
			q.Binary() + " mcp approve " + r.Server()},
		Start: q.Binary(), Alone: q.Binary() + " --allowed-mcp-server-names " + r.Server(),
	}
}

// Install returns the command that installs the program.
func (qwen) Install() string { return "npm install -g @qwen-code/qwen-code" }
