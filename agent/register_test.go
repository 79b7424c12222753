package agent

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestRegistrationGolden(t *testing.T) {
	for _, name := range []string{"claude-code", "codex", "copilot", "gemini-cli", "opencode", "qwen-code"} {
		a, ok := adapters[name].(Registrar)
		if !ok {
			t.Fatalf("%s cannot be registered", name)
		}
		var s strings.Builder
		for i, role := range []string{"supervisor", "executor"} {
			r := a.Registration(Registered{Role: role, Index: i + 1, Ferrus: "/opt/fer rus", Project: `/pro"ject`})
			s.WriteString(strings.Join([]string{"# " + r.Server, r.Start, r.Alone, strings.Join(r.Notes, "\n")},
				"\n") + "\n")
			for _, e := range r.Edits {
				s.WriteString("=== " + e.File + " " + string(e.Kind) + " " + strings.Join(e.Path,
					".") + " " + e.Key + "\n" + e.Value + "\n")
			}
		}
		golden(t, "registration/"+name+".txt", s.String())
	}
}

// A session that ferrus launches has one ferrus server, whatever is registered.
func TestCodexLaunchSwitchesOffWhatIsRegistered(t *testing.T) {
	repo, home := t.TempDir(), t.TempDir()
	t.Setenv("CODEX_HOME", home)
	project := filepath.Join(repo, "sub")
	for path, text := range map[string]string{
		filepath.Join(repo, ".git", "HEAD"): "",
		filepath.Join(home, "config.toml"):  "[mcp_servers.ferrus-executor-7]\n[mcp_servers.other]\n",
		filepath.Join(repo, ".codex",
			"config.toml"): "a = 1\r\n [ mcp_servers . \"ferrus-supervisor-1\" ]\r\n" +
			"# [mcp_servers.ferrus-executor-8]\r\n",
		filepath.Join(project, ".codex",
			"config.toml"): "[mcp_servers.ferrus-executor-1]\n[mcp_servers.ferrus-executor-1.env]\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	i, err := codex{}.Invoke(Launch{Role: "executor", Mode: "work", Prompt: "P", Project: project, Workspace: project,
		Ferrus: "/opt/ferrus", Index: 1})
	if err != nil {
		t.Fatal(err)
	}
	var off []string
	for _, a := range i.Args {
		if strings.HasSuffix(a, "enabled=false}") {
			off = append(off, strings.SplitN(a, "=", 2)[0])
		}
	}
	want := []string{"mcp_servers.ferrus-executor-1", "mcp_servers.ferrus-executor-7",
		"mcp_servers.ferrus-supervisor-1"}
	if !slices.Equal(off, want) {
		t.Errorf("switched off: %q, want %q", off, want)
	}
}

// Copilot reads the file that clients share: a launch leaves out ferrus's servers there and adds
// its own.
func TestCopilotLaunchSwitchesOffWhatIsShared(t *testing.T) {
	repo := t.TempDir()
	if err := os.WriteFile(filepath.Join(repo, ".mcp.json"),
		[]byte(`{"mcpServers":{"two":{},"ferrus-executor-1":{"command":"x"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	i, err := copilot{}.Invoke(Launch{Role: "executor", Mode: "work", Prompt: "P", Project: repo, Workspace: repo,
		Ferrus: "/opt/ferrus", Index: 1})
	if err != nil {
		t.Fatal(err)
	}
	var off []string
	for _, a := range i.Args {
		if strings.HasPrefix(a, "--disable-mcp-server=") {
			off = append(off, a)
		}
	}
	if !slices.Equal(off, []string{"--disable-mcp-server=ferrus-executor-1"}) {
		t.Errorf("the arguments are %q, want only ferrus-executor-1 disabled", off)
	}
}

// opencode applies what a launch says over what is registered.
func TestOpencodeLaunchSwitchesOffWhatIsRegistered(t *testing.T) {
	repo := t.TempDir()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	if err := os.Mkdir(filepath.Join(repo, ".opencode"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(repo, ".opencode", "opencode.json"),
		[]byte(`{"mcp":{"ferrus-executor-1":{"type":"local"},"other":{}}} // ours`), 0o600); err != nil {
		t.Fatal(err)
	}
	i, err := opencode{}.Invoke(Launch{Role: "executor", Mode: "work", Prompt: "P", Project: repo, Workspace: repo,
		Ferrus: "/opt/ferrus", Index: 1})
	if err != nil {
		t.Fatal(err)
	}
	if env := strings.Join(i.Env, "\n"); !strings.Contains(env,
		`"ferrus-executor-1":{"enabled":false}`) || strings.Contains(env, `"other"`) {
		t.Errorf("the environment is %q, want only ferrus-executor-1 disabled", i.Env)
	}
}

// Claude Code asks about the servers of a file even if it must not use the file.
func TestClaudeAsksNothingInItsOwnScreen(t *testing.T) {
	repo := t.TempDir()
	if err := os.WriteFile(filepath.Join(repo, ".mcp.json"),
		[]byte(`{"mcpServers":{"two":{},"one":{"command":"x"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	l := Launch{Role: "executor", Mode: "work", Prompt: "P", Project: repo, Workspace: repo, Ferrus: "/opt/ferrus",
		Index: 1}
	for i := range 4 {
		l.Interactive, l.OnlyFerrus = i&1 != 0, i&2 != 0
		i, err := claude{}.Invoke(l)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.Index(i.Args, "--settings")
		if (l.Interactive || !l.OnlyFerrus) != (at >= 0 && i.Args[at+1] == `{"disabledMcpjsonServers":["one","two"]}`) {
			t.Errorf("interactive %v: the arguments %q should disable both other servers, or neither",
				l.Interactive, i.Args)
		}
	}
}
