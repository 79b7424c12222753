package config

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// ecosystem is a language whose build tool has one command that proves the work.
type ecosystem struct {
	marks   []string // files or patterns of them, one of which is there
	beside  string   // and so is this; empty: nothing more
	command string
}

// ecosystems are looked at in order. A project's own launcher of its tool comes
// before the tool.
var ecosystems = []ecosystem{
	{[]string{"gradlew"}, "", "./gradlew check"},
	{[]string{"build.gradle", "build.gradle.kts"}, "", "gradle check"},
	{[]string{"mvnw"}, "pom.xml", "./mvnw -q verify"},
	{[]string{"pom.xml"}, "", "mvn -q verify"},
	{[]string{"*.sln", "*.slnx", "*.csproj", "*.fsproj"}, "", "dotnet test"},
	{[]string{"Gemfile"}, "spec", "bundle exec rspec"},
	{[]string{"Gemfile"}, "Rakefile", "bundle exec rake test"},
	{[]string{"mix.exs"}, "", "mix test"},
	{[]string{"Package.swift"}, "", "swift test"},
	{[]string{"deno.json", "deno.jsonc"}, "", "deno test"},
	{[]string{"composer.json"}, "phpunit.xml", "vendor/bin/phpunit"},
	{[]string{"composer.json"}, "phpunit.xml.dist", "vendor/bin/phpunit"},
	{[]string{"build.zig"}, "", "zig build test"},
}

// others is the command of the first ecosystem that the project is of.
func (p proposal) others() []string {
	for _, e := range ecosystems {
		if slices.ContainsFunc(e.marks, p.matches) && (e.beside == "" || p.has(e.beside)) {
			return []string{e.command}
		}
	}
	return nil
}

func (p proposal) matches(pattern string) bool {
	found, err := filepath.Glob(filepath.Join(quotedGlob(p.dir), pattern))
	return err == nil && len(found) > 0
}

// quotedGlob is a path in which no character stands for others.
func quotedGlob(path string) string {
	return regexp.MustCompile(`[\\*?\[]`).ReplaceAllString(path, `\$0`)
}

// How far a repository of several projects is looked into.
const (
	deepest      = 2
	mostCommands = 8
)

// plainName is a folder that a shell takes as it is written.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*$`)

// foreign are folders with what others wrote, or with what a tool made.
var foreign = []string{"node_modules", "vendor", "testdata", "third_party", "target", "dist", "build"}

// inside are the commands of the projects in folders below, each run in its own.
func (p proposal) inside(below string, depth int) (all []string) {
	if depth == 0 {
		return nil
	}
	entries, _ := os.ReadDir(filepath.Join(p.dir, below)) // one that cannot be read has none
	for _, e := range entries {
		if !e.IsDir() || !plainName.MatchString(e.Name()) || slices.Contains(foreign, e.Name()) {
			continue
		}
		folder := path.Join(below, e.Name())
		found := proposal{filepath.Join(p.dir, folder)}.here()
		for _, command := range found {
			all = append(all, "cd "+folder+" && "+command)
		}
		if found == nil {
			all = append(all, p.inside(folder, depth-1)...)
		}
	}
	return all
}

// pytest is how a Python project runs its tests, if it has any: through the tool
// that keeps its packages, where there is one.
func (p proposal) pytest(configuration string) []string {
	tests := strings.Contains(configuration, "pytest") || p.has("tests") || p.has("pytest.ini") || p.matches("test_*.py")
	switch {
	case !tests:
		return nil
	case p.has("uv.lock"):
		return []string{"uv run pytest"}
	case p.has("poetry.lock"):
		return []string{"poetry run pytest"}
	}
	return []string{"python3 -m pytest"}
}
