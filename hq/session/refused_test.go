package session

import (
	"testing"

	"ferrus/hq/project"
	"ferrus/ui/vt"
)

// What you refused is not a lack of permission: the program's settings would not change it.
func TestYourRefusalIsNoTrouble(t *testing.T) {
	t.Parallel()
	for agent, says := range map[string]string{
		"copilot":     "● shell make  failed: The user rejected this tool call.",
		"claude-code": "refused: it lacks the permission: Bash",
	} {
		screen := vt.NewLocked(80, 5, 10)
		if _, err := screen.Write([]byte(says + "\r\n")); err != nil {
			t.Fatal(err)
		}
		refused := false
		r := &Runner{}
		r.Refused = func(name string) bool { return refused && name == "executor:x:1" }
		r.terminal, r.entry = screen, project.SessionRecord{AgentType: agent, Name: "executor:x:1"}
		if got, found := r.diagnose(true); !found || !got.IsPermission() {
			t.Errorf("%s: found %v, %+v; want its own permission checks", agent, found, got)
		}
		refused = true
		if got, found := r.diagnose(true); found {
			t.Errorf("%s: after your refusal it found %+v", agent, got)
		}
	}
}
