package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzPropose reads arbitrary project files: ferrus proposes only its own commands, one line each,
// without a word from the files except the name of a known target.
func FuzzPropose(f *testing.F) {
	f.Add(`{"scripts":{"test":"node","lint":"no test specified","typecheck":null},"packageManager":"pnpm@9"}`,
		"check: x\ntest :=\n", "[tool.ruff]\npytest")
	f.Add(`{"scripts":[]}`, "tasks:\n  test:\n    cmds: []\n  'lint':\n", "")
	f.Add("\x00", "\r\ntest\r:\ncheck x='a':", "[tool.mypy")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, node, runner, python string) {
		for _, files := range []map[string]string{
			{"package.json": node, "pyproject.toml": python},
			{"Makefile": runner}, {"Taskfile.yml": runner}, {"justfile": runner},
		} {
			for name, text := range files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			all := Propose(dir)
			for name := range files {
				if err := os.Remove(filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
			}
			for _, command := range all {
				if strings.Trim(command, "abcdefghijklmnopqrstuvwxyz3 .-") != "" {
					t.Errorf("proposed %q, which contains other characters than ferrus's commands", command)
				}
			}
			if _, err := Parse([]byte(Template(Proposal{Agents: Names{"demo", "demo"}, Skills: ".agents",
				Checks: all, Setup: all})),
				[]string{"demo"}); err != nil {
				t.Error(err)
			}
		}
	})
}
