package agent

import (
	"fmt"
	"path/filepath"
)

// compatible is the name of OpenAI's API, which other providers offer too, in variables and as a
// package.
const (
	compatibleVar     = "OPENAI_"
	compatiblePackage = "@ai-sdk/openai-compatible"
	compatibleAuth    = "openai"
)

// trial asks no other host: plugins and analytics would.
func (codex) trial(home, url, workspace string) Trial {
	return oneFile([]string{".codex", "config.toml"}, fmt.Sprintf(`model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false
[features]
plugins = false
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "%s/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
[projects.%q]
trust_level = "trusted"
`, url, workspace), "CODEX_HOME="+filepath.Join(home, ".codex"), "SCRIPTED_KEY=dummy")
}
