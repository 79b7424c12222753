package agent

import "fmt"

// trial loads neither lists of models nor language servers.
func (opencode) trial(_, url, _ string) Trial {
	return oneFile([]string{".config", "opencode", "opencode.json"}, fmt.Sprintf(
		`{"model":"scripted/scripted","small_model":"scripted/scripted","share":"disabled","autoupdate":false,
"provider":{"scripted":{"npm":"%s","name":"scripted",
"options":{"baseURL":"%s/v1","apiKey":"dummy"},"models":{"scripted":{"name":"scripted","tool_call":true,
"limit":{"context":200000,"output":8000}}}}}}`, compatiblePackage, url),
		"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1")
}
