package config

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestSetModelKeepsTheRest(t *testing.T) {
	for _, test := range []struct{ name, before, after string }{
		{
			"value",
			"# top\n[hq.executor] # who\nagent = \"beta\"\nmodel = \"old\" # why\n\n[lease]\nttl_secs = 5 # keep\n",
			"# top\n[hq.executor] # who\nagent = \"beta\"\nmodel = \"m\" # why\n\n[lease]\nttl_secs = 5 # keep\n",
		},
		{"after the agent", "[hq.executor]\nagent = \"beta\" # who\n[lease]\n",
			"[hq.executor]\nagent = \"beta\" # who\nmodel = \"m\"\n[lease]\n"},
		{"after the header", "[hq.executor]\r\n[lease]\r\n", "[hq.executor]\r\nmodel = \"m\"\r\n[lease]\r\n"},
		{"new table", "[lease]\nttl_secs = 5", "[lease]\nttl_secs = 5\n\n[hq.executor]\nmodel = \"m\"\n"},
		{"empty file", "", "[hq.executor]\nmodel = \"m\"\n"},
		{"flat", "[hq]\nexecutor = 'beta' # who\n", "[hq]\nexecutor = { agent = 'beta', model = \"m\" } # who\n"},
		{"inline", "[hq]\nexecutor = { agent = 'beta' }\n", "[hq]\nexecutor = { agent = 'beta', model = \"m\" }\n"},
		{"inline value", "[hq]\nexecutor = { model = 'a', agent = 'beta' }\n",
			"[hq]\nexecutor = { model = \"m\", agent = 'beta' }\n"},
		{"dotted", "hq.executor.model = 'x'\nhq.supervisor.model = 'y'\n",
			"hq.executor.model = \"m\"\nhq.supervisor.model = 'y'\n"},
		{"other role", "[hq.supervisor]\nmodel = \"s\"\n", "[hq.supervisor]\nmodel = " +
			"\"s\"\n\n[hq.executor]\nmodel = \"m\"\n"},
		{"after other keys", "[hq.executor]\ninteractive = true # own\npermissions = 'ask'\n",
			"[hq.executor]\ninteractive = true # own\nmodel = \"m\"\npermissions = 'ask'\n"},
		{"header at the end", "[hq.executor]", "[hq.executor]\nmodel = \"m\""},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, File)
			if err := os.WriteFile(file, []byte(test.before), 0o640); err != nil {
				t.Fatal(err)
			}
			if _, err := SetModel(dir, "executor", "m"); err != nil {
				t.Fatal(err)
			}
			after, _ := os.ReadFile(file)
			if string(after) != test.after {
				t.Errorf("got\n%s\nwant\n%s", after, test.after)
			}
			if info, _ := os.Stat(file); info.Mode().Perm() != 0o640 {
				t.Errorf("the mode is %v, want 0640", info.Mode())
			}
			if files, _ := os.ReadDir(dir); len(files) != 1 {
				t.Errorf("the directory contains %v, want one file", files)
			}
		})
	}
}

func TestEditOfTheAgentKeepsTheRest(t *testing.T) {
	for _, test := range []struct{ name, before, after string }{
		{
			"value",
			"# top\n[hq.executor] # who\nagent = \"beta\" # why\nmodel = \"old\"\n\n[lease]\nttl_secs = 5 # keep\n",
			"# top\n[hq.executor] # who\nagent = \"a\" # why\nmodel = \"old\"\n\n[lease]\nttl_secs = 5 # keep\n",
		},
		{"before the model", "[hq.executor] # who\nmodel = 'm'\n", "[hq.executor] # who\nagent = \"a\"\nmodel = 'm'\n"},
		{"new table", "[lease]\r\nttl_secs = 5\r\n",
			"[lease]\r\nttl_secs = 5\r\n\r\n[hq.executor]\r\nagent = \"a\"\r\n"},
		{"flat", "[hq]\nexecutor = 'beta' # who\nsupervisor = 'x'\n",
			"[hq]\nexecutor = \"a\" # who\nsupervisor = 'x'\n"},
		{"inline", "[hq]\nexecutor = { model = 'm' }\n", "[hq]\nexecutor = { model = 'm', agent = \"a\" }\n"},
		{"dotted", "hq.executor.agent = 'x'\n", "hq.executor.agent = \"a\"\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			after, err := Edit([]byte(test.before), "executor", "agent", "a")
			if err != nil || string(after) != test.after {
				t.Errorf("got %v\n%s\nwant\n%s", err, after, test.after)
			}
		})
	}
}

func TestSetModelTouchesNothingItCannotEdit(t *testing.T) {
	for _, text := range []string{"hq = { unattended = true }\n", "[hq.executor]\nagnt = 'x'\n", "not toml"} {
		dir := t.TempDir()
		file := filepath.Join(dir, File)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := SetModel(dir, "executor", "m"); err == nil {
			t.Errorf("%q was edited", text)
		}
		if after, _ := os.ReadFile(file); string(after) != text {
			t.Errorf("%q became %q", text, after)
		}
	}
}

func FuzzSetModel(f *testing.F) {
	f.Add("[hq.executor]\nmodel='a'\n", "gpt \"5\" '\x01")
	f.Add("[hq]\nexecutor='x'", "")
	f.Fuzz(func(t *testing.T, text, model string) {
		before, err := Parse([]byte(text), nil)
		if err != nil || strings.ContainsFunc(model, isControl) || strings.ToValidUTF8(model, "") != model {
			return
		}
		edited, err := Edit([]byte(text), "executor", "model", model)
		if err != nil {
			return // SetModel refused
		}
		after, _ := Parse(edited, nil)
		if !reflect.DeepEqual(before.HQ.Supervisor, after.HQ.Supervisor) || before.Limits != after.Limits ||
			before.HQ.Executor.Agent != after.HQ.Executor.Agent {
			t.Errorf("more than the model changed:\n%s\n%s", text, edited)
		}
	})
}

func TestTemplateLoads(t *testing.T) {
	checks := []string{`test -z "$(gofmt -l .)"`, `it's a "test"`, "go test ./..."}
	c := parse(t, Template(Proposal{Agents: agents, Skills: `odd "path" \ here`, Checks: checks}))
	var loaded []string
	for _, one := range c.Checks.Commands {
		loaded = append(loaded, one.Run)
	}
	if !slices.Equal(loaded, checks) || c.Agents.Path != `odd "path" \ here` || c.HQ.Executor.Agent != "beta" {
		t.Errorf("got %+v, want the proposed checks, path and agent", c)
	}
	if c := parse(t, Template(Proposal{Agents: agents, Skills: ".agents"})); len(c.Checks.Commands) != 0 {
		t.Errorf("got %+v, want no check commands", c)
	}
}

// TestTemplateSetsTheWorkspace checks that a new file always says where agents work, and that files
// a worktree lacks are prepared there too, not only in the checks' copy.
func TestTemplateSetsTheWorkspace(t *testing.T) {
	for _, worktree := range []bool{true, false} {
		p := Proposal{Agents: agents, Skills: ".agents", Setup: []string{"npm ci"}, Worktree: worktree}
		c := parse(t, Template(p))
		if c.HQ.Worktree() != worktree || len(c.HQ.Setup) == 1 != worktree || len(c.Checks.Setup) == 1 == worktree {
			t.Errorf("worktree %v: workspace %s, setup %v, setup of the checks %v",
				worktree, c.HQ.Workspace, c.HQ.Setup,
				c.Checks.Setup)
		}
	}
	if c := parse(t, ""); c.HQ.Worktree() {
		t.Error("a file without the key, perhaps from before the key existed, switched to worktrees")
	}
}

func TestPropose(t *testing.T) {
	for _, test := range []struct {
		files map[string]string
		want  []string
	}{
		{map[string]string{}, nil},
		{map[string]string{"go.mod": "module x", "Makefile": "test:\n"}, []string{"go vet ./...", "go test ./..."}},
		{map[string]string{"package.json": `{"scripts":{"test":"vitest","lint":"eslint","build":"x"}}`,
			"pnpm-lock.yaml": ""}, []string{"pnpm run lint", "pnpm run test"}},
		{map[string]string{"package.json": `{"scripts":{"typecheck":"tsc"}}`, "yarn.lock": ""},
			[]string{"yarn run typecheck"}},
		{map[string]string{"package.json": `{"packageManager":"pnpm@9","scripts":{"test":"x"}}`},
			[]string{"pnpm run test"}},
		{map[string]string{"package.json": `{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}`}, nil},
		{map[string]string{"package.json": `not json`}, nil},
		{map[string]string{"Cargo.toml": ""}, []string{"cargo clippy -- -D warnings", "cargo fmt --check",
			"cargo test"}},
		{map[string]string{"pyproject.toml": "[tool.ruff.lint]\n[tool.pytest.ini_options]\n"},
			[]string{"ruff check .", "python3 -m pytest"}},
		{map[string]string{"requirements.txt": "requests", "test_x.py": ""}, []string{"python3 -m pytest"}},
		{map[string]string{"pyproject.toml": "[tool.pytest.ini_options]", "uv.lock": ""}, []string{"uv run pytest"}},
		{map[string]string{"pom.xml": "", "mvnw": ""}, []string{"./mvnw -q verify"}},
		{map[string]string{"build.gradle.kts": ""}, []string{"gradle check"}},
		{map[string]string{"App.sln": ""}, []string{"dotnet test"}},
		{map[string]string{"Gemfile": ""}, nil},
		{map[string]string{"Gemfile": "", "Rakefile": ""}, []string{"bundle exec rake test"}},
		{map[string]string{"mix.exs": "", "Makefile": "test:\n"}, []string{"make test"}},
		{map[string]string{"mix.exs": ""}, []string{"mix test"}},
		{map[string]string{"web/package.json": `{"scripts":{"test":"x"}}`, "services/api/go.mod": "",
			"services/api/tool/go.mod": "", "node_modules/x/package.json": `{"scripts":{"test":"x"}}`, "a b/go.mod": "",
			"a/b/c/go.mod": ""},
			[]string{"cd services/api && go vet ./...", "cd services/api && go test ./...", "cd web && npm run test"}},
		{map[string]string{"1/go.mod": "", "2/go.mod": "", "3/go.mod": "", "4/go.mod": "", "5/go.mod": ""}, nil},
		{map[string]string{"Makefile": "CC := gcc\nall: test\ntest: build\n\tgo test\nlint:\n"},
			[]string{"make lint", "make test"}},
		{map[string]string{"Makefile": "check: x\ntest:\n"}, []string{"make check"}},
		{map[string]string{"Taskfile.yml": "version: '3'\nvars:\n  test: x\ntasks:\n  lint:\n    cmds: []\n  " +
			"test: go test\n"}, []string{"task lint", "task test"}},
		{map[string]string{"justfile": "test *args:\n  x\nv := 'a'\n"}, []string{"just test"}},
	} {
		dir := t.TempDir()
		for name, text := range test.files {
			path := filepath.Join(dir, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
				os.WriteFile(path, []byte(text), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		if got := Propose(dir); !slices.Equal(got, test.want) {
			t.Errorf("%v: got %q, want %q", test.files, got, test.want)
		}
	}
}
