package register

import (
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// fixture is a project and what ferrus remembers of it. It needs neither a repository nor a state, so it is only a
// directory, and not a project of package hqtest.
type fixture struct {
	t      *testing.T
	dir    string
	record []byte
}

func newFixture(t *testing.T, files map[string]string) *fixture {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &fixture{t: t, dir: dir}
	b.write("ferrus.toml", "# ours\n[checks]\ncommands = []\n")
	for name, text := range files {
		b.write(name, text)
	}
	return b
}

func (b *fixture) write(name, text string) {
	b.t.Helper()
	path := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		b.t.Fatal(err)
	}
}

func (b *fixture) read(name string) string {
	text, err := os.ReadFile(filepath.Join(b.dir, name))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

// all returns every file and directory with what it holds.
func (b *fixture) all() map[string]string {
	b.t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(b.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(b.dir, path)
		if e.Type().IsRegular() {
			text, err := os.ReadFile(path)
			files[name] = string(text)
			return err
		}
		files[name] = e.Type().String()
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return files
}

func (b *fixture) options(roles []string) Options {
	o := Options{Dir: b.dir, Ferrus: "/opt/ferrus", Record: b.record}
	for _, r := range roles {
		role, name, _ := strings.Cut(r, ":")
		o.Roles = append(o.Roles, Role{Role: role, Agent: name})
	}
	return o
}

func (b *fixture) plan(make func(Options) (*Plan, error), roles ...string) *Plan {
	b.t.Helper()
	p, err := make(b.options(roles))
	if err != nil {
		b.t.Fatal(err)
	}
	return p
}

func (b *fixture) do(make func(Options) (*Plan, error), roles ...string) {
	b.t.Helper()
	if err := b.plan(make, roles...).Write(b.save); err != nil {
		b.t.Fatal(err)
	}
}

func (b *fixture) save(record []byte) error { b.record = record; return nil }

func (b *fixture) same(want map[string]string, when string) {
	b.t.Helper()
	got := b.all()
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[name]; !ok {
			b.t.Errorf("%s: %s is too much", when, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] != want[name] {
			b.t.Errorf("%s: %s is\n%q\nwant\n%q", when, name, got[name], want[name])
		}
	}
}

// both registers every pair of a role and an agent.
var both = []string{"supervisor:claude-code", "executor:claude-code", "supervisor:codex", "executor:codex",
	"supervisor:qwen-code", "executor:qwen-code"}

// nasty are files written by hand. Every case holds each client's files.
var nasty = map[string]map[string]string{
	"none": {},
	"empty": {
		".claude/mcp-executor.json": "", ".claude/settings.local.json": "{}", ".codex/config.toml": "",
		".qwen/settings.json": " \n",
		"CLAUDE.md":           "", "AGENTS.md": "", ".gitignore": "", "QWEN.md": "",
	},
	"comments": {
		".claude/mcp-executor.json": "{\n    \"mcpServers\": {\n        \"a\": { \"command\": \"ä\\u00e9\" }\n    " +
			"}, \"z\": 1, \"a\": [ ]\n}",
		".claude/settings.local.json": "{\n  // mine\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(ls)\" // " +
			"why\n    ],\n    \"deny\": []\n  }\n}\n",
		".codex/config.toml": "# top\nmodel = \"x\" # why\n\n[mcp_servers.b]\ncommand = 'b'\n# end " +
			"without newline",
		".qwen/settings.json": "// head\n{ \"mcpServers\": { /* none */ } }\n// tail\n",
		"CLAUDE.md":           "# Rules\n\nNo final newline: ü", "AGENTS.md": "# A\n\n\n",
		".gitignore": "dist\n*.ferrus-backup",
	},
	"crlf": {
		".claude/mcp-executor.json": "{\r\n\t\"mcpServers\": {\r\n\t\t\"日本\": {\r\n\t\t\t\"command\": " +
			"\"x\"\r\n\t\t}\r\n\t}\r\n}\r\n",
		".claude/settings.local.json": "\ufeff{\r\n\t\"permissions\": {\r\n\t\t\"allow\": []\r\n\t}\r\n}",
		".codex/config.toml": "[mcp_servers.\"日本\"]\r\ncommand = \"x\"\r\n\r\n[profiles.a]\r\nmodel " +
			"= \"m\"\r\n",
		".qwen/settings.json": "{\r\n  \"mcpServers\": {}, // none\r\n  \"x\": 1e3\r\n}\r\n",
		"CLAUDE.md":           "a\r\nb\r\n", ".gitignore": "a\r\n",
	},
}
