package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ferrus/checks/regular"
	"ferrus/ui/text/lazyregexp"
)

// Propose returns check commands that fit the project, judging by its files. If a
// language's own files are enough, task runners are ignored: their targets would run the
// same again. If there is nothing at the top, Propose looks for projects in
// subdirectories.
func Propose(dir string) []string {
	p := proposal{dir: dir}
	if all := p.atTop(); len(all) > 0 {
		return all
	}
	if all := p.below("", maxDepth); len(all) <= maxCommands {
		return all
	}
	return nil // too many to guess which of them matter
}

// installers install what a lock file names, without changing that file. One for each
// language; the first that is there counts.
var installers = [][]struct{ lock, command string }{
	{{"pnpm-lock.yaml", "pnpm install --frozen-lockfile"}, {"yarn.lock", "yarn install --frozen-lockfile"},
		{"package-lock.json", "npm ci"}, {"npm-shrinkwrap.json", "npm ci"},
		{"bun.lock", "bun install --frozen-lockfile"}},
	{{"uv.lock", "uv sync --frozen"}, {"poetry.lock", "poetry install --no-interaction"},
		{"Pipfile.lock", "pipenv sync --dev"}},
	{{"Gemfile.lock", "bundle install"}},
	{{"composer.lock", "composer install --no-interaction"}},
	{{"mix.lock", "mix deps.get"}},
}

// ProposeSetup returns the commands that install what the project's lock files name, for
// checks that need it and trees that do not have it.
func ProposeSetup(dir string) (all []string) {
	p := proposal{dir: dir}
	if p.lacksLock() {
		all = append(all, "npm install --no-package-lock")
	}
	for _, language := range installers {
		for _, tool := range language {
			if p.has(tool.lock) {
				all = append(all, tool.command)
				break
			}
		}
	}
	return all
}

// lacksLock reports whether package.json needs packages of npm that no lock file names.
func (p proposal) lacksLock() bool {
	for _, tool := range installers[0] {
		if p.has(tool.lock) {
			return false
		}
	}
	file := p.packageJSON()
	return len(file.Dependencies)+len(file.DevDependencies) > 0 && len(p.javascript()) > 0 &&
		p.packageManager(file.PackageManager) == "npm"
}

func (p proposal) atTop() []string {
	all := slices.Concat(p.goModule(), p.javascript(), p.rust(), p.python())
	if len(all) > 0 {
		return all
	}
	for _, runner := range []func() []string{p.makefile, p.taskfile, p.justfile} {
		if all := runner(); len(all) > 0 {
			return all
		}
	}
	return p.others()
}

// checkTargets are the names of targets and scripts that check something.
var checkTargets = []string{"lint", "typecheck", "check", "test"}

type proposal struct{ dir string }

// read returns the first of the files that exists.
func (p proposal) read(names ...string) (text string, ok bool) {
	for _, name := range names {
		if data, err := regular.Read(filepath.Join(p.dir, name), 4<<20); err == nil {
			return string(data), true
		}
	}
	return "", false
}

func (p proposal) has(name string) bool {
	_, err := os.Stat(filepath.Join(p.dir, name))
	return err == nil
}

func (p proposal) goModule() []string {
	if !p.has("go.mod") {
		return nil
	}
	return []string{"go vet ./...", "go test ./..."}
}

func (p proposal) rust() []string {
	if !p.has("Cargo.toml") {
		return nil
	}
	return []string{"cargo clippy -- -D warnings", "cargo fmt --check", "cargo test"}
}

// packageJSON is what counts of the file of that name.
type packageJSON struct {
	Scripts         map[string]string `json:"scripts"`
	PackageManager  string            `json:"packageManager"`
	Dependencies    map[string]any    `json:"dependencies"`
	DevDependencies map[string]any    `json:"devDependencies"`
}

// packageJSON returns the file; the zero value if it is missing or not valid.
func (p proposal) packageJSON() (file packageJSON) {
	text, _ := p.read("package.json")
	if json.Unmarshal([]byte(text), &file) != nil {
		return packageJSON{}
	}
	return file
}

func (p proposal) javascript() []string {
	file := p.packageJSON()
	runner := p.packageManager(file.PackageManager)
	var all []string
	for _, script := range []string{"lint", "typecheck", "test"} {
		body := file.Scripts[script]
		if strings.TrimSpace(body) == "" || strings.Contains(body, "no test specified") {
			continue
		}
		all = append(all, runner+" run "+script)
	}
	return all
}

// packageManager returns the package manager, by the lock file, else by package.json.
func (p proposal) packageManager(declared string) string {
	switch {
	case p.has("pnpm-lock.yaml"):
		return "pnpm"
	case p.has("yarn.lock"):
		return "yarn"
	case p.has("package-lock.json"):
		return "npm"
	}
	if name, _, _ := strings.Cut(declared, "@"); name == "pnpm" || name == "yarn" {
		return name
	}
	return "npm"
}

func (p proposal) python() []string {
	text, ok := p.read("pyproject.toml", "setup.cfg", "tox.ini", "setup.py", "requirements.txt")
	if !ok {
		return nil
	}
	var all []string
	for _, tool := range []struct{ mark, command string }{
		{"[tool.ruff", "ruff check ."},
		{"[tool.mypy", "mypy ."},
	} {
		if strings.Contains(text, tool.mark) {
			all = append(all, tool.command)
		}
	}
	return append(all, p.pytest(text)...)
}

var (
	makeTarget = lazyregexp.New(`(?m)^([A-Za-z0-9_-]+)\s*:([^=]|$)`)
	taskTarget = lazyregexp.New(`(?m)^(?:  |\t)['"]?([A-Za-z0-9_-]+)['"]?:`)
	justTarget = lazyregexp.New(`(?m)^@?([A-Za-z0-9_-]+)[^:=\n]*:([^=]|$)`)
)

func (p proposal) makefile() []string {
	text, _ := p.read("GNUmakefile", "makefile", "Makefile")
	return targets("make", makeTarget, text)
}

func (p proposal) taskfile() []string {
	text, _ := p.read("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml", "Taskfile.dist.yml",
		"Taskfile.dist.yaml")
	_, tasks, _ := strings.Cut("\n"+text, "\ntasks:")
	return targets("task", taskTarget, tasks)
}

func (p proposal) justfile() []string {
	text, _ := p.read("justfile", "Justfile", ".justfile")
	return targets("just", justTarget, text)
}

// targets returns the targets of a task runner that check something. One named check
// includes all of them.
func targets(runner string, target *lazyregexp.Regexp, text string) []string {
	var found []string
	for _, m := range target.FindAllStringSubmatch(text, -1) {
		found = append(found, m[1])
	}
	if slices.Contains(found, "check") {
		return []string{runner + " check"}
	}
	var all []string
	for _, w := range checkTargets {
		if slices.Contains(found, w) {
			all = append(all, runner+" "+w)
		}
	}
	return all
}
