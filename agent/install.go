package agent

// InstallCommand is the command that installs an agent's program, for showing to a
// person; empty where nobody said.
func InstallCommand(a Adapter) string {
	if g, ok := a.(interface{ Getting() string }); ok {
		return g.Getting()
	}
	return ""
}
