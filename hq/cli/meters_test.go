package cli

import (
	"fmt"
	"strings"
	"testing"

	"ferrus/agent"
	"ferrus/hq/config"
)

// A limit is accepted for an agent that reports the usage it is about, in either role. For any
// other agent it is refused when the file is loaded, and the error names the agents that report it.
func TestLimitsOfEveryAgent(t *testing.T) {
	able := map[bool]string{true: agent.Default("supervisor"), false: agent.Default("executor")}
	for _, name := range agent.Names() {
		tokens, cost := agent.ReportsUsage(name)
		for _, limit := range []struct {
			key, what string
			measured  bool
			other     string // an agent that reports it
		}{
			{"max_task_tokens", "tokens", tokens, able[false]},
			{"max_task_cost", "cost", cost, able[true]},
		} {
			for role, other := range map[string]string{"supervisor": "executor", "executor": "supervisor"} {
				text := fmt.Sprintf("[hq.%s]\nagent = %q\n[hq.%s]\nagent = %q\n[limits]\n%s = 1\n", role, name, other,
					limit.other, limit.key)
				c, err := config.Parse([]byte(text), agentNames())
				if err != nil {
					t.Fatal(err)
				}
				err = config.CheckMeasurable([]byte(text), c, agentMeters())
				want := fmt.Sprintf("limits.%s cannot be measured: the %s is %s, which does not report its %s",
					limit.key, role, name, limit.what)
				switch {
				case limit.measured && err != nil:
					t.Errorf("%s as %s: %v", name, role, err)
				case !limit.measured && (err == nil || !strings.Contains(err.Error(), want)):
					t.Errorf("%s as %s: %v, want %s", name, role, err, want)
				}
			}
		}
	}
}
