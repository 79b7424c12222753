package agent

import (
	"strings"
	"testing"
	"text/template"
)

// TestPromptsAreTemplatesOfGo renders each template with package text/template, too.
func TestPromptsAreTemplatesOfGo(t *testing.T) {
	theirs, err := template.New("").ParseFS(prompts, "prompts/*.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	full := PromptData{Project: "/p", Home: "/h", Text: "text", Milestone: "m1", Message: "say", HandOver: "left",
		Question: "why?", Judged: "other", State: "Executing", Phase: "plan", Work: "known"}
	phases := []string{"", "plan", "ideate", "overhaul-plan", "polish-implement", "hotfix-implement", "other"}
	var all []any
	for _, phase := range phases {
		d := full
		d.Phase = phase
		all = append(all, d, PromptData{Project: "/p", Phase: phase})
	}
	pairs := []any{
		PairData{Project: "/p", Task: "do", Mode: "single", Iteration: 1, Limit: 3, Done: "D", Fail: "F"},
		PairData{Project: "/p", Task: "do", Mode: "review", Iteration: 2, Limit: 3, Done: "D", Pass: "P", Rework: "R",
			Fail: "F", Messages: "m", Report: "r", Notes: "n", Approved: true, Summary: "s", Verdict: "v", Diff: "d",
			Alarms: "a"},
	}
	for _, tmpl := range theirs.Templates() {
		name := tmpl.Name()
		data := all
		if strings.HasPrefix(name, "pair-") {
			data = pairs
		}
		for _, d := range data {
			var want strings.Builder
			if !strings.HasSuffix(name, ".tmpl") || tmpl.Execute(&want, d) != nil {
				continue
			}
			got, err := executePrompt(name, d)
			if err != nil || got != strings.TrimSpace(want.String())+"\n" {
				t.Errorf("%s of %+v: %v\n%s\nwant\n%s", name, d, err, got, want.String())
			}
		}
	}
}
