package tamper

import (
	"maps"
	"path"
	"slices"
	"strings"

	"ferrus/checks"
	"ferrus/ui/text/lazyregexp"
)

// remarksOf are remarks that switch off a check in one place, by the program whose check it is.
var remarksOf = []struct{ remark, program *lazyregexp.Regexp }{
	{lazyregexp.New(`#\s*(?:type:\s*ignore|pyright:\s*ignore|mypy:)|@(?:typing\.)?no_type_check\b`), lazyregexp.New(`^(?:mypy|dmypy|pyright|basedpyright|ty|pyrefly)$`)},
	{lazyregexp.New(`#\s*(?:noqa|ruff:|flake8:)`), lazyregexp.New(`^(?:ruff|flake8)$`)},
	{lazyregexp.New(`#\s*pylint:\s*disable`), lazyregexp.New(`^pylint$`)},
	{lazyregexp.New(`@ts-(?:ignore|expect-error)\b|\bas any\b`), lazyregexp.New(`^(?:tsc|vue-tsc|tsgo)$`)},
	{lazyregexp.New(`\beslint-disable`), lazyregexp.New(`^eslint$`)},
	{lazyregexp.New(`//\s*nolint\b|//lint:ignore\b`), lazyregexp.New(`^(?:golangci-lint|staticcheck|revive)$`)},
	{lazyregexp.New(`^\s*#!?\[allow\(`), lazyregexp.New(`^clippy$`)},
	{lazyregexp.New(`@phpstan-ignore|@psalm-suppress|phpcs:(?:ignore|disable)`), lazyregexp.New(`^(?:phpstan|psalm|phpcs)$`)},
	{lazyregexp.New(`#\s*rubocop:(?:disable|todo)`), lazyregexp.New(`^rubocop$`)},
	{lazyregexp.New(`#\s*shellcheck disable=`), lazyregexp.New(`^shellcheck$`)},
	{lazyregexp.New(`@(?:file:)?Suppress(?:Warnings|Lint)?\(`), lazyregexp.New(`(?i)^(?:detekt|checkstyle|pmd|spotbugs|lint)`)},
	{lazyregexp.New(`#\s*credo:disable`), lazyregexp.New(`^credo$`)},
	{lazyregexp.New(`\bNOLINT`), lazyregexp.New(`^(?:run-)?clang-tidy\S*$`)},
	{lazyregexp.New(`#\s*pragma:\s*no\s*(?:cover|branch)|\b(?:istanbul|v8|c8) ignore\b|#\s*:nocov:|\bcoverage\(off\)|\bLCOV_EXCL_`), coverage},
}

// coverage is in a command that measures which code the tests run.
var coverage = lazyregexp.New(`(?i)cov(?:er\w*)?\b|^(?:nyc|c8|rspec)$`)

// isSuppressed reports whether a line switches off, in its place, a check of a program that the commands call.
func (f *finder) isSuppressed(l checks.LineChange) bool {
	for _, r := range remarksOf {
		if r.remark.MatchString(l.Text) && f.runsProgram(r.program) {
			return true
		}
	}
	return false
}

// runsProgram reports whether the commands call a program, or have an option of that name.
func (f *finder) runsProgram(program *lazyregexp.Regexp) bool {
	for word := range f.words {
		if program.MatchString(word) {
			return true
		}
	}
	return false
}

// toolTables are the tables of pyproject.toml for a program, by its name in the first part of what follows "tool.".
var toolTables = map[string]*lazyregexp.Regexp{
	"mypy": lazyregexp.New(`^d?mypy$`), "ruff": lazyregexp.New(`^ruff$`), "pyright": lazyregexp.New(`^(?:based)?pyright$`),
	"pylint": lazyregexp.New(`^pylint$`), "coverage": coverage, "bandit": lazyregexp.New(`^bandit$`), "black": lazyregexp.New(`^black$`),
}

// tables raises a pyproject.toml after which a program that the commands call may find less.
func (f *finder) tables(file checks.FileChange) {
	if path.Base(file.Path) != "pyproject.toml" || file.Status == 'A' {
		return
	}
	text, _ := f.change.Base(file.Was())
	was := tomlSections(text)
	text, _ = f.change.Present(file.Path)
	now := tomlSections(text)
	var went, came []string
	for name := range mergedKeys(was, now) {
		tool, found := strings.CutPrefix(name, "tool.")
		tool, _, _ = strings.Cut(tool, ".")
		if program := toolTables[tool]; !found || program == nil || !f.runsProgram(program) && !f.measures(was, tool) {
			continue
		}
		before, after := usedLines(was[name]), usedLines(now[name])
		if strings.HasSuffix(name, "-ignores") && len(without(after, before)) > 0 {
			came = append(came, "ignore = "+name)
		}
		went, came = append(went, without(before, after)...), append(came, without(after, before)...)
	}
	if slices.ContainsFunc(came, loosensTable.MatchString) || slices.ContainsFunc(went, demandsTable.MatchString) {
		slices.Sort(went)
		slices.Sort(came)
		f.raiseSetting(testSettings, file, went, came)
	}
}

// usedLines returns settings as lines, without patterns of code that no test can run.
func usedLines(settings map[string]string) (all []string) {
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		values := slices.DeleteFunc(lines(settings[key]), neverRun.MatchString)
		if len(values) > 0 {
			all = append(all, key+" = "+strings.Join(values, " "))
		}
	}
	return all
}

// neverRun is a pattern of code that runs elsewhere, or never.
var neverRun = lazyregexp.New(`TYPE_CHECKING|__main__|NotImplemented|overload|abstract|Protocol|pragma|assert_never|__repr__`)

// measures reports whether pytest measures coverage by its settings.
func (f *finder) measures(sections map[string]map[string]string, tool string) bool {
	return tool == "coverage" && strings.Contains(sections["tool.pytest.ini_options"]["addopts"], "--cov")
}

var (
	// loosensTable is a setting of a Python tool after which it finds less, and demandsTable one that is to stay.
	loosensTable = lazyregexp.New(`(?i)^(?:extend-)?(?:per-file-)?ignore|^unfixable|exclude|omit|disable|ignore_errors|\bfollow_imports\b|^skips?\b|= false$|^allow_|["']?all["']?\s*\]`)
	demandsTable = lazyregexp.New(`(?i)^(?:extend-)?select\b|^enable|strict|= true$|^fail[_-]under|typeCheckingMode`)
)

// mergedKeys returns the names of the tables of both.
func mergedKeys(a, b map[string]map[string]string) map[string]bool {
	all := map[string]bool{}
	for name := range a {
		all[name] = true
	}
	for name := range b {
		all[name] = true
	}
	return all
}
