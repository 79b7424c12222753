package cli

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/serve"
	"ferrus/machine"
)

// server connects to a server for one role and mode, in its own project.
func server(t *testing.T, pr *project.Task, role machine.Role, mode core.Mode) *mcp.ClientSession {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- serve.Run(context.Background(), serve.Options{Project: pr, Role: role, Mode: mode, AgentName: "demo",
			In: in, Out: out})
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "documents", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return session
}

// servedProject makes a project whose supervisor may answer for you, so that every
// tool is offered.
func servedProject(t *testing.T) *project.Task {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/ferrus.toml", []byte("[hq]\nunattended = true\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := initStore(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	pr, err := openAt(dir)
	if err != nil {
		t.Fatal(err)
	}
	return pr
}

// toolTables returns a table of tools for each role, with the modes that offer them.
func toolTables(t *testing.T) string {
	t.Helper()
	pr := servedProject(t)
	var b strings.Builder
	for _, role := range []machine.Role{machine.Supervisor, machine.Executor} {
		var rows [][]string
		modes := map[string][]string{}
		for _, mode := range serve.Modes(role) {
			page, err := server(t, pr, role, mode).ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, tool := range page.Tools {
				if modes[tool.Name] == nil {
					rows = append(rows, []string{tool.Name, tool.Description})
				}
				modes[tool.Name] = append(modes[tool.Name], string(mode))
			}
		}
		for i, r := range rows {
			offered := strings.Join(modes[r[0]], ", ")
			if len(modes[r[0]]) == len(serve.Modes(role)) {
				offered = "every mode"
			}
			rows[i] = []string{monospace(r[0]), offered, r[1]}
		}
		slices.SortFunc(rows, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
		b.WriteString("\n## For the " + string(role) + "\n\n" +
			table([]string{"Tool", "Modes", "What it does"}, rows...))
	}
	return b.String() + "\n"
}

func resourceTable(t *testing.T) string {
	t.Helper()
	page, err := server(t, servedProject(t), machine.Executor, core.ModeFree).ListResources(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for _, r := range page.Resources {
		rows = append(rows, []string{monospace(r.URI), r.Description})
	}
	return table([]string{"Resource", "What it is"}, rows...)
}
