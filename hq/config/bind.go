package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ferrus/agent/suggest"
)

// Actions are what keys of the screen do, each with its keys; the table [keys]
// gives some of them others. The screen has the table, so it is handed in, as
// [Names] are; without it [keys] is not looked into.
type Actions []Action

// Action is one of them.
type Action struct {
	Name  string
	Fixed bool     // it cannot have other keys
	Place string   // two actions of one place cannot have one key
	Keys  []string // that it has by itself
	// Read gives a written key the name it has in Keys, or says why this action
	// cannot have it.
	Read func(written string) (string, error)
}

// bind reads what [keys] says as the actions understand it.
func (c *Config) bind(actions Actions) (path []string, err error) {
	if len(actions) == 0 {
		return nil, nil
	}
	table := slices.Clone(actions)
	for _, name := range slices.Sorted(maps.Keys(c.Keys)) {
		i := slices.IndexFunc(table, func(a Action) bool { return a.Name == name })
		path := []string{"keys", name}
		if i < 0 || table[i].Fixed {
			return path, table.no(name, i >= 0)
		}
		for k, written := range c.Keys[name] {
			read, err := table[i].Read(written)
			if err != nil {
				return path, &misfit{what: fmt.Sprintf("keys.%s cannot be %q: %v", name, written, err)}
			}
			c.Keys[name][k] = read
		}
		table[i].Keys = c.Keys[name]
	}
	return table.clash(c.Keys)
}

// clash finds a key that two actions of one place have; the line of the action
// that was given it is at fault.
func (all Actions) clash(given map[string][]string) (path []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		i := slices.IndexFunc(all, func(a Action) bool { return a.Name == name })
		for k, key := range given[name] {
			if slices.Contains(given[name][:k], key) {
				return []string{"keys", name}, &misfit{what: fmt.Sprintf("keys.%s has %q twice", name, key)}
			}
			for o, other := range all {
				if o != i && other.Place == all[i].Place && slices.Contains(other.Keys, key) {
					return []string{"keys", name}, taken(name, key, other)
				}
			}
		}
	}
	return nil, nil
}

func taken(name, key string, other Action) error {
	fix := "choose another key"
	if !other.Fixed {
		fix = fmt.Sprintf("choose another key, or give keys.%s one", other.Name)
	}
	return &misfit{what: fmt.Sprintf("keys.%s is %q, and %s has that key", name, key, other.Name), fix: fix}
}

// no is the error for an action that is not there, or has its keys for good.
func (all Actions) no(name string, fixed bool) error {
	var names []string
	for _, a := range all {
		if !a.Fixed {
			names = append(names, a.Name)
		}
	}
	known := "the actions are " + strings.Join(names, ", ")
	if fixed {
		return &misfit{what: fmt.Sprintf("keys.%s: %s has its keys for good", name, name), fix: known}
	}
	best := suggest.Least(name, names)
	return &misfit{what: fmt.Sprintf("keys.%s: there is no such action", name), fix: fmt.Sprintf("did you mean %s? %s", best, known)}
}
