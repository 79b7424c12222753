package agent

import "fmt"

// trial has no dialogs, and one try for each request: our server is there or is not.
func (claude) trial(_, url, workspace string) Trial {
	return oneFile([]string{".claude.json"}, fmt.Sprintf(
		`{"hasCompletedOnboarding":true,"projects":{%q:{"hasTrustDialogAccepted":true}}}`, workspace),
		"ANTHROPIC_BASE_URL="+url, "ANTHROPIC_AUTH_TOKEN=dummy", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_MAX_RETRIES=1")
}
