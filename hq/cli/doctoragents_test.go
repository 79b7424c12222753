package cli

import (
	"bytes"
	"strings"
	"testing"

	"ferrus/hq/clients"
	"ferrus/hq/core"
)

// The table fits into 80 columns, whatever versions the programs print.
func TestTriedAgentsFitEightyColumns(t *testing.T) {
	t.Parallel()
	usage := &core.Usage{Input: 40, Output: 20}
	var out bytes.Buffer
	printTried(&streams{out: &out}, []clients.Result{
		{Agent: "claude-code", Version: "2.1.332 (Claude Code)", Works: true, FirstCall: 11.4, Took: 18.7,
			Permission: "asks", Usage: usage},
		{Agent: "copilot", Version: "GitHub Copilot CLI 1.0.102.", Works: true, FirstCall: 15.7, Took: 22.2,
			Permission: "asks", Usage: usage},
		{Agent: "codex", Version: strings.Repeat("a", 99), Works: true},
	})
	for line := range strings.Lines(out.String()) {
		if len(line) > 81 {
			t.Errorf("%d columns: %s", len(line)-1, line)
		}
	}
	for _, want := range []string{"claude-code  2.1.332  ", " 1.0.102  "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}
