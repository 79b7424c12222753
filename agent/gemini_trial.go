package agent

import (
	"fmt"
	"path/filepath"
)

// trial reports no statistics and looks for no update.
func (gemini) trial(_, url, workspace string) Trial {
	t := oneFile([]string{".gemini", "settings.json"}, `{"general":{"enableAutoUpdate":false},
"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false},
"security":{"auth":{"selectedType":"gemini-api-key"}}}`,
		"GEMINI_API_KEY=dummy", "GOOGLE_GEMINI_BASE_URL="+url, "GEMINI_MODEL=gemini-2.5-pro")
	t.Files[filepath.Join(".gemini", "trustedFolders.json")] = fmt.Sprintf(`{%q:"TRUST_FOLDER"}`, workspace)
	return t
}
