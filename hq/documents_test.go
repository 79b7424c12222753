package hq_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// documents returns every Markdown file of the documentation, by its path from here.
func documents(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, place := range []string{"../*.md", "guide/*.md", "../.github/*.md", "../.github/decisions/*.md"} {
		names, err := filepath.Glob(place)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %v", place, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all[name] = string(text)
		}
	}
	return all
}

// TestReadmeIsOnePage holds the first page to what a newcomer reads.
func TestReadmeIsOnePage(t *testing.T) {
	if n := strings.Count(documents(t)["../README.md"], "\n"); n > 150 {
		t.Errorf("README.md has %d lines; what does not fit on one page belongs in hq/guide", n)
	}
}

var (
	link   = regexp.MustCompile(`\]\(([^)#]+)`)
	quoted = regexp.MustCompile("`([^`\n]+)`")
	file   = regexp.MustCompile(`^[\w./*-]+$`)
)

// TestDocumentsNameWhatIsThere holds links and the paths of the repository that
// documents name to files that exist.
func TestDocumentsNameWhatIsThere(t *testing.T) {
	for name, text := range documents(t) {
		for _, found := range link.FindAllStringSubmatch(text, -1) {
			if to := found[1]; !strings.HasPrefix(to, "http") && !exists(filepath.Join(filepath.Dir(name), to)) {
				t.Errorf("%s: the link to %s leads nowhere", name, to)
			}
		}
		for _, found := range quoted.FindAllStringSubmatch(text, -1) {
			if p := strings.TrimPrefix(found[1], "./"); file.MatchString(p) && ofRepository(p) &&
				!exists(filepath.Join(root, p)) {
				t.Errorf("%s: there is no %s", name, p)
			}
		}
	}
}

// ofRepository reports whether a word looks like a path of this repository: it
// begins with one of its directories.
func ofRepository(p string) bool {
	first, rest, deep := strings.Cut(p, "/")
	for _, dir := range []string{"hq", "agent", "machine", "store", "checks", "ui", ".github", ".ci"} {
		if first == dir && deep && rest != "" {
			return true
		}
	}
	return p == "Taskfile.yml" || p == "go.mod" || p == "CHANGELOG.md"
}

func exists(pattern string) bool {
	found, err := filepath.Glob(pattern)
	return err == nil && len(found) > 0
}

// TestDocumentsFit holds the width of documents; a table's row is as long as it is.
func TestDocumentsFit(t *testing.T) {
	for name, text := range documents(t) {
		for i, line := range strings.Split(text, "\n") {
			if n := len([]rune(line)); n > 120 && !strings.HasPrefix(line, "|") && !strings.Contains(line, "](http") &&
				!strings.HasPrefix(line, "* ") {
				t.Errorf("%s:%d has %d columns", name, i+1, n)
			}
		}
	}
}

// TestArchitectureNamesEveryPackage holds the table of layers to the packages that exist;
// packages that only tests use are left out.
func TestArchitectureNamesEveryPackage(t *testing.T) {
	text := documents(t)["../.github/ARCHITECTURE.md"]
	for pkg := range layers {
		if pkg != "" && !onlyForTests[pkg] && !strings.Contains(text, "`"+pkg+"`") {
			t.Errorf(".github/ARCHITECTURE.md: say in the table of layers what %s does", pkg)
		}
	}
}

// onlyForTests are packages, and directories of tests, that no part of ferrus imports.
var onlyForTests = map[string]bool{
	"hq": true, "hq/adversary": true, "hq/benchtest": true, "hq/budgets": true, "hq/chaos": true, "hq/e2e": true,
	"hq/e2e/model": true, "hq/host/hosttest": true, "hq/hqtest": true, "hq/cli/rememberedgo": true,
	"checks/git/gittest": true, "machine/machinetest": true, "store/exectest": true, "store/longtest": true,
	"store/memtemp": true, "ui/termtest": true,
	".ci": true, ".": true,
}
