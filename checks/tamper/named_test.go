package tamper

import (
	"slices"
	"testing"
)

// filesFound are files that runners, package managers and checkers look for by themselves.
var filesFound = []weakening{
	{path: "rakefile", now: "task :test do\nend\n", commands: "rake test"},
	{path: "Rakefile.rb", now: "task :test do\nend\n", commands: "rake test"},
	{path: "lib/tasks/x.rake", now: "Rake::Task[:test].clear\n", commands: "rake test"},
	{path: "phpunit.dist.xml", now: "<phpunit/>\n", commands: "phpunit"},
	{path: "tox.toml", now: "[env_run_base]\ncommands = [[\"true\"]]\n", commands: "make test"},
	{path: "hatch.toml", now: "[envs.hatch-test]\ndefault-args = [\"easy\"]\n", commands: "hatch test"},
	{path: "docker-compose.override.yml", now: "services:\n  test:\n    command: 'true'\n",
		commands: "docker compose run test"},
	{path: "compose.override.yaml", now: "services:\n  test:\n    command: 'true'\n",
		commands: "podman compose run test"},
	{path: "test.Dockerfile.dockerignore", now: "tests/hard\n", commands: "docker build -f test.Dockerfile ."},
	{path: "shell.nix", was: "a\n", now: "b\n", commands: "nix-shell --run pytest"},
	{path: "devbox.json", was: "\"pytest\"\n", now: "\"true\"\n", commands: "devbox run test"},
	{path: "build.mill", was: "object test extends Tests\n", now: "object test\n", commands: "mill test"},
	{path: "stack.yaml", was: "packages:\n- a\n- b\n", now: "packages:\n- a\n", commands: "stack test"},
	{path: "fabfile.py", was: "def test(c): c.run('pytest')\n", now: "def test(c): pass\n", commands: "fab test"},
	{path: ".config/mise.toml", now: "[tasks.test]\nrun = 'true'\n", commands: "mise run test"},
	{path: "Directory.Build.rsp", now: "-p:VSTestTestCaseFilter=x\n", commands: "dotnet test"},
	{path: "Directory.Packages.props", now: "<Target Name=\"VSTest\"/>\n", commands: "dotnet test"},
	{path: "vitest.workspace.ts", now: "export default ['easy']\n", commands: "vitest run"},
	{path: "go.work", was: "use (\n\t./a\n\t./b\n)\n", now: "use (\n\t./a\n)\n"},
	{path: "requirements-dev.txt", was: "pytest\n", now: "./fake-pytest\n", commands: "pytest"},
	{path: "requirements.txt", was: "pytest\n", now: "vendor/pytest-8.whl\n", commands: "pytest"},
	{path: "requirements/test.in", was: "pytest\n", now: "../fake\n", commands: "pytest"},
	{path: "constraints.txt", was: "pytest\n", now: "pytest @ file:./fake\n", commands: "pytest"},
	{path: "environment.yml", was: "- pytest\n", now: "- pip:\n  - ./fake\n", commands: "pytest"},
	{path: "poetry.lock", was: "x\n", now: "[package.source]\ntype = \"directory\"\n", commands: "pytest"},
	{path: "uv.lock", was: "x\n", now: "source = { directory = \"fake\" }\n", commands: "pytest"},
	{path: ".typos.toml", now: "[files]\nextend-exclude = ['*']\n", commands: "typos"},
	{path: ".lycheeignore", now: ".*\n", commands: "lychee ."},
	{path: ".cargo/audit.toml", now: "ignore = ['X']\n", commands: "cargo audit"},
	{path: ".hadolint.yaml", now: "ignored: [DL3000]\n", commands: "hadolint Dockerfile"},
	{path: ".bandit", now: "skips = B101\n", commands: "bandit -r ."},
	{path: ".cspell.json", now: "{\"ignorePaths\": [\"*\"]}\n", commands: "npm test",
		files: map[string]string{"package.json": `{"scripts":{"test":"cspell ."}}`}},
}

// filesSet are settings of tools whose change may be anything.
var filesSet = []weakening{
	{path: ".vale.ini", was: "a\n", now: "MinAlertLevel = error\n", commands: "vale ."},
	{path: "size-limit.json", was: "[{\"limit\":\"10 kB\"}]\n", now: "[{\"limit\":\"10 MB\"}]\n",
		commands: "npx size-limit"},
	{path: "locustfile.py", was: "a\n", now: "b\n", commands: "locust --headless"},
}

// filesOfWork are changed by ordinary work.
var filesOfWork = []weakening{
	{path: "test.yaml", now: "a: 1\n", commands: "make test"},
	{path: "build.json", now: "{}\n", commands: "npm run build"},
	{path: "main.js", now: "x\n", commands: "node main"},
	{path: "worker.yaml", now: "a: 1\n", commands: "go run ./worker"},
	{path: "go.mod", was: "module m\n", now: "module m\n\nrequire a.example/b v1.0.0\n"},
	{path: "go.work", was: "use (\n\t./a\n)\n", now: "use (\n\t./a\n\t./b\n)\n"},
	{path: "requirements.txt", was: "pytest\n", now: "pytest\nrequests>=2\n", commands: "pytest"},
	{path: "environment.yml", was: "- pytest\n", now: "- pytest\n- numpy\n", commands: "pytest"},
	{path: "uv.lock", was: "x\n", now: "source = { editable = \".\" }\n", commands: "pytest"},
	{path: "typos.go", now: "package a\n", commands: "typos"},
}

func TestFilesThatProgramsLookFor(t *testing.T) {
	t.Parallel()
	kinds := map[string][]weakening{"the human": filesFound, "a reviewer": filesSet, "no one": filesOfWork}
	for want, all := range kinds {
		for _, w := range all {
			alarms, err := Find(w.change())
			if err != nil {
				t.Fatal(err)
			}
			alarms = slices.DeleteFunc(alarms, func(a Alarm) bool { return a.Path != w.path })
			got := "no one"
			if len(alarms) > 0 {
				got = "a reviewer"
			}
			if slices.ContainsFunc(alarms, func(a Alarm) bool { return a.NeedsHuman }) {
				got = "the human"
			}
			if got != want {
				t.Errorf("%s %q with %q is for %s, want %s: %+v", w.path, w.now, w.commands, got, want, alarms)
			}
		}
	}
}

func TestIncludedFilesAreCompared(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		was, now string
		raised   bool
	}{
		{"1", "2", true}, {"none", "2", true}, {"1", "none", true},
		{"1", "1", false}, {"", "2", false}, {"1", "", false},
	} {
		change := filesSet[0].change()
		change.BaseIncluded, change.Included = c.was, c.now
		alarms, err := Find(change)
		i := slices.IndexFunc(alarms, func(a Alarm) bool { return a.Rule == "included-changed" })
		if err != nil || i >= 0 != c.raised || i >= 0 && !alarms[i].NeedsHuman {
			t.Errorf("from %q to %q: %+v, %v", c.was, c.now, alarms, err)
		}
	}
}
