package core

import (
	"maps"
	"slices"
	"strings"

	"ferrus/checks"
	"ferrus/ui/text"
)

// Definition is what the gate runs, and how its commands are protected. A task pins the
// definition it was created with: an agent cannot change its own checks. With what else
// the project makes run or allows, it is also what the human trusts, per machine. It has more
// than 12 fields because each is one thing that a task pins.
type Definition struct {
	Commands []checks.Command `json:"commands"`
	// Quick run instead at an executor's check; empty: Commands do.
	Quick []checks.Command `json:"quick,omitempty"`
	// Seconds, for a command that has no timeout of its own.
	TimeoutSecs int `json:"timeout_secs"`
	// Then a gate without commands passes as UNPROVEN.
	AllowNone bool `json:"allow_none"`
	// Unprotected is [checks] protect = false: alarms are shown, but no approval is
	// reserved for the human.
	Unprotected bool `json:"unprotected,omitempty"`
	// Setup makes what git ignores and the commands need; Key are the files that it depends
	// on; Env are variables that the gate gets besides its own. See package checks/lane.
	Setup []checks.Command `json:"setup,omitempty"`
	Key   []string         `json:"key,omitempty"`
	Env   []string         `json:"env,omitempty"`
	// Widening is what else ferrus.toml makes run or allows, one line for each key: programs of
	// agents, permissions, publishing.
	Widening []string `json:"widening,omitempty"`
	// Sandbox is what programs inside may reach.
	Sandbox Sandbox `json:"sandbox,omitzero"`
	// Path is the PATH that programs are looked up in; empty: the PATH of the process that
	// runs the gate.
	Path string `json:"path,omitempty"`
	// Tools are the programs outside the tree that the commands find on Path, with a
	// hash of each. Another hash at submit raises an alarm.
	Tools map[string]string `json:"tools,omitempty"`
	// Unasked are git's files from which programs take commands by themselves, and those of the human's checkout that
	// git ignores if the task works there, with a hash of each. Another hash at submit raises an alarm. Nil: not
	// recorded.
	Unasked map[string]string `json:"unasked,omitzero"`
	// Included is a hash of the ignored files that .worktreeinclude gives to the gate. Another one at submit raises an
	// alarm. Empty: not recorded.
	Included string `json:"included,omitempty"`
}

// Sandbox is [sandbox] of ferrus.toml, and the networks of the gate. See package agent/sandbox.
type Sandbox struct {
	Mode         string   `json:"mode,omitempty"`          // empty: auto
	Network      string   `json:"network,omitempty"`       // of check commands; empty: open
	SetupNetwork string   `json:"setup_network,omitempty"` // empty: open
	Sessions     string   `json:"sessions,omitempty"`      // network of agents; empty: open, in older tasks
	Hosts        []string `json:"hosts,omitempty"`         // see package agent/proxy, like Ports
	Ports        []string `json:"ports,omitempty"`
	Write        []string `json:"write,omitempty"`
	Read         []string `json:"read,omitempty"`
	Sockets      []string `json:"sockets,omitempty"`
	Devices      []string `json:"devices,omitempty"`
}

func (s Sandbox) copied() Sandbox {
	s.Write, s.Read = slices.Clone(s.Write), slices.Clone(s.Read)
	s.Sockets, s.Devices = slices.Clone(s.Sockets), slices.Clone(s.Devices)
	s.Hosts, s.Ports = slices.Clone(s.Hosts), slices.Clone(s.Ports)
	return s
}

// NeedsTrust reports whether there is a command, or another value that is run or allows more.
func (d Definition) NeedsTrust() bool {
	return len(d.Commands)+len(d.Quick)+len(d.Setup)+len(d.Widening) > 0
}

// Titles returns the commands as they are shown: by their name, if they have one.
func (d Definition) Titles() []string {
	var all []string
	for _, c := range d.Commands {
		all = append(all, c.Title())
	}
	return all
}

// Lines returns all that is trusted: what the gate runs, setup first, with directory and
// environment, and what else is run or allowed. You decide by these lines, so none of them hides a part of itself.
func (d Definition) Lines() []string {
	var all []string
	for _, c := range d.Setup {
		all = append(all, "setup: "+c.String())
	}
	for _, c := range d.Commands {
		all = append(all, c.String())
	}
	for _, c := range d.Quick {
		all = append(all, "quick: "+c.String())
	}
	if len(d.Env) > 0 {
		all = append(all, "env: "+strings.Join(d.Env, ", "))
	}
	all = append(all, d.Widening...)
	for i, line := range all {
		all[i] = text.Reveal(line)
	}
	return all
}

func (d *Definition) copied() *Definition {
	if d == nil {
		return nil
	}
	c := *d
	c.Tools, c.Unasked = maps.Clone(d.Tools), maps.Clone(d.Unasked)
	c.Key, c.Env = slices.Clone(d.Key), slices.Clone(d.Env)
	c.Widening, c.Sandbox = slices.Clone(d.Widening), d.Sandbox.copied()
	c.Commands, c.Setup = copiedCommands(d.Commands), copiedCommands(d.Setup)
	c.Quick = copiedCommands(d.Quick)
	return &c
}

func copiedCommands(all []checks.Command) []checks.Command {
	all = slices.Clone(all)
	for i := range all {
		all[i].TimeoutSecs = copied(all[i].TimeoutSecs)
		all[i].Env = slices.Clone(all[i].Env)
	}
	return all
}
