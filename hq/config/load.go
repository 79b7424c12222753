package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"ferrus/agent/suggest"
)

// Error is a configuration that cannot be used.
type Error struct {
	File string // ferrus.toml
	Line int    // from 1; 0 when the whole file is meant
	What string // limits.max_check_retrys is not a key
	Fix  string // did you mean limits.max_check_retries?
}

func (e *Error) Error() string {
	where := e.File
	if e.Line > 0 {
		where = fmt.Sprintf("%s:%d", e.File, e.Line)
	}
	s := where + ": " + e.What
	if e.Fix != "" {
		s += "; " + e.Fix
	}
	return s
}

// ErrNone is returned for a directory without a ferrus.toml.
var ErrNone = errors.New("there is no " + File + " here; run: ferrus init")

// Load reads ferrus.toml of a project. Names are the agents that are built in,
// actions what keys do.
func Load(dir string, names []string, actions ...Action) (Config, error) {
	data, err := read(dir)
	if err != nil {
		return Config{}, err
	}
	return Parse(data, names, actions...)
}

func read(dir string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(dir, File))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNone
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", File, err)
	}
	return data, nil
}

// Parse is [Load] for bytes that were already read.
func Parse(data []byte, names []string, actions ...Action) (Config, error) {
	c, n := Default(), Names(names)
	c.HQ.Supervisor.Agent, c.HQ.Executor.Agent = n.Supervisor(), n.Executor()
	tree := map[string]any{}
	if err := toml.Unmarshal(data, &tree); err != nil {
		return Config{}, syntax(err)
	}
	doc := &document{data: data, lines: lines(data)}
	for _, l := range doc.leaves(tree) {
		if err := c.set(l); err != nil {
			return Config{}, doc.fail(l.path, err)
		}
	}
	if path, err := c.players(n); err != nil {
		return Config{}, doc.fail(path, err)
	}
	if err := c.Pair.Check(); err != nil {
		return Config{}, doc.fail([]string{"pair"}, &misfit{what: "pair: " + err.Error()})
	}
	if path, err := c.bind(actions); err != nil {
		return Config{}, doc.fail(path, err)
	}
	return c, nil
}

// syntax words an error of the TOML parser.
func syntax(err error) error {
	var d *toml.DecodeError
	if !errors.As(err, &d) {
		return &Error{File: File, What: "is not TOML: " + strings.TrimPrefix(err.Error(), "toml: ")}
	}
	row, _ := d.Position()
	return &Error{File: File, Line: row, What: "is not TOML: " + strings.TrimPrefix(d.Error(), "toml: ")}
}

// misfit is a value in the wrong place, or a wrong value, without its line.
type misfit struct{ what, fix string }

func (m *misfit) Error() string { return m.what }

// set puts one value where the schema says.
func (c *Config) set(l leaf) error {
	path := l.path
	if len(path) == 2 && path[0] == "hq" && isText(l.value) && (path[1] == "supervisor" || path[1] == "executor") {
		path = append(slices.Clone(path), "agent") // the flat form of an older program
	}
	for _, k := range schema {
		if name, ok := match(k.Name, path); ok {
			if err := k.put(c, name, l.value); err != nil {
				return &misfit{what: strings.Join(path, ".") + " " + err.Error()}
			}
			return nil
		}
	}
	return unknown(path, l.value)
}

func isText(value any) bool { _, ok := value.(string); return ok }

// match compares a path with a key of the schema and returns what stood for *.
func match(key string, path []string) (name string, ok bool) {
	words := strings.Split(key, ".")
	if len(words) != len(path) {
		return "", false
	}
	for i, w := range words {
		if w == "*" {
			name = path[i]
		} else if w != path[i] {
			return "", false
		}
	}
	return name, true
}

// unknown says of a path that no key has it, and what is nearest.
func unknown(path []string, value any) error {
	dotted := strings.Join(path, ".")
	_, table := value.(map[string]any)
	below, section := sectionOf(path)
	switch {
	case section && table:
		return nil // an empty section
	case section:
		return &misfit{what: fmt.Sprintf("%s is a section, not a value", dotted), fix: fmt.Sprintf("write [%s] and below it %s", dotted, below)}
	case table:
		return &misfit{what: fmt.Sprintf("[%s] is not a section of %s", dotted, File), fix: fmt.Sprintf("did you mean [%s]?", nearest(path, sections()))}
	}
	return &misfit{what: fmt.Sprintf("%s is not a key of %s", dotted, File), fix: fmt.Sprintf("did you mean %s?", nearest(path, names()))}
}

// sectionOf returns the first key below a path, if there is one.
func sectionOf(path []string) (below string, ok bool) {
	for _, k := range schema {
		words := strings.Split(k.Name, ".")
		if len(words) <= len(path) {
			continue
		}
		if _, ok := match(strings.Join(words[:len(path)], "."), path); ok {
			return strings.Join(words[len(path):], "."), true
		}
	}
	return "", false
}

// players checks that somebody of that name can play each role.
func (c *Config) players(names Names) (path []string, err error) {
	for _, agent := range slices.Sorted(maps.Keys(c.Agent)) {
		if slices.Contains(names, agent) {
			return []string{"agent", agent}, &misfit{what: fmt.Sprintf("agent.%s: an agent of that name is built in", agent), fix: "choose another name"}
		}
		if c.Agent[agent].Command == nil {
			return []string{"agent", agent}, &misfit{what: fmt.Sprintf("agent.%s has no command", agent), fix: `add command = ["program", "{prompt}"]`}
		}
	}
	if err := c.known("supervisor", c.HQ.Supervisor.Agent, names); err != nil {
		return []string{"hq", "supervisor", "agent"}, err
	}
	return []string{"hq", "executor", "agent"}, c.known("executor", c.HQ.Executor.Agent, names)
}

func (c *Config) known(role, agent string, names Names) error {
	if _, custom := c.Agent[agent]; custom || len(names) == 0 || slices.Contains(names, agent) {
		return nil
	}
	all := append(slices.Clone(names), slices.Sorted(maps.Keys(c.Agent))...)
	best := suggest.Least(agent, all)
	return &misfit{
		what: fmt.Sprintf("hq.%s.agent is %q, and there is no such agent", role, agent),
		fix:  fmt.Sprintf("did you mean %s? known are %s; a table [agent.%s] with its command adds one", best, strings.Join(all, ", "), agent),
	}
}
