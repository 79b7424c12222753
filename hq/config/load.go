package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"

	"ferrus/agent/suggest"
	"ferrus/ui/text/lazyregexp"
)

// Error reports an invalid ferrus.toml.
type Error struct {
	File string // ferrus.toml
	Line int    // from 1; 0 for the whole file
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

// Load reads ferrus.toml of a project. Names are the built-in agents, actions those of
// HQ's keys.
func Load(dir string, names []string, actions ...Action) (Config, error) {
	data, err := read(dir)
	if err != nil {
		return Config{}, err
	}
	return Parse(data, names, actions...)
}

func read(dir string) ([]byte, error) {
	data, err := readFile(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNone
	}
	if large := (*Error)(nil); errors.As(err, &large) {
		return nil, large
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", File, err)
	}
	return data, nil
}

const byteOrderMark = "\ufeff"

// Parse is like [Load] for bytes that were already read.
func Parse(data []byte, names []string, actions ...Action) (Config, error) {
	c, n := Default(), Names(names)
	c.HQ.Supervisor.Agent, c.HQ.Executor.Agent = n.Supervisor(), n.Executor()
	tree := map[string]any{}
	if !utf8.Valid(data) || bytes.HasPrefix(data, []byte(byteOrderMark)) {
		return Config{}, &Error{File: File, What: "is not plain UTF-8",
			Fix: "save it as UTF-8 without a byte order mark"}
	}
	if err := toml.Unmarshal(data, &tree); err != nil {
		return Config{}, syntaxError(err)
	}
	if err := checkNames(data, tree, 0); err != nil {
		return Config{}, err
	}
	doc := &document{data: data, lines: keyLines(data)}
	for _, l := range doc.settings(tree) {
		if err := c.set(l); err != nil {
			return Config{}, doc.fail(l.path, err)
		}
	}
	if path, err := c.checkAgents(n); err != nil {
		return Config{}, doc.fail(path, err)
	}
	if path, err := c.checkWorkers(); err != nil {
		return Config{}, doc.fail(path, err)
	}
	if err := c.checkHeartbeat(doc.settings(tree)); err != nil {
		return Config{}, doc.fail([]string{"lease", "heartbeat_interval_secs"}, err)
	}
	if err := c.Pair.Check(); err != nil {
		return Config{}, doc.fail([]string{"pair"}, &valueError{what: "pair: " + err.Error()})
	}
	if path, err := c.bind(actions); err != nil {
		return Config{}, doc.fail(path, err)
	}
	return c, nil
}

// checkHeartbeat refuses an interval at which a lease would expire between two heartbeats.
// One that is not set follows a shorter lease.
func (c *Config) checkHeartbeat(settings []setting) error {
	set := slices.ContainsFunc(settings, func(l setting) bool {
		return strings.Join(l.path, ".") == "lease.heartbeat_interval_secs"
	})
	switch l := &c.Lease; {
	case l.HeartbeatIntervalSecs <= l.TTLSecs:
	case set:
		return &valueError{
			what: fmt.Sprintf("lease.heartbeat_interval_secs is %d, but the lease expires after ttl_secs = %d",
				l.HeartbeatIntervalSecs, l.TTLSecs),
			fix: fmt.Sprintf("set it to at most a third of it: %d", max(l.TTLSecs/3, 1)),
		}
	default:
		l.HeartbeatIntervalSecs = max(l.TTLSecs/3, 1)
	}
	return nil
}

// syntaxError describes an error of the TOML parser.
func syntaxError(err error) error {
	var d *toml.DecodeError
	if !errors.As(err, &d) {
		return &Error{File: File, What: "is not TOML: " + strings.TrimPrefix(err.Error(), "toml: ")}
	}
	row, _ := d.Position()
	return &Error{File: File, Line: row, What: "is not TOML: " + strings.TrimPrefix(d.Error(), "toml: ")}
}

// valueError reports an unknown key or an invalid value; the line is added by
// [document.fail].
type valueError struct{ what, fix string }

func (m *valueError) Error() string { return m.what }

// set sets one value, as the schema says.
func (c *Config) set(l setting) error {
	path := l.path
	if len(path) == 2 && path[0] == "hq" && isString(l.value) && (path[1] == "supervisor" || path[1] == "executor") {
		path = append(slices.Clone(path), "agent") // the flat form of older versions
	}
	for _, k := range schema {
		if name, ok := matchKey(k.Name, path); ok {
			if err := k.set(c, name, l.value); err != nil {
				return &valueError{what: strings.Join(path, ".") + " " + err.Error()}
			}
			return nil
		}
	}
	return unknownKey(path, l.value)
}

func isString(value any) bool { _, ok := value.(string); return ok }

// matchKey compares a path with a key of the schema and returns what stood for *.
func matchKey(key string, path []string) (name string, ok bool) {
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

// unknownKey reports a path that no key has, with the closest key.
func unknownKey(path []string, value any) error {
	dotted := strings.Join(path, ".")
	_, table := value.(map[string]any)
	below, section := firstBelow(path)
	switch {
	case section && table:
		return nil // an empty section
	case section:
		return &valueError{what: fmt.Sprintf("%s is a section, not a value", dotted),
			fix: fmt.Sprintf("write [%s] with %s in it", dotted, below)}
	case table:
		return &valueError{what: fmt.Sprintf("[%s] is not a section of %s", dotted, File),
			fix: fmt.Sprintf("did you mean [%s]?", closestKey(path, sectionNames()))}
	}
	return &valueError{what: fmt.Sprintf("%s is not a key of %s", dotted, File),
		fix: fmt.Sprintf("did you mean %s?", closestKey(path, keyNames()))}
}

// firstBelow returns the first key below a path, if there is one.
func firstBelow(path []string) (below string, ok bool) {
	for _, k := range schema {
		words := strings.Split(k.Name, ".")
		if len(words) <= len(path) {
			continue
		}
		if _, ok := matchKey(strings.Join(words[:len(path)], "."), path); ok {
			return strings.Join(words[len(path):], "."), true
		}
	}
	return "", false
}

// workerNames match the valid names of workers: they are shown, and parts of file names.
var workerNames = lazyregexp.New(`^[a-z0-9][a-z0-9-]{0,31}$`)

// IsWorkerName reports whether a worker can have the name.
func IsWorkerName(s string) bool { return workerNames.MatchString(s) }

// checkWorkers checks that each worker can be reached.
func (c *Config) checkWorkers() (path []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(c.Worker)) {
		w, path := c.Worker[name], []string{"worker", name}
		switch {
		case !workerNames.MatchString(name):
			return path, &valueError{what: fmt.Sprintf("worker.%s: the name is not valid", name),
				fix: "use lowercase letters, digits and dashes, at most 32"}
		case w.SSH == "":
			return path, &valueError{what: fmt.Sprintf("worker.%s has no ssh", name), fix: `add ssh = "me@big"`}
		case strings.HasPrefix(w.SSH, "-") || strings.ContainsAny(w.SSH, " \t\n"):
			return append(path, "ssh"), &valueError{
				what: fmt.Sprintf("worker.%s.ssh is %q, which is not the name of a machine", name, w.SSH),
				fix:  "put options in ~/.ssh/config"}
		}
	}
	if c.Workers.NATS == "" && (c.Workers.Creds != "" || c.Workers.CA != "") {
		return []string{"workers"}, &valueError{what: "workers has a login, but no server",
			fix: `add nats = "tls://nats.example.com:4222"`}
	}
	if c.Workers.NATS == "" && len(c.Workers.Join) > 0 {
		return []string{"workers", "join"}, &valueError{what: "workers.join has names, but there is no server",
			fix: `add nats = "tls://nats.example.com:4222"`}
	}
	return nil, nil
}

// checkAgents checks that the agents of the roles exist.
func (c *Config) checkAgents(names Names) (path []string, err error) {
	for _, agent := range slices.Sorted(maps.Keys(c.MCP)) {
		if len(names) > 0 && !slices.Contains(names, agent) {
			what := fmt.Sprintf("agent.%s.mcp: only built-in agents have it", agent)
			return []string{"agent", agent}, &valueError{what: what,
				fix: "pass {mcp_config} to your own agent in its command, or leave it out"}
		}
	}
	for _, agent := range slices.Sorted(maps.Keys(c.Sessions)) {
		if _, custom := c.Agent[agent]; !custom && len(names) > 0 && !slices.Contains(names, agent) {
			what := fmt.Sprintf("agent.%s.max_sessions: %s is not an agent", agent, agent)
			return []string{"agent", agent}, &valueError{what: what,
				fix: fmt.Sprintf("did you mean %s?", suggest.Least(agent, names))}
		}
	}
	for _, agent := range slices.Sorted(maps.Keys(c.Agent)) {
		if slices.Contains(names, agent) {
			what := fmt.Sprintf("agent.%s: this name belongs to a built-in agent", agent)
			return []string{"agent", agent}, &valueError{what: what, fix: "choose another name"}
		}
		switch own := c.Agent[agent]; {
		case own.Command == nil && own.ACP == nil:
			return []string{"agent", agent}, &valueError{what: fmt.Sprintf("agent.%s has no command", agent),
				fix: `add command = ["program", "{prompt}"], or acp = ["program", "--acp"]`}
		case own.Command != nil && own.ACP != nil:
			what := fmt.Sprintf("agent.%s has command and acp", agent)
			return []string{"agent", agent, "acp"}, &valueError{what: what,
				fix: "keep one of them: both define how a session without a screen runs"}
		}
	}
	for _, r := range []struct {
		role   string
		config RoleConfig
	}{{"supervisor", c.HQ.Supervisor}, {"executor", c.HQ.Executor}} {
		if err := c.checkAgent(r.role+".agent", r.config.Agent, names); err != nil {
			return []string{"hq", r.role, "agent"}, err
		}
		for _, name := range r.config.Fallback {
			if err := c.checkAgent(r.role+".fallback", name, names); err != nil {
				return []string{"hq", r.role, "fallback"}, err
			}
		}
	}
	return nil, nil
}

// checkAgent checks the name of an agent that a key of [hq] has.
func (c *Config) checkAgent(key, agent string, names Names) error {
	if _, custom := c.Agent[agent]; custom || len(names) == 0 || slices.Contains(names, agent) {
		return nil
	}
	all := append(slices.Clone(names), slices.Sorted(maps.Keys(c.Agent))...)
	best := suggest.Least(agent, all)
	return &valueError{
		what: fmt.Sprintf("hq.%s is %q, which is not an agent", key, agent),
		fix: fmt.Sprintf("did you mean %s? the agents are %s; a table [agent.%s] with a command adds one", best,
			strings.Join(all, ", "), agent),
	}
}
