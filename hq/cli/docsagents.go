package cli

import (
	"fmt"
	"strings"

	"ferrus/agent"
)

// agentTable says what each agent can do, as its adapter words it. The last row is
// a program of the person's own.
func agentTable() string {
	var b strings.Builder
	b.WriteString("| Agent | the loop, headless | the loop, its own screen | a pair | `ferrus register` | reports | |\n|---|---|---|---|---|---|---|\n")
	for _, name := range agent.Names() {
		a, err := agent.Lookup(name, nil)
		if err != nil || a.Binary() == "" {
			continue
		}
		m := agent.ModesOf(a)
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s |\n", name, yesNo(m.Loop), yesNo(m.Screen), yesNo(m.Pair), yesNo(m.Register), reports(m), cell(m.Note))
	}
	b.WriteString("| `[agent.<name>]` | yes | with `interactive_command` | yes | no | nothing | your command, with `{prompt} {model} {mcp_config} {workspace} {role}` put in |\n")
	return b.String()
}

func yesNo(can bool) string {
	if can {
		return "yes"
	}
	return "no"
}

func reports(m agent.Modes) string {
	switch {
	case m.Tokens && m.Cost:
		return "tokens, cost"
	case m.Tokens:
		return "tokens"
	}
	return "nothing"
}
