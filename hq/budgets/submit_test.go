package budgets

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ferrus/hq/benchtest"
)

// submit measures the call that submits a tree which has passed. The reviewer rejects each
// submission, so that the next one belongs to the same task.
func submit(b *testing.B) {
	dir := newProject(b, 0, "off")
	supervisor, executor := connect(b, dir, "supervisor"), connect(b, dir, "executor")
	reviewer := connect(b, dir, "supervisor", "--mode", "review")
	call(b, supervisor, "create_task", map[string]any{"description": "change a file"})
	var checked, took []time.Duration
	for n := range repeats {
		call(b, executor, "wait_for_task", map[string]any{})
		if err := os.WriteFile(filepath.Join(dir, "change.txt"), fmt.Append(nil, n), 0o644); err != nil {
			b.Fatal(err)
		}
		began := time.Now()
		call(b, executor, "check", map[string]any{})
		checked = append(checked, time.Since(began))
		began = time.Now()
		call(b, executor, "submit", map[string]any{"content": "It is changed."})
		took = append(took, time.Since(began))
		call(b, reviewer, "wait_for_review", map[string]any{})
		call(b, reviewer, "reject", map[string]any{"notes": "Once more."})
	}
	budget{"check by an executor", "ms", 12, false}.report(b, benchtest.Milliseconds(checked, 0.5), "p99",
		benchtest.Milliseconds(checked, 0.99))
	budget{"submit of a tree that has passed", "ms", 12, false}.report(b, benchtest.Milliseconds(took, 0.5), "p99",
		benchtest.Milliseconds(took, 0.99))
}

// connect starts a server for a role, and a client for it.
func connect(b *testing.B, dir, role string, more ...string) *mcp.ClientSession {
	b.Helper()
	command := exec.Command(program(b), append([]string{"serve", "--role", role}, more...)...)
	command.Dir = dir
	client := mcp.NewClient(&mcp.Implementation{Name: "b", Version: "1"}, nil)
	session, err := client.Connect(b.Context(), &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = session.Close() })
	return session
}

// call calls a tool, which must succeed.
func call(b *testing.B, session *mcp.ClientSession, tool string, args map[string]any) {
	b.Helper()
	result, err := session.CallTool(b.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil || result.IsError {
		var words strings.Builder
		for _, c := range result.Content {
			fmt.Fprintf(&words, "%+v", c)
		}
		b.Fatalf("%s: %v\n%s", tool, err, words.String())
	}
}
