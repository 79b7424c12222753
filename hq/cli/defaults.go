package cli

import (
	"fmt"
	"slices"

	"ferrus/agent"
	"ferrus/hq/config"
)

// agentChoice is an agent that can have a role.
type agentChoice struct {
	name, program string
	missing       bool
	install       string // the command that installs it
}

// defaultAgents are the agents that a new ferrus.toml gives the roles to.
type defaultAgents struct {
	supervisor, executor string
	all                  []agentChoice // the default agents first
}

// chooseAgents returns the default agent of each role if it is installed, else the
// first that is. If none is installed, the defaults stay.
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
		if err != nil || a.Binary() == "" {
			continue
		}
		out = append(out, agentChoice{name, a.Binary(), agent.Installed(a) != nil, agent.InstallCommand(a)})
	}
	return out
}

// installed returns the names of the agents that are installed.
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

// names returns all agents, those with a role first.
func (c defaultAgents) names() config.Names {
	out := config.Names{c.supervisor, c.executor}
	for _, n := range agentNames() {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// notes reports default agents that are not installed, and what takes their place.
func (c defaultAgents) notes() (out []string) {
	usual, none := agentNames(), len(c.installed()) == 0
	for _, a := range c.all {
		if !a.missing || a.name != usual.Supervisor() && a.name != usual.Executor() {
			continue
		}
		line, install := fmt.Sprintf("%s is not installed (no %s on PATH)", a.name, a.program), "; to install it: "
		switch {
		case none:
			line += "; set another agent in ferrus.toml"
			install = ", or install it: "
		case a.name == usual.Supervisor():
			line += "; using " + c.supervisor + " as supervisor"
		default:
			line += "; using " + c.executor + " as executor"
		}
		if a.install != "" {
			line += install + a.install
		}
		out = append(out, line)
	}
	return out
}
