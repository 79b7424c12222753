package slash

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ferrus/ui/intent"
	"ferrus/ui/view"
)

// switchAgent gives a role to another agent.
type switchAgent struct {
	once
	Role, Agent string
}

func parseSwitch(v *view.View, args string) (intent.Intent, error) {
	words := strings.Fields(args)
	if len(words) != 2 {
		return nil, errors.New("/switch takes a role and an agent")
	}
	return switchAgent{Role: words[0], Agent: words[1]}, checkRole(v, words[0])
}

// Run switches the agent in ferrus.toml and in the open task.
func (s switchAgent) Run(_ context.Context, e *Env) (Result, error) {
	words := fmt.Sprintf("The %s uses %s from its next session", s.Role, s.Agent)
	return report(words, e.Models.SwitchAgent(s.Role, s.Agent))
}

func completeSwitch(v *view.View, words []string) []view.Suggestion {
	switch len(words) {
	case 0:
		return completeRoles(v)
	case 1:
		return players(v)
	}
	return nil
}
