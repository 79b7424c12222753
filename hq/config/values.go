package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ferrus/ui/text/lazyregexp"
)

type setter = func(c *Config, name string, value any) error

// agentName matches the names of agents, which become part of agent ids.
var agentName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

func intSetter(least int, at func(*Config) *int) setter {
	return func(c *Config, _ string, value any) error {
		n, ok := value.(int64)
		switch {
		case !ok:
			return fmt.Errorf("must be a whole number, not %s", describe(value))
		case n < int64(least) && least == 0:
			return fmt.Errorf("is %d, but must not be negative", n)
		case n < int64(least):
			return fmt.Errorf("is %d, but must be at least %d", n, least)
		case n > maxNumber:
			return fmt.Errorf("is %d, but must be at most %d", n, maxNumber)
		}
		*at(c) = int(n)
		return nil
	}
}

// floatSetter returns the setter of a number that need not be whole.
func floatSetter(at func(*Config) *float64) setter {
	return func(c *Config, _ string, value any) error {
		f, ok := value.(float64)
		if n, whole := value.(int64); whole {
			f, ok = float64(n), true
		}
		switch {
		case !ok:
			return fmt.Errorf("must be a number, not %s", describe(value))
		case !(f >= 0 && f <= maxNumber): // also NaN
			return fmt.Errorf("is %v, but must be from 0 to %d", f, maxNumber)
		}
		*at(c) = f
		return nil
	}
}

func boolSetter(at func(*Config) *bool) setter {
	return func(c *Config, _ string, value any) error {
		b, ok := value.(bool)
		if !ok {
			return fmt.Errorf("must be true or false, not %s", describe(value))
		}
		*at(c) = b
		return nil
	}
}

func stringSetter(at func(*Config) *string) setter { return textSetter(at, isControl) }

// textSetter returns the setter of a string in which some characters may not be.
func textSetter(at func(*Config) *string, refused func(rune) bool) setter {
	return func(c *Config, _ string, value any) error {
		s, ok := value.(string)
		if !ok {
			return fmt.Errorf("must be a string in quotes, not %s", describe(value))
		}
		if strings.ContainsFunc(s, refused) {
			return fmt.Errorf("must not contain control characters")
		}
		*at(c) = strings.TrimSpace(s)
		return nil
	}
}

// modelSetter returns the setter of a model, which becomes an argument of the agent: it must not be
// one that agents take for an option.
func modelSetter(at func(*Config) *string) setter {
	set := stringSetter(at)
	return func(c *Config, name string, value any) error {
		if err := set(c, name, value); err != nil {
			return err
		}
		if strings.HasPrefix(*at(c), "-") {
			return fmt.Errorf("must not start with a dash: it would be an option of the agent")
		}
		return nil
	}
}

// requiredString returns the setter of a string that must not be empty.
func requiredString(at func(*Config) *string) setter {
	return validated(at, func(s string) error {
		if s == "" {
			return fmt.Errorf("must not be empty")
		}
		return nil
	})
}

// localPath returns the setter of a path inside the project.
func localPath(at func(*Config) *string) setter {
	return validated(at, func(s string) error {
		if s == "" {
			return fmt.Errorf("must not be empty")
		}
		if !filepath.IsLocal(s) {
			return fmt.Errorf("is %q, but must be a path inside the project", s)
		}
		return nil
	})
}

func oneOf(at func(*Config) *string, words ...string) setter {
	return validated(at, func(s string) error {
		if !slices.Contains(words, s) {
			return fmt.Errorf("is %q, but must be one of: %s", s, strings.Join(words, ", "))
		}
		return nil
	})
}

func validated(at func(*Config) *string, check func(string) error) setter {
	return checked(stringSetter(at), at, check)
}

// checked returns a setter that sets a value with another one, and then checks it.
func checked(set setter, at func(*Config) *string, check func(string) error) setter {
	return func(c *Config, name string, value any) error {
		if err := set(c, name, value); err != nil {
			return err
		}
		return check(*at(c))
	}
}

// argument sets an argv that may be missing: an empty list means none.
func argument(at func(*Config) *[]string) setter {
	return func(c *Config, _ string, value any) error {
		list, err := stringList(value)
		if err == nil && len(list) > 0 && strings.TrimSpace(list[0]) == "" {
			err = fmt.Errorf("must start with a program")
		}
		if len(list) > 0 {
			*at(c) = list
		}
		return err
	}
}

// durationSetter sets a time in the notation of Go.
func durationSetter(at func(*Config) *time.Duration) setter {
	return func(c *Config, _ string, value any) error {
		s, ok := value.(string)
		if !ok {
			return fmt.Errorf("must be a time such as \"90s\" or \"10m\", not %s", describe(value))
		}
		d, err := time.ParseDuration(s)
		if err != nil || d < 0 {
			return fmt.Errorf("is %q, but must be a time such as \"90s\" or \"10m\"", s)
		}
		*at(c) = d
		return nil
	}
}

func agentCommand(at func(*Custom) *[]string) setter {
	return func(c *Config, agent string, value any) error {
		list, err := stringList(value)
		switch {
		case err != nil:
			return err
		case len(list) == 0 || strings.TrimSpace(list[0]) == "":
			return fmt.Errorf("must start with a program")
		case !agentName.MatchString(agent):
			return fmt.Errorf("belongs to an agent named %q, but a name has only letters, digits, dots, dashes and "+
				"underscores", agent)
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

func setKeys(c *Config, action string, value any) error {
	list := []string{""}
	if s, ok := value.(string); ok {
		list[0] = s
	} else if all, err := stringList(value); err == nil {
		list = all
	} else {
		return fmt.Errorf("must be a key in quotes, or a list of them, not %s", describe(value))
	}
	noKey := func(s string) bool { return strings.TrimSpace(s) == "" || strings.ContainsFunc(s, isControl) }
	if len(list) == 0 || slices.ContainsFunc(list, noKey) {
		return fmt.Errorf("must name a key: every action needs one")
	}
	if c.Keys == nil {
		c.Keys = map[string][]string{}
	}
	c.Keys[action] = list
	return nil
}

// Themes and Colors are the names that HQ has for its themes and the colors in them.
var (
	Themes = []string{"ferrus", "nord", "gruvbox", "contrast", "terminal"}
	Colors = []string{"accent", "success", "warning", "error", "faint", "border"}
)

var hexColor = lazyregexp.New(`^#[0-9a-fA-F]{6}$`)

// setColor sets one color of HQ.
func setColor(c *Config, name string, value any) error {
	if !slices.Contains(Colors, name) {
		return fmt.Errorf("is not a color of HQ; the colors are %s", strings.Join(Colors, ", "))
	}
	s, isText := value.(string)
	if n, ok := value.(int64); ok {
		s, isText = strconv.FormatInt(n, 10), true
	}
	n, err := strconv.ParseUint(s, 10, 8)
	if !isText || err != nil && !hexColor.MatchString(s) {
		return fmt.Errorf("must be a color such as \"#88c0d0\", or a number from 0 to 255, not %s", describe(value))
	}
	if err == nil {
		s = strconv.FormatUint(n, 10)
	}
	if c.HQ.Colors == nil {
		c.HQ.Colors = map[string]string{}
	}
	c.HQ.Colors[name] = s
	return nil
}

func setIsolation(c *Config, agent string, value any) error {
	var s string
	if err := stringSetter(func(*Config) *string { return &s })(c, agent, value); err != nil {
		return err
	}
	if c.Agents.Isolation == nil {
		c.Agents.Isolation = map[string]string{}
	}
	c.Agents.Isolation[agent] = s
	return nil
}

// MCPOnly gives an agent only ferrus's MCP server.
const MCPOnly = "only"

func setMCP(c *Config, agent string, value any) error {
	var s string
	if err := oneOf(func(*Config) *string { return &s }, "keep", MCPOnly)(c, agent, value); err != nil {
		return err
	}
	if c.MCP == nil {
		c.MCP = map[string]string{}
	}
	c.MCP[agent] = s
	return nil
}

// setWorker sets one key of a worker.
func setWorker(key func(*Worker) func(*Config, string, any) error) func(*Config, string, any) error {
	return func(c *Config, name string, value any) error {
		w, known := c.Worker[name]
		if !known {
			w = Worker{Slots: 4, Patience: 2 * time.Hour}
		}
		if err := key(&w)(c, name, value); err != nil {
			return err
		}
		if c.Worker == nil {
			c.Worker = map[string]Worker{}
		}
		c.Worker[name] = w
		return nil
	}
}

func setSessions(c *Config, agent string, value any) error {
	var n int
	if err := intSetter(0, func(*Config) *int { return &n })(c, agent, value); err != nil {
		return err
	}
	if c.Sessions == nil {
		c.Sessions = map[string]int{}
	}
	c.Sessions[agent] = n
	return nil
}

func stringList(value any) ([]string, error) {
	items, ok := value.([]any)
	if !ok {
		return nil, fmt.Errorf("must be a list of strings, not %s", describe(value))
	}
	list := make([]string, 0, len(items))
	for i, item := range items {
		s, ok := item.(string)
		if !ok {
			return nil, fmt.Errorf("item %d is %s, but must be a string", i+1, describe(item))
		}
		if strings.ContainsRune(s, 0) {
			return nil, fmt.Errorf("item %d has a NUL character", i+1)
		}
		list = append(list, s)
	}
	return list, nil
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// describe names a TOML value for its author.
func describe(value any) string {
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
