package core

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Definition is what the gate runs and how its work is guarded.
type Definition struct {
	Commands    []Check `json:"commands"`
	TimeoutSecs int     `json:"timeout_secs"`
	AllowNone   bool    `json:"allow_none"`
	// Unprotected is [checks] protect = false: alarms are shown, and whoever
	// reviews may approve all the same.
	Unprotected bool `json:"unprotected,omitempty"`
	// Tools are the programs of the workspace that the commands would find, with
	// a hash of each.
	Tools map[string]string `json:"tools,omitempty"`
}

// Check is one command of the gate. In JSON one that is nothing but a line is a
// string.
type Check struct {
	Name        string   `json:"name,omitempty"` // how people call it; empty: Run itself
	Run         string   `json:"run"`            // for the shell
	TimeoutSecs *int     `json:"timeout_secs,omitempty"`
	Dir         string   `json:"dir,omitempty"` // below the workspace
	Env         []string `json:"env,omitempty"` // NAME=value
}

// Title is the command in the words of people.
func (c Check) Title() string {
	if c.Name != "" {
		return c.Name
	}
	return c.Run
}

// String is the command with everything that is its own.
func (c Check) String() string {
	text := strings.Join(append(slices.Clone(c.Env), c.Run), " ")
	if c.Name != "" {
		text = c.Name + ": " + text
	}
	if c.Dir != "" {
		text += "  (in " + c.Dir + ")"
	}
	return text
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

func (c Check) bare() bool {
	return c.Name == "" && c.TimeoutSecs == nil && c.Dir == "" && len(c.Env) == 0
}

// MarshalJSON writes the line alone where there is nothing else.
func (c Check) MarshalJSON() ([]byte, error) {
	if c.bare() {
		return json.Marshal(c.Run)
	}
	type fields Check
	return json.Marshal(fields(c))
}

// UnmarshalJSON reads both forms.
func (c *Check) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		*c = Check{}
		return json.Unmarshal(data, &c.Run)
	}
	type fields Check
	var f fields
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	*c = Check(f)
	return nil
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
