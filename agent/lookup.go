package agent

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"ferrus/agent/suggest"
)

// vendors are the adapters that each vendor's file adds, by name.
var vendors = map[string]Adapter{}

// usual is the agent of a role where ferrus.toml names none.
var usual = map[string]string{}

// register makes a vendor known, and the usual choice for roles.
func register(a Adapter, roles ...string) {
	vendors[a.Name()] = a
	for _, role := range roles {
		usual[role] = a.Name()
	}
}

// Default returns the agent of a role where ferrus.toml names none.
func Default(role string) string { return usual[role] }

// Names returns the agents that need no [agent.<name>] of their own, in order.
func Names() []string {
	names := make([]string, 0, len(vendors))
	for name := range vendors {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Lookup finds an agent by its name in ferrus.toml. One that is written there
// wins over one of the same name that is built in.
func Lookup(name string, own map[string]Custom) (Adapter, error) {
	if c, ok := own[name]; ok {
		return newCustom(name, c)
	}
	if a, ok := vendors[name]; ok {
		return a, nil
	}
	known := Names()
	for other := range own {
		known = append(known, other)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	guess := ""
	if meant := suggest.Word(name, known); meant != "" {
		guess = "; did you mean " + meant + "?"
	}
	return nil, fmt.Errorf("agent %q is not known%s (known: %s)", name, guess, strings.Join(known, ", "))
}

// Installed returns why an agent cannot be started, with what to do.
func Installed(a Adapter) error {
	if a.Binary() == "" {
		return nil
	}
	_, err := exec.LookPath(a.Binary())
	if err == nil {
		return nil
	}
	why := "cannot be run: " + err.Error()
	if errors.Is(err, exec.ErrNotFound) {
		why = "not found on PATH"
	}
	return fmt.Errorf("%s: %s: install it or set [hq.supervisor] or [hq.executor] agent in ferrus.toml", a.Binary(), why)
}
