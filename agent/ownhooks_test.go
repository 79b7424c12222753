package agent

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A hook whose file is missing inside is named, in each form of settings; a hook that finds its
// file is not.
func TestHooksMissingInside(t *testing.T) {
	home := t.TempDir()
	t.Setenv("CODEX_HOME", "")
	t.Setenv("COPILOT_HOME", "")
	t.Setenv("CLAUDE_CONFIG_DIR", "")
	for _, name := range []string{"bin/far.sh", "bin/near.sh", ".claude/copied.sh"} {
		file := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	far, copied := filepath.Join(home, "bin/far.sh"), filepath.Join(home, ".claude/copied.sh")
	shows := func(path string) bool { return path == filepath.Join(home, "bin/near.sh") }
	has := func(path string) bool { return path == copied }
	entry := func(command string) string {
		return `{"matcher":"","hooks":[{"type":"command","command":"` + command + `"}]}`
	}
	for _, c := range []struct{ agent, file, text, want string }{
		{"claude-code", ".claude/settings.json", `{"hooks":{"Stop":[` + entry("bash "+far+" --quick") + `]}}`,
			"Stop (needs " + far + ")"},
		{"claude-code", ".claude/settings.json", `{"hooks":{"Stop":[` + entry("~/bin/near.sh") + `]}}`,
			"Stop (needs " + filepath.Join(home, "bin/near.sh") + ")"}, // ~ is another home inside
		{"claude-code", ".claude/settings.json", `{"hooks":{"Stop":[` + entry(home+"/bin/near.sh; echo done") + `]}}`, ""},
		{"claude-code", ".claude/settings.json", `{"hooks":{"Stop":[` + entry("$HOME/.claude/copied.sh") + `]}}`, ""},
		{"claude-code", ".claude/settings.json", `{"hooks":{"Stop":[` + entry("notify-send /no/such/file") + `]}}`, ""},
		{"codex", ".codex/hooks.json", `{"hooks":{"Stop":[` + entry(far) + `]}}`, "Stop (needs " + far + ")"},
		{"codex", ".codex/config.toml", "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = \"" + far + "\"\n",
			"Stop (needs " + far + ")"},
		{"copilot", ".copilot/settings.json", `{"hooks":{"sessionEnd":[{"type":"command","bash":"` + far + `"}]}}`,
			"sessionEnd (needs " + far + ")"},
		{"gemini-cli", ".gemini/settings.json", `{"hooks":{"enabled":true}}`, ""},
	} {
		a, err := Lookup(c.agent, nil)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(home, c.file)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		var want []string
		if c.want != "" {
			want = []string{c.want}
		}
		if got := hooksMissingInside(ownHooks(a, home), home, shows, has); !slices.Equal(got, want) {
			t.Errorf("%s %s: %q, want %q", c.agent, c.text, got, want)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
}
