package agent

// InstallCommand returns the command that installs an agent's program; empty if unknown.
func InstallCommand(a Adapter) string {
	if i, ok := a.(interface{ Install() string }); ok {
		return i.Install()
	}
	return ""
}
