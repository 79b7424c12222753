package agent

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"ferrus/agent/proxy"
)

// TestHostsOfAdapters checks that the hosts of each built-in agent are valid for the proxy.
func TestHostsOfAdapters(t *testing.T) {
	for _, name := range []string{"claude-code", "codex", "qwen-code", "opencode", "copilot"} {
		a, err := Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(Hosts(a)) == 0 {
			t.Errorf("%s has no hosts", name)
		}
		for _, h := range Hosts(a) {
			if err := proxy.CheckHost(h); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestModelServers finds servers of models in the environment and in your own settings.
func TestModelServers(t *testing.T) {
	home := t.TempDir()
	settings := filepath.Join(home, ".codex", "config.toml")
	if err := os.MkdirAll(filepath.Dir(settings), 0o700); err != nil {
		t.Fatal(err)
	}
	text := "[model_providers.own]\nbase_url = \"http://127.0.0.1:8080/v1\"\nother = \"https://elsewhere.test\"\n"
	if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CODEX_HOME", "")
	servers := filepath.Join(home, ".qwen", "settings.json")
	if err := os.MkdirAll(filepath.Dir(servers), 0o700); err != nil {
		t.Fatal(err)
	}
	text = `{"mcpServers": {"off": {"url": "https://off.test", "disabled": true}, // with a comment
		"far": {"httpUrl": "https://mcp.test/x"}, "near": {"command": "/home/me/server", "args": ["--fast"]}}}`
	if err := os.WriteFile(servers, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(home, "own.yaml")
	if err := os.WriteFile(own, []byte("model:\n  api_base: http://10.0.0.5:8000/v1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	mine := map[string]Custom{"mine": {Command: []string{"sh", own, "--server=https://args.test/v1"}}}
	for _, c := range []struct {
		agent   string
		environ []string
		want    []string
	}{
		{"codex", []string{"ANY_BASE_URL=https://gateway.test/x", "OTHER_URL=https://no.test"},
			[]string{"gateway.test:443", "localhost:8080"}},
		{"qwen-code", []string{"OPENAI_API_BASE=http://[::1]:9000/v1", "OLLAMA_HOST=0.0.0.0"},
			[]string{"localhost:11434", "localhost:9000", "mcp.test:443"}},
		{"qwen-code", []string{"OLLAMA_HOST=big.test:80", "AZURE_OPENAI_ENDPOINT=https://me.azure.test"},
			[]string{"big.test:80", "mcp.test:443", "me.azure.test:443"}},
		{"mine", nil, []string{"10.0.0.5:8000", "args.test:443"}},
	} {
		a, err := Lookup(c.agent, mine)
		if err != nil {
			t.Fatal(err)
		}
		if got := ModelServers(a, home, c.environ); !slices.Equal(got, c.want) {
			t.Errorf("%s %q: servers %q, want %q", c.agent, c.environ, got, c.want)
		}
	}
	a, err := Lookup("qwen-code", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []OwnServer{{Name: "far", URL: "https://mcp.test/x"},
		{Name: "near", Command: []string{"/home/me/server", "--fast"}}}
	if got := OwnServers(a, home); !reflect.DeepEqual(got, want) {
		t.Errorf("your servers %+v, want %+v", got, want)
	}
}
