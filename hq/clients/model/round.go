package model

// RoundText is the task that [Round] does, and RoundCheck the command that proves it.
const (
	RoundText  = "# Greet\n\nWrite the file `greeting.txt`; its only line is `hello ferrus`.\n"
	RoundCheck = "grep -qx 'hello ferrus' greeting.txt"
)

// Round plays an executor that takes [RoundText], writes the file with a command and submits it.
func Round(c Conversation) Action {
	if action, ok := aside(c); ok {
		return action
	}
	turn, ok := c.newest()
	switch {
	case !ok:
		return c.call("wait_for_task", nil)
	case turn.refused():
		return complain("%s was refused: %s", turn.Name, turn.Result)
	}
	submission := map[string]any{"content": "## Summary\nWrote the file.\n"}
	switch short(turn.Name) {
	case "wait_for_task":
		if turn.field("state") == "" {
			return complain("wait_for_task says %s", turn.Result)
		}
		return c.shell("printf '%s\\n' 'hello ferrus' | tee greeting.txt")
	case "submit":
		if turn.field("status") == "running" {
			return c.again("submit", turn)
		}
		return Action{Text: "Submitted."}
	}
	return c.call("submit", submission)
}
