package config

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"ferrus/ui/text/lazyregexp"
)

// ecosystem is a language whose build tool has one command that checks everything.
type ecosystem struct {
	marks   []string // file names or patterns, one of which must exist
	also    string   // must exist as well, if not empty
	command string
}

// ecosystems are tried in order. A project's own wrapper comes before its tool.
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

// others returns the command of the first ecosystem that matches.
func (p proposal) others() []string {
	for _, e := range ecosystems {
		if slices.ContainsFunc(e.marks, p.matches) && (e.also == "" || p.has(e.also)) {
			return []string{e.command}
		}
	}
	return nil
}

func (p proposal) matches(pattern string) bool {
	found, err := filepath.Glob(filepath.Join(quotedGlob(p.dir), pattern))
	return err == nil && len(found) > 0
}

// quotedGlob escapes the special characters of a path.
func quotedGlob(path string) string {
	return regexp.MustCompile(`[\\*?\[]`).ReplaceAllString(path, `\$0`)
}

// Limits for a repository of several projects.
const (
	maxDepth    = 2
	maxCommands = 8
)

// plainName matches a directory that needs no quoting in a shell.
var plainName = lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9._-]*$`)

// skippedDirs contain code of others, or generated files.
var skippedDirs = []string{"node_modules", "vendor", "testdata", "third_party", "target", "dist", "build"}

// below returns the commands of projects in subdirectories, each run in its own.
func (p proposal) below(below string, depth int) (all []string) {
	if depth == 0 {
		return nil
	}
	entries, _ := os.ReadDir(filepath.Join(p.dir, below)) // an unreadable directory has none
	for _, e := range entries {
		if !e.IsDir() || !plainName.MatchString(e.Name()) || slices.Contains(skippedDirs, e.Name()) {
			continue
		}
		folder := path.Join(below, e.Name())
		found := proposal{filepath.Join(p.dir, folder)}.atTop()
		for _, command := range found {
			all = append(all, "cd "+folder+" && "+command)
		}
		if found == nil {
			all = append(all, p.below(folder, depth-1)...)
		}
	}
	return all
}

// pytest returns how a Python project runs its tests, if it has any: through its package
// manager, if it has one.
func (p proposal) pytest(configuration string) []string {
	tests := strings.Contains(configuration, "pytest") || p.has("tests") || p.has("pytest.ini") ||
		p.matches("test_*.py")
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
