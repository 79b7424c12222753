package config

import (
	"fmt"
	"maps"
	"slices"

	"ferrus/agent/suggest"
)

// Actions are what HQ's keys do, with their default keys, which the table [keys]
// replaces. HQ passes them; without them [keys] is not checked.
type Actions []Action

// Action is one action of HQ. Several with one name are one action that has other keys
// in some places; it is rebound in all of them.
type Action struct {
	Name   string
	Fixed  bool     // it cannot be rebound
	Places uint32   // a set, by bits: two actions that share a place cannot share a key
	Keys   []string // its current ones
	// Read returns the name that a key has in Keys, or why this action cannot have it.
	Read func(written string) (string, error)
}

// bind checks the table [keys] against the actions and normalizes its keys.
func (c *Config) bind(actions Actions) (path []string, err error) {
	if len(actions) == 0 {
		return nil, nil
	}
	table := slices.Clone(actions)
	for _, name := range slices.Sorted(maps.Keys(c.Keys)) {
		i := slices.IndexFunc(table, func(a Action) bool { return a.Name == name })
		path := []string{"keys", name}
		if i < 0 || table[i].Fixed {
			return path, table.unknownAction(name, i >= 0)
		}
		for k, written := range c.Keys[name] {
			read, err := table[i].Read(written)
			if err != nil {
				return path, &valueError{what: fmt.Sprintf("keys.%s cannot be %q: %v", name, written, err)}
			}
			c.Keys[name][k] = read
		}
		for i := range table {
			if table[i].Name == name {
				table[i].Keys = c.Keys[name]
			}
		}
	}
	return table.conflict(c.Keys)
}

// places returns where an action counts.
func (all Actions) places(name string) (places uint32) {
	for _, a := range all {
		if a.Name == name {
			places |= a.Places
		}
	}
	return places
}

// conflict finds a key that two actions share in one place, and reports the action
// that [keys] gave it to.
func (all Actions) conflict(given map[string][]string) (path []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		places := all.places(name)
		for k, key := range given[name] {
			if slices.Contains(given[name][:k], key) {
				return []string{"keys", name}, &valueError{what: fmt.Sprintf("keys.%s contains %q twice", name, key)}
			}
			for _, other := range all {
				if other.Name != name && other.Places&places != 0 && slices.Contains(other.Keys, key) {
					return []string{"keys", name}, keyTaken(name, key, other)
				}
			}
		}
	}
	return nil, nil
}

func keyTaken(name, key string, other Action) error {
	fix := "choose another key"
	if !other.Fixed {
		fix = fmt.Sprintf("choose another key, or also rebind keys.%s", other.Name)
	}
	return &valueError{what: fmt.Sprintf("keys.%s is %q, which is already the key of %s", name, key, other.Name),
		fix: fix}
}

// unknownAction reports an action that does not exist, or cannot be rebound.
func (all Actions) unknownAction(name string, fixed bool) error {
	var names []string
	for _, a := range all {
		if !a.Fixed {
			names = append(names, a.Name)
		}
	}
	const known = "ferrus help keys lists the actions"
	if fixed {
		return &valueError{what: fmt.Sprintf("keys.%s: %s cannot be rebound", name, name), fix: known}
	}
	best := suggest.Least(name, names)
	return &valueError{what: fmt.Sprintf("keys.%s is not an action", name),
		fix: fmt.Sprintf("did you mean keys.%s? %s", best, known)}
}
