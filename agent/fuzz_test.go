package agent

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// FuzzRender gives every renderer any output, cut anywhere: it never panics, and what reaches the
// screen is bounded by the input.
func FuzzRender(f *testing.F) {
	files, err := filepath.Glob("testdata/streams/*.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		stream, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for line := range bytes.Lines(stream) {
			f.Add(line, 7)
		}
	}
	f.Add([]byte(`{"acp":"usage"}`), 7)
	f.Fuzz(func(t *testing.T, stream []byte, cut int) {
		cut = min(max(cut, 0), len(stream))
		for _, name := range Names() {
			a, err := Lookup(name, nil)
			if err != nil {
				t.Fatal(err)
			}
			s := newLineSplitter(a.Renderer())
			n := len(s.feed(stream[:cut])) + len(s.feed(stream[cut:])) + len(s.close())
			if n > 64*len(stream)+4096 {
				t.Errorf("%s makes %d bytes of %d", name, n, len(stream))
			}
		}
	})
}

// FuzzFiles gives an agent's own files to the code that searches them for ferrus: it finds only our
// names.
func FuzzFiles(f *testing.F) {
	f.Add("[mcp_servers.ferrus-executor-1]\n", `{"mcpServers":{"a":null,"":{}}}`)
	f.Add("[ mcp_servers . \"ferrus-supervisor-99999999999999999999\" ]", `{"mcpServers":[]}`)
	f.Add("[mcp_servers]\nferrus-executor-1 = {}\r", "\x00")
	dir := f.TempDir()
	f.Setenv("CODEX_HOME", dir)
	for _, below := range []string{".git", ".codex"} {
		if err := os.Mkdir(filepath.Join(dir, below), 0o700); err != nil {
			f.Fatal(err)
		}
	}
	ours := regexp.MustCompile(`^ferrus-(supervisor|executor)-[0-9]+$`)
	f.Fuzz(func(t *testing.T, config, shared string) {
		for name, text := range map[string]string{".codex/config.toml": config, ".mcp.json": shared} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		l := Launch{Workspace: dir, Project: dir}
		for _, name := range (codex{}).registeredServers(l) {
			if !ours.MatchString(name) {
				t.Errorf("%q is no entry of ours", name)
			}
		}
		for _, name := range (claude{}).sharedServers(l) {
			if !json.Valid([]byte(shared)) {
				t.Errorf("%q is no server of %q", name, shared)
			}
		}
	})
}
