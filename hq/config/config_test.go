package config

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"ferrus/checks"
)

var agents = Names{"alpha", "beta", "gamma"}

func parse(t *testing.T, text string) Config {
	t.Helper()
	c, err := Parse([]byte(text), agents)
	if err != nil {
		t.Fatalf("parse: %v", err)
	}
	return c
}

func TestEmptyFileHasEveryDefault(t *testing.T) {
	c, want := parse(t, ""), Default()
	want.HQ.Supervisor.Agent, want.HQ.Executor.Agent = "alpha", "beta"
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got  %+v\nwant %+v", c, want)
	}
}

// TestDefaultsAgree checks that the table's documented defaults are the effective ones.
func TestDefaultsAgree(t *testing.T) {
	var b strings.Builder
	for _, k := range Keys() {
		if k.Default != "" && !strings.Contains(k.Name, "*") {
			b.WriteString(k.Name + " = " + k.Default + "\n")
		}
	}
	c, want := parse(t, b.String()), parse(t, "")
	if !reflect.DeepEqual(c, want) {
		t.Errorf("documented %+v\neffective %+v", c, want)
	}
}

func TestValuesAreTaken(t *testing.T) {
	c := parse(t, `
[checks]
commands = ["go vet ./...", "go test ./..."]
timeout_secs = 0
allow_none = true
protect = false
[limits]
max_check_retries = 1
park_after = 4
[lease]
ttl_secs = 5
[hq]
unattended = true
[hq.supervisor]
agent = "mine"
model = "  m1 "
interactive = true
[hq.executor]
agent = "beta"
permissions = "bypass"
[keys]
leave = "f11"
[agent.mine]
command = ["mine", "{prompt}"]
interactive_command = ["mine", "-i"]
[agent.beta]
mcp = "only"
[agent.alpha]
mcp = "keep"
`)
	if c.MCP["beta"] != MCPOnly || c.MCP["alpha"] != "keep" || len(c.Agent) != 1 {
		t.Errorf("servers: %v, agents: %v; want alpha and beta, and one agent", c.MCP, c.Agent)
	}
	if c.Checks.TimeoutSecs != 0 || !c.Checks.AllowNone || c.Checks.Protect || len(c.Checks.Commands) != 2 {
		t.Errorf("checks: %+v, want 2 commands without a timeout and protection", c.Checks)
	}
	if c.Limits.MaxCheckRetries != 1 || c.Limits.ParkAfter != 4 || c.Limits.MaxReviewCycles != 3 {
		t.Errorf("limits: %+v, want 1 retry, park_after 4 and the default of 3 cycles", c.Limits)
	}
	want := RoleConfig{Agent: "mine", Model: "m1", Interactive: true, Permissions: "auto"}
	if !reflect.DeepEqual(c.HQ.Supervisor, want) ||
		!c.HQ.Executor.Bypass() {
		t.Errorf("hq: %+v, want the given supervisor, and an executor that bypasses", c.HQ)
	}
	if c.Keys["leave"][0] != "f11" || len(c.Agent["mine"].InteractiveCommand) != 2 {
		t.Errorf("keys %v, agents %v; want f11 and 2 words of command", c.Keys, c.Agent)
	}
}

func TestOlderFilesLoad(t *testing.T) {
	c := parse(t, `
[checks]
commands = []
[limits]
[agents]
path = ".skills"
[agents.claude]
mcp_isolation = "merge-user"
[hq]
supervisor = "gamma"
executor = "alpha"
`)
	if c.HQ.Supervisor.Agent != "gamma" || c.HQ.Executor.Agent != "alpha" || c.Agents.Path != ".skills" {
		t.Errorf("got %+v %+v, want supervisor gamma, executor alpha and .skills", c.HQ, c.Agents)
	}
}

func TestFaultsAreNamed(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"[limits]\nmax_chek_retries = 3", "ferrus.toml:2: limits.max_chek_retries is not a key of ferrus.toml; did " +
			"you mean limits.max_check_retries?"},
		{"[limit]\nmax_check_retries = 3", "ferrus.toml:2: limit.max_check_retries is not a key of ferrus.toml; did " +
			"you mean limits.max_check_retries?"},
		{"\n\nttl_secs = 3", "ferrus.toml:3: ttl_secs is not a key of ferrus.toml; did you mean lease.ttl_secs?"},
		{"[limits]\nfoo = 1", "ferrus.toml:2: limits.foo is not a key of ferrus.toml; did you mean limits.park_after?"},
		{"[hq.executer]\nagent = \"beta\"", "ferrus.toml:2: hq.executer.agent is not a key of ferrus.toml; did you " +
			"mean hq.executor.agent?"},
		{"[chekcs]", "ferrus.toml:1: [chekcs] is not a section of ferrus.toml; did you mean [checks]?"},
		{"limits = 3", "ferrus.toml:1: limits is a section, not a value; write [limits] with max_check_retries in it"},
		{"[limits]\nmax_check_retries = -1", "ferrus.toml:2: limits.max_check_retries is -1, but must be at least 1"},
		{"[limits]\nmax_review_cycles = 0", "ferrus.toml:2: limits.max_review_cycles is 0, but must be at least 1"},
		{"[limits]\nmax_feedback_lines = -1",
			"ferrus.toml:2: limits.max_feedback_lines is -1, but must not be negative"},
		{"[lease]\nttl_secs = 1.5", "ferrus.toml:2: lease.ttl_secs must be a whole number, not the number 1.5"},
		{"[lease]\nttl_secs = 9000000000",
			"ferrus.toml:2: lease.ttl_secs is 9000000000, but must be at most 1000000000"},
		{"[lease]\nttl_secs = \"90\"", `ferrus.toml:2: lease.ttl_secs must be a whole number, not the string "90"`},
		{"[checks]\nallow_none = 1", "ferrus.toml:2: checks.allow_none must be true or false, not the number 1"},
		{"[checks]\ncommands = \"go test\"",
			`ferrus.toml:2: checks.commands must be a list of strings or tables, not the string "go test"`},
		{"[checks]\ncommands = [\"a\", 3]",
			"ferrus.toml:2: checks.commands item 2 is the number 3, but must be a string or a table"},
		{"[checks]\ncommands = [\"a\", \" \"]", "ferrus.toml:2: checks.commands item 2 is empty"},
		{"[checks]\ncommands = [\"a\", { run = \"b\", dri = \"x\" }]",
			`ferrus.toml:2: checks.commands item 2 has an unknown key "dri" ` +
				`(known: name, run, timeout_secs, dir, env)`},
		{"[checks]\ncommands = [{ name = \"b\" }]", "ferrus.toml:2: checks.commands item 1 is a table without run"},
		{"[checks]\ncommands = [{ run = \" \" }]",
			"ferrus.toml:2: checks.commands item 1 has an invalid run: it is empty"},
		{"[checks]\ncommands = [{ run = \"b\", dir = \"../x\" }]",
			`ferrus.toml:2: checks.commands item 1 has an invalid dir: ` +
				`it must be a path inside the project, not "../x"`},
		{"[checks]\ncommands = [{ run = \"b\", timeout_secs = -1 }]",
			"ferrus.toml:2: checks.commands item 1 has an invalid timeout_secs: " +
				"it must be a whole number from 0 to 1000000000, not the number -1"},
		{"[checks]\ncommands = [{ run = \"b\", env = { FERRUS_GATE = \"x\" } }]",
			`ferrus.toml:2: checks.commands item 1 has an invalid env: it must not set "FERRUS_GATE"`},
		{"[checks]\ncommands = [{ run = \"b\", env = { A = 1 } }]",
			"ferrus.toml:2: checks.commands item 1 has an invalid env: " +
				"it must give A a string, not the number 1"},
		{"[spec]\ndirectory = \" \"", "ferrus.toml:2: spec.directory must not be empty"},
		{"[spec]\ndirectory = \"../x\"",
			`ferrus.toml:2: spec.directory is "../x", but must be a path inside the project`},
		{"[hq.executor]\npermissions = \"yes\"",
			`ferrus.toml:2: hq.executor.permissions is "yes", but must be one of: auto, ask, bypass`},
		{"[hq]\nexecutor = \"gama\"",
			`ferrus.toml:2: hq.executor.agent is "gama", which is not an agent; did you mean gamma? ` +
				`the agents are alpha, beta, gamma; a table [agent.gama] with a command adds one`},
		{"[hq.executor]\nfallback = [\"beta\", \"gama\"]",
			`ferrus.toml:2: hq.executor.fallback is "gama", which is not an agent; did you mean gamma? ` +
				`the agents are alpha, beta, gamma; a table [agent.gama] with a command adds one`},
		{"[agent.mine]\ninteractive_command = [\"x\"]",
			`ferrus.toml:1: agent.mine has no command; add command = ["program", "{prompt}"], or acp = ["program", "--acp"]`},
		{"[agent.other]\nmcp = \"only\"", "ferrus.toml:1: agent.other.mcp: only built-in agents have it; " +
			"pass {mcp_config} to your own agent in its command, or leave it out"},
		{"[agent.beta]\nmcp = \"none\"",
			`ferrus.toml:2: agent.beta.mcp is "none", but must be one of: keep, only`},
		{"[agent.beta]\ncommand = [\"x\"]", "ferrus.toml:1: agent.beta: this name belongs to a built-in agent; " +
			"choose another name"},
		{"[agent.\"a:b\"]\ncommand = [\"x\"]",
			`ferrus.toml:2: agent.a:b.command belongs to an agent named "a:b", ` +
				`but a name has only letters, digits, dots, dashes and underscores`},
		{"[agent.mine]\ncommand = []", "ferrus.toml:2: agent.mine.command must start with a program"},
		{"[limits.max_check_retries]\nx = 1", "ferrus.toml:2: limits.max_check_retries.x is not a key of " +
			"ferrus.toml; did you mean limits.max_check_retries?"},
		{"[limits.max_check_retries]", "ferrus.toml:1: limits.max_check_retries must be a whole number, not a table"},
		{"[[limits]]\nmax_check_retries = 1", "ferrus.toml:1: limits is a section, not a value; write [limits] with " +
			"max_check_retries in it"},
		{"limits = { max_chek_retries = 1 }", "ferrus.toml:1: limits.max_chek_retries is not a key of ferrus.toml; " +
			"did you mean limits.max_check_retries?"},
		{"[limits]\npark_after = 1\npark_after = 2", "ferrus.toml:3: is not TOML: "},
		{"[limits\npark_after = 1", "ferrus.toml:1: is not TOML: "},
		{"\ufeff[limits]", "ferrus.toml: is not plain UTF-8; save it as UTF-8 without a byte order mark"},
		{"\xff\xfe[\x00", "ferrus.toml: is not plain UTF-8; save it as UTF-8 without a byte order mark"},
	} {
		_, err := Parse([]byte(test.text), agents)
		if err == nil {
			t.Errorf("%q was accepted", test.text)
			continue
		}
		if got := err.Error(); got != test.want && !(strings.HasSuffix(test.want, "TOML: ") &&
			strings.HasPrefix(got, test.want)) {
			t.Errorf("%q\n got %s\nwant %s", test.text, got, test.want)
		}
	}
}

// actions is a small stand-in for the screen's actions.
var actions = Actions{
	{Name: "zoom", Places: 1, Keys: []string{"f2"}, Read: read1},
	{Name: "leader", Places: 1, Keys: []string{"ctrl+o"}, Read: read1},
	{Name: "focus", Places: 1, Keys: []string{"alt+1"}, Fixed: true, Read: read1},
	{Name: "leave", Places: 2, Keys: []string{"ctrl+]"}, Read: read1},
}

func read1(written string) (string, error) {
	if len(written) == 1 {
		return "", errors.New("it is typed")
	}
	return strings.ToLower(written), nil
}

func TestKeysAreBound(t *testing.T) {
	c, err := Parse([]byte("[keys]\nzoom = [\"Ctrl+O\", \"f9\"]\nleader = \"F2\"\nleave = \"f2\""), agents, actions...)
	if err != nil || len(c.Keys["zoom"]) != 2 || c.Keys["zoom"][0] != "ctrl+o" || c.Keys["leader"][0] != "f2" ||
		c.Keys["leave"][0] != "f2" {
		t.Errorf("keys %v, %v; want the given ones", c.Keys, err)
	}
	for text, want := range map[string]string{
		"zom = \"f5\"": "ferrus.toml:3: keys.zom is not an action; did you mean keys.zoom? " +
			"ferrus help keys lists the actions",
		"focus = \"f5\"": "ferrus.toml:3: keys.focus: focus cannot be rebound; " +
			"ferrus help keys lists the actions",
		"zoom = \"x\"": `ferrus.toml:3: keys.zoom cannot be "x": it is typed`,
		"zoom = \"ctrl+o\"": `ferrus.toml:3: keys.zoom is "ctrl+o", which is already the key of leader; ` +
			`choose another key, or also rebind keys.leader`,
		"zoom = \"Alt+1\"": `ferrus.toml:3: keys.zoom is "alt+1", which is already the key of focus; ` +
			`choose another key`,
		"leave = \"f2\"\nzoom = [\"f5\",\"f5\"]": `ferrus.toml:4: keys.zoom contains "f5" twice`,
		"zoom = 3": "ferrus.toml:3: keys.zoom must be a key in quotes, or a list of " +
			"them, not the number 3",
		"leave = []":    "ferrus.toml:3: keys.leave must name a key: every action needs one",
		"leave = \" \"": "ferrus.toml:3: keys.leave must name a key: every action needs one",
	} {
		if _, err := Parse([]byte("\n[keys]\n"+text), agents, actions...); err == nil || err.Error() != want {
			t.Errorf("%s\n got %v\nwant %s", text, err, want)
		}
	}
}

func TestNoFile(t *testing.T) {
	if _, err := Load(t.TempDir(), agents); !errors.Is(err, ErrNone) {
		t.Errorf("got %v, want ErrNone", err)
	}
}

func TestCacheKeepsTheLastGoodOne(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, File)
	put := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := NewCache(dir, agents)
	if got, err := c.Get(); !errors.Is(err, ErrNone) || got.Lease.TTLSecs != 90 {
		t.Errorf("without a file: %+v, %v; want the defaults and ErrNone", got.Lease, err)
	}
	put("[lease]\nttl_secs = 7")
	if got, err := c.Get(); err != nil || got.Lease.TTLSecs != 7 {
		t.Errorf("first: %+v, %v; want 7 seconds", got.Lease, err)
	}
	put("[lease]\nttl_sec = 8")
	for range 2 {
		if got, err := c.Get(); err == nil || got.Lease.TTLSecs != 7 {
			t.Errorf("broken: %+v, %v; want an error and the last 7 seconds", got.Lease, err)
		}
	}
	put("[lease]\nttl_secs = 8")
	if got, err := c.Get(); err != nil || got.Lease.TTLSecs != 8 {
		t.Errorf("fixed: %+v, %v; want 8 seconds", got.Lease, err)
	}
}

// A heartbeat interval above the lease's TTL is refused on its own line; the default interval
// follows a shorter TTL.
func TestHeartbeatFitsTheLease(t *testing.T) {
	_, err := Parse([]byte("[lease]\nttl_secs = 20\nheartbeat_interval_secs = 30\n"), agents)
	var e *Error
	if !errors.As(err, &e) || e.Line != 3 || !strings.Contains(err.Error(), "ttl_secs = 20") {
		t.Errorf("got %v, want an error on line 3 that names ttl_secs", err)
	}
	if c := parse(t, "[lease]\nttl_secs = 20\n"); c.Lease.HeartbeatIntervalSecs != 6 {
		t.Errorf("the lease is %+v, want an interval of 6 seconds", c.Lease)
	}
}

func FuzzLoad(f *testing.F) {
	for _, seed := range []string{"", "[hq]\nsupervisor=\"x\"", "[[a]]\nb={c=[1,{d=2}]}", "a.b.\"c\nd\"=1", "limits={}",
		"[agent.x]\ncommand=['a']", Template(Proposal{Agents: agents, Skills: ".agents",
			Checks: []string{"go test ./..."}, Setup: []string{"npm ci"}, Worktree: true})} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse(data, agents)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.What == "" || e.Line < 0 {
				t.Errorf("an error without a message: %#v", err)
			}
			return
		}
		if c.HQ.Executor.Agent == "" || c.Limits.MaxCheckRetries < 1 || c.Lease.TTL() <= 0 {
			t.Errorf("an invalid configuration was accepted: %+v", c)
		}
	})
}

func TestCommandsAreStringsOrTables(t *testing.T) {
	ten := 10
	want := []checks.Command{{Run: "go vet ./..."}, {Name: "ui", Run: "npm test", Dir: "web", TimeoutSecs: &ten,
		Env: []string{"CI=1", "TZ=UTC"}}}
	c := parse(t, `[checks]
commands = [
  "go vet ./...",
  { name = "ui", run = "npm test", dir = "./web", timeout_secs = 10, env = { TZ = "UTC", CI = "1" } },
]`)
	if !reflect.DeepEqual(c.Checks.Commands, want) {
		t.Errorf("got %+v, want %+v", c.Checks.Commands, want)
	}
	c = parse(t, "[[checks.commands]]\nrun = \"true\"\n[[checks.commands]]\nname = \"b\"\nrun = "+
		"\"false\"\n[checks.commands.env]\nA = \"b\"\n")
	if len(c.Checks.Commands) != 2 || c.Checks.Commands[1].Name != "b" || c.Checks.Commands[1].Env[0] != "A=b" {
		t.Errorf("commands as tables: %+v, want b as the second", c.Checks.Commands)
	}
}

// A named pipe in place of the file is refused, because reading it would block forever.
func TestAPipeIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, File), 0o600); err != nil {
		t.Skipf("cannot make a named pipe: %v", err)
	}
	loaded := make(chan error, 1)
	go func() {
		_, err := Load(dir, nil)
		loaded <- err
	}()
	select {
	case err := <-loaded:
		if wrong := (*Error)(nil); !errors.As(err, &wrong) || wrong.What != "is not a regular file" {
			t.Errorf("got %v, want that it is not a regular file", err)
		}
	case <-time.After(30 * time.Second):
		t.Error("Load blocks on the pipe")
	}
}
