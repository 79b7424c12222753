package conductor

import (
	"strings"
	"testing"

	"ferrus/hq/workflow"
	"ferrus/machine/flow"
)

// The end of a workflow says where its result is.
func TestEndOfAWorkflow(t *testing.T) {
	t.Parallel()
	published := workflow.Document{}
	published.Artifacts = map[string]string{"pr": "https://forge.example/7"}
	published.Synthesis = &workflow.Synthesis{PRURL: "https://forge.example/7"}
	for want, d := range map[string]workflow.Document{
		"; its changes are in your checkout, not committed": {},
		"; /land lands it on its branch":                    {Base: workflow.Base{Dir: "worktrees/w"}},
		"; published as https://forge.example/7":            published,
	} {
		d.Type, d.Phase, d.Title = flow.Oneshot, flow.Completed, "x"
		if got := endOf(&workflow.Workflow{Document: d}); !strings.HasSuffix(got, "completed: x"+want) {
			t.Errorf("%q, want %q at its end", got, want)
		}
	}
}
