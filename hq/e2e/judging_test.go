//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"testing"
)

// leftOf are settings in a workspace with which each client runs a command by itself when a session starts.
var leftOf = map[string]string{
	".claude/settings.local.json": `{"hooks":{"UserPromptSubmit":` + leftHook + `}}`,
	".qwen/settings.json":         `{"hooks":{"UserPromptSubmit":` + leftHook + `}}`,
	".gemini/settings.json":       `{"hooks":{"BeforeAgent":` + leftHook + `}}`,
	".codex/hooks.json":           `{"hooks":{"UserPromptSubmit":` + leftHook + `}}`,
	".codex/config.toml": "[mcp_servers.left]\ncommand = \"sh\"\nargs = [\"-c\", \"touch $HOME/hooked\"]\n" +
		"env_vars = [\"HOME\"]\n",
	".github/hooks/left.json": `{"version":1,"hooks":{"userPromptSubmitted":[{"type":"command",` +
		`"bash":"touch $HOME/hooked"}]}}`,
	".opencode/plugins/left.js": `import fs from "node:fs"
export const Left = async () => { fs.writeFileSync(process.env.HOME + "/hooked", ""); return {} }
`}

const leftHook = `[{"hooks":[{"type":"command","command":"touch $HOME/hooked"}]}]`

// What an executor leaves in its workspace runs in no session that judges its work, which could approve it.
func TestSettingsOfTheWorkspaceDoNotJudge(t *testing.T) {
	for _, name := range tried() {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, setup{supervisor: name, executor: name, more: "[hq]\nworkspace = \"here\"\n"})
			ignored := ""
			for file, text := range leftOf {
				write(t, filepath.Join(b.dir, file), text)
				ignored += "/" + file + "\n"
			}
			write(t, filepath.Join(b.dir, ".git", "info", "exclude"), ignored+".ferrus/\n")
			b.runScenario()
			homes, err := filepath.Glob(filepath.Join(b.root, "cache", "ferrus", "tasks", "*", "*", "home", "*"))
			if err != nil {
				t.Fatal(err)
			}
			judged := false
			for _, home := range homes {
				_, err := os.Stat(filepath.Join(home, "hooked"))
				ran, slot := err == nil, filepath.Base(home)
				t.Logf("the settings ran in a session of the %s: %t", slot, ran)
				judges := slot == "reviewer" || slot == "consultant"
				judged = judged || judges
				if ran && judges {
					t.Errorf("the settings ran in a session of the %s", slot)
				}
			}
			if !judged {
				t.Errorf("there is no session that judges: %q\n%s", homes, b.evidence())
			}
		})
	}
}
