package agent

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ferrus/agent/proxy"
)

// TestHostsOfAdapters holds each built-in agent to hosts that a proxy accepts.
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
	a, err := Lookup("codex", nil)
	if err != nil {
		t.Fatal(err)
	}
	got := ModelServers(a, home, []string{"ANY_BASE_URL=https://gateway.test/x", "OTHER_URL=https://no.test"})
	if want := []string{"127.0.0.1:8080", "gateway.test:443"}; !slices.Equal(got, want) {
		t.Errorf("servers %q, want %q", got, want)
	}
}
