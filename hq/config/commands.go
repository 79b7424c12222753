package config

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"ferrus/checks"
	"ferrus/ui/text/lazyregexp"
)

// envName matches the names of environment variables.
var envName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// commandList returns the setter of a list of commands: shell lines or tables.
func commandList(at func(*Config) *[]checks.Command) setter {
	return func(c *Config, _ string, value any) error {
		items, ok := value.([]any)
		if !ok {
			return fmt.Errorf("must be a list of strings or tables, not %s", describe(value))
		}
		var list []checks.Command
		for i, item := range items {
			one, err := parseCommand(item)
			if err != nil {
				return fmt.Errorf("item %d %w", i+1, err)
			}
			list = append(list, one)
		}
		*at(c) = list
		return nil
	}
}

func parseCommand(item any) (checks.Command, error) {
	switch v := item.(type) {
	case string:
		return shellCommand(v)
	case map[string]any:
		return tableCommand(v)
	}
	return checks.Command{}, fmt.Errorf("is %s, but must be a string or a table", describe(item))
}

// shellCommand parses a command that is only a shell line.
func shellCommand(s string) (checks.Command, error) {
	switch {
	case strings.TrimSpace(s) == "":
		return checks.Command{}, errors.New("is empty")
	case strings.ContainsRune(s, 0):
		return checks.Command{}, errors.New("has a NUL character")
	}
	return checks.Command{Run: s}, nil
}

// commandKeys are the keys of a table, and how each is read.
var commandKeys = map[string]func(*checks.Command, any) error{
	"run":          setRun,
	"name":         setText(func(c *checks.Command) *string { return &c.Name }),
	"dir":          setDir,
	"timeout_secs": setTimeout,
	"env":          setEnv,
}

func tableCommand(table map[string]any) (checks.Command, error) {
	var c checks.Command
	for _, key := range slices.Sorted(maps.Keys(table)) {
		read, known := commandKeys[key]
		if !known {
			return c, fmt.Errorf("has an unknown key %q (known: name, run, timeout_secs, dir, env)", key)
		}
		if err := read(&c, table[key]); err != nil {
			return c, fmt.Errorf("has an invalid %s: it %w", key, err)
		}
	}
	if c.Run == "" {
		return c, errors.New("is a table without run")
	}
	return c, nil
}

func setRun(c *checks.Command, value any) error {
	s, ok := value.(string)
	if !ok {
		return fmt.Errorf("must be a string, not %s", describe(value))
	}
	one, err := shellCommand(s)
	if err != nil {
		return err
	}
	c.Run = one.Run
	return nil
}

func setText(at func(*checks.Command) *string) func(*checks.Command, any) error {
	return func(c *checks.Command, value any) error {
		s, ok := value.(string)
		if !ok || strings.TrimSpace(s) == "" || strings.ContainsFunc(s, isControl) {
			return fmt.Errorf("must be one line of text, not %s", describe(value))
		}
		*at(c) = strings.TrimSpace(s)
		return nil
	}
}

func setDir(c *checks.Command, value any) error {
	if err := setText(func(c *checks.Command) *string { return &c.Dir })(c, value); err != nil {
		return err
	}
	if !filepath.IsLocal(c.Dir) {
		return fmt.Errorf("must be a path inside the project, not %q", c.Dir)
	}
	if c.Dir = filepath.Clean(c.Dir); c.Dir == "." {
		c.Dir = ""
	}
	return nil
}

func setTimeout(c *checks.Command, value any) error {
	n, ok := value.(int64)
	if !ok || n < 0 || n > maxNumber {
		return fmt.Errorf("must be a whole number from 0 to %d, not %s", maxNumber, describe(value))
	}
	secs := int(n)
	c.TimeoutSecs = &secs
	return nil
}

func setEnv(c *checks.Command, value any) error {
	table, ok := value.(map[string]any)
	if !ok {
		return fmt.Errorf("must be a table of strings, not %s", describe(value))
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		s, ok := table[name].(string)
		switch {
		case !envName.MatchString(name) || strings.HasPrefix(name, "FERRUS_"):
			return fmt.Errorf("must not set %q", name)
		case !ok || strings.ContainsRune(s, 0):
			return fmt.Errorf("must give %s a string, not %s", name, describe(table[name]))
		}
		c.Env = append(c.Env, name+"="+s)
	}
	return nil
}

// isAgentName checks the name of an agent.
func isAgentName(item string) string {
	if !agentName.MatchString(item) {
		return "the name of an agent"
	}
	return ""
}
