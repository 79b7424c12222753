//go:build e2e

package model

import (
	"fmt"
	"strings"
)

// HostileScript plays an executor that runs a command, prints the end of the file that the command leaves until
// that ends with the word end, and asks the human then.
func HostileScript(command, report, end string) func(Conversation) Action {
	return func(c Conversation) Action {
		if action, ok := aside(c); ok {
			return action
		}
		turn, ok := c.newest()
		switch {
		case !c.named("wait_for_task"):
			return Action{Text: "complaint: this session is not the executor's"}
		case !ok:
			return c.call("wait_for_task", nil)
		case short(turn.Name) == "wait_for_task" && turn.field("state") == "Executing":
			return c.shell(command)
		case short(turn.Name) == "wait_for_task":
			return Action{Text: "Enough."}
		case short(turn.Name) == "ask_human" || short(turn.Name) == "wait_for_answer":
			return Action{Text: "Asked."}
		case !strings.Contains(turn.Result, end):
			return c.shell(fmt.Sprintf("sleep 1; tail -c 500 %s # %d", report, len(c.Turns))) // clients cut long output
		}
		return c.call("ask_human", map[string]any{"question": "Was that all?"})
	}
}
