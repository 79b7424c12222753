package agent

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ferrus/ui/text/lazyregexp"

	"golang.org/x/sys/unix"
)

// Your agent is visible with its package, and without the files that happen to be beside it.
func TestOwnAgentsAreShownWithTheirPackage(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, file := range []string{"loose.py", "agents/one/src/run.py", "agents/one/pyproject.toml", "agents/helper.py",
		".secret/run.sh", "notes/settings.yaml", "js/package.json", "js/node_modules/.bin/tool", "agents/two.py"} {
		path := filepath.Join(home, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o700); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(home, "notes/settings.yaml"), 0o600); err != nil {
		t.Fatal(err)
	}
	for argument, want := range map[string][]string{
		"loose.py":                  {"loose.py"},
		".secret/run.sh":            {".secret/run.sh"},
		"notes/settings.yaml":       {"notes/settings.yaml"},
		"agents/two.py":             {"agents", "agents/two.py"},
		"agents/one/src/run.py":     {"agents/one", "agents/one/src", "agents/one/src/run.py"},
		"js/node_modules/.bin/tool": {"js", "js/node_modules", "js/node_modules/.bin", "js/node_modules/.bin/tool"},
	} {
		for i := range want {
			want[i] = filepath.Join(home, want[i])
		}
		argument = filepath.Join(home, argument)
		files := Home(custom{"own", Custom{Command: []string{"python3", argument}}}).Files
		if slices.Sort(files); !slices.Equal(slices.Compact(files), want) {
			t.Errorf("%s shows %q, want %q", argument, files, want)
		}
		if filepath.Ext(argument) == ".yaml" {
			continue
		}
		files = ProgramDirs(argument)
		if slices.Sort(files); !slices.Equal(slices.Compact(files), want) {
			t.Errorf("as the program %s shows %q, want %q", argument, files, want)
		}
	}
}

// Copilot runs in the sandbox if its login is in a variable or a file: there is no keychain inside.
func TestCopilotNeedsALoginThatIsInside(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, name := range append(copilotVariables, "COPILOT_HOME") {
		t.Setenv(name, "")
	}
	file := filepath.Join(home, ".copilot", "config.json")
	if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	fits := func(want bool, settings string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(settings), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := Home(copilot{}).Unfit; (got == "") != want {
			t.Errorf("%s: unfit because %q, want unfit: %v", settings, got, !want)
		}
	}
	fits(false, `{"banner": "never", "maxTokenCount": 3}`)
	fits(true, `{"copilot_tokens": {"https://github.com:me": "t"}}`)
	fits(true, `{"copilotTokens": {"https://github.com:me": "t"}}`)
	t.Setenv("GH_TOKEN", "t")
	fits(true, `{}`)
}

// Files that a session left in the workspace cannot delay the start of the next one: neither a
// pipe, nor an endless file, nor a large one.
func TestSettingsOfTheWorkspaceAreBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe, link, large := filepath.Join(dir, "a.json"), filepath.Join(dir, "b.json"), filepath.Join(dir, "c.json")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", link); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(large, make([]byte, maxSettings+1), 0o600); err != nil {
		t.Fatal(err)
	}
	whole := filepath.Join(dir, ".mcp.json")
	if err := os.WriteFile(whole, []byte(`{"mcpServers": {"mine": {}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := configuredServers(Launch{Workspace: dir}, "a.json", "b.json", "c.json", ".mcp.json"); len(got) != 1 {
		t.Errorf("configuredServers = %q, want 1", got)
	}
	if got := serverNames([]string{pipe, link, large, whole}, registeredAny); len(got) != 1 {
		t.Errorf("serverNames = %q, want 1", got)
	}
}

var registeredAny = lazyregexp.New(`"(mine)"`)
