package config

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

type put = func(c *Config, name string, value any) error

// agentName is what an agent may be called: it becomes part of agent ids.
var agentName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

func number(least int, at func(*Config) *int) put {
	return func(c *Config, _ string, value any) error {
		n, ok := value.(int64)
		switch {
		case !ok:
			return fmt.Errorf("must be a whole number, not %s", kind(value))
		case n < int64(least) && least == 0:
			return fmt.Errorf("is %d, and must not be negative", n)
		case n < int64(least):
			return fmt.Errorf("is %d, and must be at least %d", n, least)
		case n > most:
			return fmt.Errorf("is %d, and must be at most %d", n, most)
		}
		*at(c) = int(n)
		return nil
	}
}

// sum is a number that need not be whole.
func sum(at func(*Config) *float64) put {
	return func(c *Config, _ string, value any) error {
		f, ok := value.(float64)
		if n, whole := value.(int64); whole {
			f, ok = float64(n), true
		}
		switch {
		case !ok:
			return fmt.Errorf("must be a number, not %s", kind(value))
		case !(f >= 0 && f <= most): // also what is no number
			return fmt.Errorf("is %v, and must be from 0 to %d", f, most)
		}
		*at(c) = f
		return nil
	}
}

func flag(at func(*Config) *bool) put {
	return func(c *Config, _ string, value any) error {
		b, ok := value.(bool)
		if !ok {
			return fmt.Errorf("must be true or false, not %s", kind(value))
		}
		*at(c) = b
		return nil
	}
}

func text(at func(*Config) *string) put {
	return func(c *Config, _ string, value any) error {
		s, ok := value.(string)
		if !ok {
			return fmt.Errorf("must be a string in quotes, not %s", kind(value))
		}
		if strings.ContainsFunc(s, control) {
			return fmt.Errorf("must not contain control characters")
		}
		*at(c) = strings.TrimSpace(s)
		return nil
	}
}

// word is a text that says something.
func word(at func(*Config) *string) put {
	return checked(at, func(s string) error {
		if s == "" {
			return fmt.Errorf("must not be empty")
		}
		return nil
	})
}

// folder is a directory below the project.
func folder(at func(*Config) *string) put {
	return checked(at, func(s string) error {
		if s == "" {
			return fmt.Errorf("must not be empty")
		}
		if !filepath.IsLocal(s) {
			return fmt.Errorf("is %q, and must be a path inside the project", s)
		}
		return nil
	})
}

func choice(at func(*Config) *string, words ...string) put {
	return checked(at, func(s string) error {
		if !slices.Contains(words, s) {
			return fmt.Errorf("is %q, and must be one of: %s", s, strings.Join(words, ", "))
		}
		return nil
	})
}

func checked(at func(*Config) *string, check func(string) error) put {
	set := text(at)
	return func(c *Config, name string, value any) error {
		if err := set(c, name, value); err != nil {
			return err
		}
		return check(*at(c))
	}
}

// publish takes the argv of a publication.
func publish(c *Config, _ string, value any) error {
	list, err := texts(value)
	if err == nil && len(list) > 0 && strings.TrimSpace(list[0]) == "" {
		err = fmt.Errorf("must name a program first")
	}
	if len(list) > 0 {
		c.Workflow.Publish = list
	}
	return err
}

func argv(at func(*Custom) *[]string) put {
	return func(c *Config, agent string, value any) error {
		list, err := texts(value)
		switch {
		case err != nil:
			return err
		case len(list) == 0 || strings.TrimSpace(list[0]) == "":
			return fmt.Errorf("must name a program first")
		case !agentName.MatchString(agent):
			return fmt.Errorf("belongs to an agent called %q; a name is letters, digits, dots, dashes and underscores", agent)
		}
		if c.Agent == nil {
			c.Agent = map[string]Custom{}
		}
		custom := c.Agent[agent]
		*at(&custom) = list
		c.Agent[agent] = custom
		return nil
	}
}

func binding(c *Config, action string, value any) error {
	list := []string{""}
	if s, ok := value.(string); ok {
		list[0] = s
	} else if all, err := texts(value); err == nil {
		list = all
	} else {
		return fmt.Errorf("must be a key in quotes, or a list of them, not %s", kind(value))
	}
	if len(list) == 0 || slices.ContainsFunc(list, func(s string) bool { return strings.TrimSpace(s) == "" || strings.ContainsFunc(s, control) }) {
		return fmt.Errorf("must name a key: an action is never without one")
	}
	if c.Keys == nil {
		c.Keys = map[string][]string{}
	}
	c.Keys[action] = list
	return nil
}

func isolation(c *Config, agent string, value any) error {
	var s string
	if err := text(func(*Config) *string { return &s })(c, agent, value); err != nil {
		return err
	}
	if c.Agents.Isolation == nil {
		c.Agents.Isolation = map[string]string{}
	}
	c.Agents.Isolation[agent] = s
	return nil
}

func texts(value any) ([]string, error) {
	items, ok := value.([]any)
	if !ok {
		return nil, fmt.Errorf("must be a list of strings, not %s", kind(value))
	}
	list := make([]string, 0, len(items))
	for i, item := range items {
		s, ok := item.(string)
		if !ok {
			return nil, fmt.Errorf("must be a list of strings, and place %d is %s", i+1, kind(item))
		}
		if strings.ContainsRune(s, 0) {
			return nil, fmt.Errorf("has a NUL character at place %d", i+1)
		}
		list = append(list, s)
	}
	return list, nil
}

func control(r rune) bool { return r < ' ' || r == 0x7f }

// kind names a TOML value as its author would.
func kind(value any) string {
	switch v := value.(type) {
	case string:
		return fmt.Sprintf("the string %.40q", v)
	case int64:
		return fmt.Sprintf("the number %d", v)
	case float64:
		return fmt.Sprintf("the number %v", v)
	case bool:
		return fmt.Sprint(v)
	case []any:
		return "a list"
	case map[string]any:
		return "a table"
	}
	return "a date"
}
