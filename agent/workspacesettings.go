package agent

import "slices"

// configuredInPlace is an adapter whose program takes settings from the directory that it works in.
type configuredInPlace interface{ workspaceSettings() []string }

// WorkspaceSettings returns the files and directories, relative to a workspace, in which the programs of agents look
// for hooks, servers, plugins and variables. Some read those of others.
func WorkspaceSettings() (all []string) {
	for _, name := range Names() {
		if a, ok := adapters[name].(configuredInPlace); ok {
			all = append(all, a.workspaceSettings()...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
