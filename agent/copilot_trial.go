package agent

import (
	"fmt"
	"path/filepath"
)

// trial needs no login, because the client works offline. Releases spell the key of
// the trusted directories in two ways.
func (copilot) trial(home, url, workspace string) Trial {
	return oneFile([]string{".copilot", "config.json"}, fmt.Sprintf(
		`{"trusted_folders":[%q],"trustedFolders":[%q],"banner":"never"}`, workspace, workspace),
		"COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL="+url+"/v1", "COPILOT_PROVIDER_API_KEY=dummy",
		"COPILOT_MODEL=scripted", "COPILOT_HOME="+filepath.Join(home, ".copilot"))
}
