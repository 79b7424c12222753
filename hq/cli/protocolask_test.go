package cli

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"ferrus/agent/acp"
	"ferrus/hq/core"
)

// A tool of an MCP server is judged by its name, whatever kind its server claims, and only what a
// request names as a file is shown as one.
func TestWhatIsNoPlaceIsNotShownAsOne(t *testing.T) {
	dir := t.TempDir()
	p, reader := &permissionAsker{dir: dir, edits: true}, &permissionAsker{dir: dir}
	const choices = "Always Allow in project: wait_for_task; Always Allow for user: wait_for_task; Allow; Reject"
	for _, of := range []struct {
		r    acp.Request
		kind core.PermissionKind // empty: allowed
		what string
	}{
		// As Qwen Code 0.24.4 asks for tools that its model called by tool_call.
		{acp.Request{Title: "{}", Input: json.RawMessage("{}"), Tool: "mcp__ferrus__wait_for_task", Choices: choices},
			"", ""},
		{acp.Request{Title: "{}", Input: json.RawMessage("{}"), Tool: "mcp__notes__wait_for_task", Choices: choices},
			core.PermitTool, "mcp__notes__wait_for_task"},
		// As Qwen Code 0.15.10 asks: the choices name the tool, and nothing names its server.
		{acp.Request{Title: "consult {}", Kind: "other", Choice: "consult"}, "", ""},
		{acp.Request{Title: "note_down {}", Kind: "other", Choice: "note_down"}, core.PermitTool, "note_down"},
		// Of no MCP server.
		{acp.Request{Title: "{}", Kind: "read", Tool: "tool_search"}, core.PermitTool, "tool_search"},
		{acp.Request{Title: "{}", Kind: "edit"}, core.PermitTool, "{}"},
		{acp.Request{Title: "Search the web", Kind: "search", Subject: acp.Subject{Text: "a"}}, core.PermitTool,
			"Search the web"},
		{acp.Request{Title: "Read a page", Kind: "read", Subject: acp.Subject{Text: "https://example.com"}},
			core.PermitTool, "Read a page"},
		{acp.Request{Title: "Fetch", Kind: "fetch"}, core.PermitTool, "Fetch"},
		{acp.Request{Title: "Fetch", Kind: "fetch", Subject: acp.Subject{Text: "https://example.com"}}, core.PermitHost,
			"https://example.com"},
		{acp.Request{Title: "/x/.*", Kind: "search", Subject: acp.Subject{Text: "/x/.*", Pattern: true}, Tool: "grep"},
			core.PermitTool, "grep"},
		{acp.Request{Title: "x", Kind: "search", Subject: acp.Subject{Text: "x", Pattern: true}}, "", ""},
		{acp.Request{Title: "a", Kind: "read", Subject: acp.Subject{Text: "a", Path: true}}, "", ""},
		{acp.Request{Title: "b", Kind: "edit", Subject: acp.Subject{Text: "/b", Path: true}}, core.PermitWrite, "/b"},
		{acp.Request{Title: "b", Kind: "read", Paths: []string{"../b"}}, core.PermitRead,
			filepath.Join(filepath.Dir(dir), "b")},
		{acp.Request{Title: "make", Kind: "execute"}, core.PermitCommand, "make"},
	} {
		q, allowed := p.judge(of.r)
		if reads, ok := reader.judge(of.r); of.r.Choice != "" && (ok || reads.What != of.r.Choice) {
			t.Errorf("%+v: a role that reads may call it: %t, asks to %s %q", of.r, ok, reads.Kind, reads.What)
		}
		if allowed != (of.kind == "") || !allowed && (q.Kind != of.kind || q.What != of.what) {
			t.Errorf("%+v: allowed %t, asks to %s %q", of.r, allowed, q.Kind, q.What)
		}
	}
}
