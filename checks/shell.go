package checks

import (
	"encoding/json"
	"slices"
	"strings"
)

// Command is one command of the gate, as ferrus.toml, the state and a run have it. In
// JSON one that is nothing but its line is a string.
type Command struct {
	Name        string   `json:"name,omitempty"`         // what users call it; empty: Run itself
	Run         string   `json:"run"`                    // the line for /bin/sh -c
	TimeoutSecs *int     `json:"timeout_secs,omitempty"` // nil: the run's timeout; 0: none
	Dir         string   `json:"dir,omitempty"`          // below the workspace; empty: that itself
	Env         []string `json:"env,omitempty"`          // NAME=value, over the environment
}

// Title returns the name of the command or, without one, its line.
func (c Command) Title() string {
	if c.Name != "" {
		return c.Name
	}
	return c.Run
}

// String returns the command with everything that decides what it does: what a user
// has to see before trusting it.
func (c Command) String() string {
	line := strings.Join(append(slices.Clone(c.Env), c.Run), " ")
	if c.Name != "" {
		line = c.Name + ": " + line
	}
	if c.Dir != "" {
		line += "  (in " + c.Dir + ")"
	}
	return line
}

func (c Command) isBare() bool {
	return c.Name == "" && c.TimeoutSecs == nil && c.Dir == "" && len(c.Env) == 0
}

// MarshalJSON writes the line alone where there is nothing else.
func (c Command) MarshalJSON() ([]byte, error) {
	if c.isBare() {
		return json.Marshal(c.Run)
	}
	type fields Command
	return json.Marshal(fields(c))
}

// UnmarshalJSON reads both forms.
func (c *Command) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		*c = Command{}
		return json.Unmarshal(data, &c.Run)
	}
	type fields Command
	var f fields
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	*c = Command(f)
	return nil
}
