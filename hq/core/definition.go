package core

import (
	"maps"
	"slices"

	"ferrus/checks"
)

// Definition is what the gate runs and how its work is guarded.
type Definition struct {
	Commands    []checks.Command `json:"commands"`
	TimeoutSecs int              `json:"timeout_secs"`
	AllowNone   bool             `json:"allow_none"`
	// Unprotected is [checks] protect = false: alarms are shown, and whoever
	// reviews may approve all the same.
	Unprotected bool `json:"unprotected,omitempty"`
	// Tools are the programs of the workspace that the commands would find, with
	// a hash of each.
	Tools map[string]string `json:"tools,omitempty"`
}

// Titles are the commands in the words of people.
func (d Definition) Titles() []string {
	var all []string
	for _, c := range d.Commands {
		all = append(all, c.Title())
	}
	return all
}

// Lines are the commands with everything that is their own.
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
