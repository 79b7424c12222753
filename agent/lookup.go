package agent

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"ferrus/agent/suggest"
)

// adapters are the built-in adapters by name; each vendor's file adds its own.
var adapters = map[string]Adapter{}

// defaults are the default agents of the roles.
var defaults = map[string]string{}

// register adds an adapter and makes it the default of the roles.
func register(a Adapter, roles ...string) {
	adapters[a.Name()] = a
	for _, role := range roles {
		defaults[role] = a.Name()
	}
}

// Default returns the default agent of a role.
func Default(role string) string { return defaults[role] }

// Names returns the names of the built-in agents, sorted.
func Names() []string {
	names := make([]string, 0, len(adapters))
	for name := range adapters {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Lookup returns an agent by its name in ferrus.toml. A custom agent takes precedence over
// a built-in one of the same name.
func Lookup(name string, own map[string]Custom) (Adapter, error) {
	if c, ok := own[name]; ok {
		return newCustom(name, c)
	}
	if a, ok := adapters[name]; ok {
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
	return nil, fmt.Errorf("unknown agent %q%s (known: %s)", name, guess, strings.Join(known, ", "))
}

// NotInstalledFix is the advice at the end of a [NotInstalledError], after "; ".
const NotInstalledFix = "install it, or set [hq.supervisor] or [hq.executor] agent in ferrus.toml"

// NotInstalledError reports that an agent's program is missing or cannot be run.
type NotInstalledError struct {
	Binary string
	Why    string
}

func (e *NotInstalledError) Error() string {
	return e.Binary + ": " + e.Why + "; " + NotInstalledFix
}

// Installed returns a *[NotInstalledError] if an agent's program cannot be run.
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
	return &NotInstalledError{a.Binary(), why}
}
