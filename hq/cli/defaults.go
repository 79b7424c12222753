package cli

import (
	"fmt"
	"slices"

	"ferrus/agent"
	"ferrus/hq/config"
)

// agentChoice is an agent that may play a role.
type agentChoice struct {
	name, program string
	missing       bool
	install       string // how to install it
}

// defaultAgents is who plays the roles in a ferrus.toml that is yet to be written.
type defaultAgents struct {
	supervisor, executor string
	all                  []agentChoice // those that play by default first
}

// chooseAgents takes the usual agent of each role if it is installed, and else the
// first that is. Where none is, the usual ones stay.
func chooseAgents() defaultAgents {
	n := agentNames()
	c := defaultAgents{supervisor: n.Supervisor(), executor: n.Executor(), all: agentChoices(n)}
	if here := c.installed(); len(here) > 0 {
		c.supervisor, c.executor = preferred(here, c.supervisor), preferred(here, c.executor)
	}
	return c
}

func agentChoices(all config.Names) (out []agentChoice) {
	for _, name := range all {
		a, err := agent.Lookup(name, nil)
		if err != nil || a.Binary() == "" || agent.CheckSupported(a) != nil {
			continue
		}
		out = append(out, agentChoice{name, a.Binary(), agent.Installed(a) != nil, agent.InstallCommand(a)})
	}
	return out
}

// installed are the names of those that are installed.
func (c defaultAgents) installed() (out []string) {
	for _, a := range c.all {
		if !a.missing {
			out = append(out, a.name)
		}
	}
	return out
}

func preferred(here []string, usual string) string {
	if slices.Contains(here, usual) {
		return usual
	}
	return here[0]
}

// names are the agents, those that play first.
func (c defaultAgents) names() config.Names {
	out := config.Names{c.supervisor, c.executor}
	for _, n := range agentNames() {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// notes say where the cast is not the usual one, or cannot play.
func (c defaultAgents) notes() (out []string) {
	usual, none := agentNames(), len(c.installed()) == 0
	for _, a := range c.all {
		if !a.missing || a.name != usual.Supervisor() && a.name != usual.Executor() {
			continue
		}
		line := fmt.Sprintf("%s is not installed (no %s on PATH)", a.name, a.program)
		switch {
		case none:
			line += "; it is needed"
		case a.name == usual.Supervisor():
			line += "; the supervisor is " + c.supervisor
		default:
			line += "; the executor is " + c.executor
		}
		if a.install != "" {
			line += "; to have it: " + a.install
		}
		out = append(out, line)
	}
	return out
}
