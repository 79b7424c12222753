package core

import (
	"maps"
	"slices"

	"ferrus/checks"
)

// Definition is what the gate runs, and how its commands are protected. A task pins the
// definition it was created with: an agent cannot change its own checks. Its commands
// are also what the human trusts, per machine.
type Definition struct {
	Commands []checks.Command `json:"commands"`
	// Seconds, for a command that has no timeout of its own.
	TimeoutSecs int `json:"timeout_secs"`
	// Then a gate without commands passes as UNPROVEN.
	AllowNone bool `json:"allow_none"`
	// Unprotected is [checks] protect = false: alarms are shown, but no approval is
	// reserved for the human.
	Unprotected bool `json:"unprotected,omitempty"`
	// Tools maps the programs of the workspace that the commands would run to a hash.
	// Another hash at submit raises an alarm.
	Tools map[string]string `json:"tools,omitempty"`
}

// Titles returns the commands as they are shown: by their name, if they have one.
func (d Definition) Titles() []string {
	var all []string
	for _, c := range d.Commands {
		all = append(all, c.Title())
	}
	return all
}

// Lines returns the commands in full, with directory and environment.
func (d Definition) Lines() []string {
	var all []string
	for _, c := range d.Commands {
		all = append(all, c.String())
	}
	return all
}

func (d *Definition) copied() *Definition {
	if d == nil {
		return nil
	}
	c := *d
	c.Tools = maps.Clone(d.Tools)
	c.Commands = slices.Clone(d.Commands)
	for i := range c.Commands {
		c.Commands[i].TimeoutSecs = copied(c.Commands[i].TimeoutSecs)
		c.Commands[i].Env = slices.Clone(c.Commands[i].Env)
	}
	return &c
}
