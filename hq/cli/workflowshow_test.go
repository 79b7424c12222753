package cli

import (
	"bytes"
	"strings"
	"testing"

	"ferrus/hq/workflow"
	"ferrus/machine"
	"ferrus/machine/flow"
)

// After a track was chosen, ferrus workflow show lists no phase of the other one.
func TestShownTrack(t *testing.T) {
	t.Parallel()
	d := workflow.Document{ID: "w-20261120-101500-4f2a", Type: flow.Debug, Title: "Fix", Phase: "investigate"}
	shown := func() string {
		var out bytes.Buffer
		ways := d.Flow().Ways(d.Snap(), machine.Human, d.Facts(workflow.Observed{}))
		printWorkflow(&streams{out: &out}, workflowView{Document: d, Ways: ways})
		return out.String()
	}
	if got := shown(); !strings.Contains(got, "hotfix-implement") || !strings.Contains(got, "for rca") {
		t.Errorf("before the choice: got\n%s\nwant both tracks", got)
	}
	d.Track = "hotfix"
	if got := shown(); !strings.Contains(got, "hotfix-implement") || strings.Contains(got, "rca") ||
		strings.Contains(got, "debug-validate") {
		t.Errorf("got\n%s\nwant only the chosen track", got)
	}
}
