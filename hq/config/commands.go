package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// variable is what an environment variable may be called.
var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// commands reads a list of commands: lines for the shell, or tables.
func commands(at func(*Config) *[]Command) put {
	return func(c *Config, _ string, value any) error {
		items, ok := value.([]any)
		if !ok {
			return fmt.Errorf("must be a list of strings or tables, not %s", kind(value))
		}
		list := make([]Command, 0, len(items))
		for i, item := range items {
			one, err := command(item)
			if err != nil {
				return fmt.Errorf("%w at place %d", err, i+1)
			}
			list = append(list, one)
		}
		*at(c) = list
		return nil
	}
}

func command(item any) (Command, error) {
	switch v := item.(type) {
	case string:
		return line(v)
	case map[string]any:
		return entry(v)
	}
	return Command{}, fmt.Errorf("must be a list of strings or tables, and has %s", kind(item))
}

// line is a command that is nothing but what the shell runs.
func line(s string) (Command, error) {
	switch {
	case strings.TrimSpace(s) == "":
		return Command{}, fmt.Errorf("has an empty command")
	case strings.ContainsRune(s, 0):
		return Command{}, fmt.Errorf("has a NUL character")
	}
	return Command{Run: s}, nil
}

// entryKeys are what a table may have, and how each is read.
var entryKeys = map[string]func(*Command, any) error{
	"run":          entryRun,
	"name":         entryText(func(c *Command) *string { return &c.Name }),
	"dir":          entryDir,
	"timeout_secs": entryTimeout,
	"env":          entryEnv,
}

func entry(table map[string]any) (Command, error) {
	var c Command
	for _, key := range slices.Sorted(maps.Keys(table)) {
		read, known := entryKeys[key]
		if !known {
			return c, fmt.Errorf("has an unknown key %q, not one of name, run, timeout_secs, dir, env,", key)
		}
		if err := read(&c, table[key]); err != nil {
			return c, fmt.Errorf("has the key %s, which %w", key, err)
		}
	}
	if c.Run == "" {
		return c, fmt.Errorf("has a table without run")
	}
	return c, nil
}

func entryRun(c *Command, value any) error {
	s, ok := value.(string)
	if !ok {
		return fmt.Errorf("must be a string, not %s", kind(value))
	}
	one, err := line(s)
	if err != nil {
		return fmt.Errorf("is empty or has a NUL character")
	}
	c.Run = one.Run
	return nil
}

func entryText(at func(*Command) *string) func(*Command, any) error {
	return func(c *Command, value any) error {
		s, ok := value.(string)
		if !ok || strings.TrimSpace(s) == "" || strings.ContainsFunc(s, control) {
			return fmt.Errorf("must be one line of text, not %s", kind(value))
		}
		*at(c) = strings.TrimSpace(s)
		return nil
	}
}

func entryDir(c *Command, value any) error {
	if err := entryText(func(c *Command) *string { return &c.Dir })(c, value); err != nil {
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

func entryTimeout(c *Command, value any) error {
	n, ok := value.(int64)
	if !ok || n < 0 || n > most {
		return fmt.Errorf("must be a whole number from 0 to %d, not %s", most, kind(value))
	}
	secs := int(n)
	c.TimeoutSecs = &secs
	return nil
}

func entryEnv(c *Command, value any) error {
	table, ok := value.(map[string]any)
	if !ok {
		return fmt.Errorf("must be a table of strings, not %s", kind(value))
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		s, ok := table[name].(string)
		switch {
		case !variable.MatchString(name) || strings.HasPrefix(name, "FERRUS_"):
			return fmt.Errorf("must not set %q", name)
		case !ok || strings.ContainsRune(s, 0):
			return fmt.Errorf("must give %s a string, not %s", name, kind(table[name]))
		}
		c.Env = append(c.Env, name+"="+s)
	}
	return nil
}
