package tamper

import (
	"strings"

	"ferrus/checks"
	"ferrus/ui/text/lazyregexp"
)

// origins are files that say where code of others comes from, with the lines that do, and what a place is in them: a
// host, or an owner on it.
var origins = []struct{ path, line, place *lazyregexp.Regexp }{
	{lazyregexp.New(`(?:^|/)(?:package-lock|npm-shrinkwrap)\.json$`), lazyregexp.New(`"resolved"\s*:`), host},
	{lazyregexp.New(`(?:^|/)yarn\.lock$`), lazyregexp.New(`^\s*resolved\s|^\s*resolution:`), host},
	{lazyregexp.New(`(?:^|/)pnpm-lock\.yaml$`), lazyregexp.New(`\b(?:tarball|repo):`), host},
	{lazyregexp.New(`(?:^|/)(?:uv|poetry|pdm|Cargo|pixi|Gemfile|Pipfile|mix|pubspec|Package|flake|deno|conan)\.(?:lock|resolved)$`),
		lazyregexp.New(`(?i)\b(?:source|registry|url|remote|reference|location)\b`), host},
	{lazyregexp.New(`(?:^|/)(?:pyproject\.toml|uv\.toml|Pipfile|poetry\.toml|pdm\.toml)$`), lazyregexp.New(`(?i)^\s*(?:(?:index-|default-|extra-index-|find-)?(?:url|links)|index)\s*=`), host},
	{lazyregexp.New(`(?:^|/)Gemfile$`), lazyregexp.New(`\bsource\b`), host},
	{lazyregexp.New(`(?:^|/)(?:CMakeLists\.txt|[^/]+\.cmake|WORKSPACE(?:\.bazel|\.bzlmod)?|MODULE\.bazel|[^/]+\.bzl)$`),
		lazyregexp.New(`(?i)gtest|googletest|gmock|catch2|doctest|boost|unity|cmocka`), lazyregexp.New(`https?://[^/\s"']+/[^/\s"']+`)},
}

var host = lazyregexp.New(`(?:https?|git|ssh)://[^/\s"'#?]+`)

// checkOrigin counts a line by which code of others comes from a place that nothing came from before.
func (f *finder) checkOrigin(l checks.LineChange) {
	if !l.Added || !strings.Contains(l.Text, "://") {
		return
	}
	for i := range origins {
		o := &origins[i]
		if !o.path.MatchString(l.Path) || !o.line.MatchString(l.Text) || !f.isIndex(l) {
			continue
		}
		was, _ := f.change.Base(f.olderName(l.Path))
		for _, place := range o.place.FindAllString(l.Text, -1) {
			if !usual.MatchString(strings.ToLower(place)) && !strings.Contains(was, place) {
				f.product.count("dependency-replaced", l)
				return
			}
		}
	}
}

// isIndex reports whether a line of Python's settings is in a table of indexes or sources; others have addresses, too.
func (f *finder) isIndex(l checks.LineChange) bool {
	if !pythonSettings.MatchString(l.Path) {
		return true
	}
	text, _ := f.change.Present(l.Path)
	lines := strings.Split(text, "\n")
	for at := min(l.Number, len(lines)) - 1; at >= 0; at-- {
		if strings.HasPrefix(lines[at], "[") {
			return indexTable.MatchString(lines[at])
		}
	}
	return true
}

var (
	pythonSettings = lazyregexp.New(`(?:^|/)(?:pyproject|poetry|pdm)\.toml$`)
	indexTable     = lazyregexp.New(`(?i)index|source|\[tool\.uv\b`)
)

// usual are the registries that package managers use by themselves, and where they have their files.
var usual = lazyregexp.New(`^https?://(?:registry\.(?:npmjs\.org|yarnpkg\.com)|npm\.jsr\.io|jsr\.io|pypi\.org|files\.pythonhosted\.org|rubygems\.org|index\.crates\.io` +
	`|static\.crates\.io|github\.com/rust-lang|pub\.dev|hex\.pm|repo\.hex\.pm|packagist\.org|deno\.land|conda\.anaconda\.org|github\.com/google|github\.com/catchorg)$`)

// ownCopies are lines by which a build takes a dependency from the repository itself.
var ownCopies = []struct{ path, line *lazyregexp.Regexp }{
	{gradleFiles, gradlePlace},
	{lazyregexp.New(`(?:^|/)[\w.-]*(?:requirements|constraints)[\w.-]*\.(?:txt|in)$|(?:^|/)requirements/[^/]+\.(?:txt|in)$|(?:^|/)environment[\w-]*\.ya?ml$`),
		lazyregexp.New(`^\s*(?:-\s+)?(?:(?:-e|--editable)[ =])?["']?(?:\.{1,2}/|/|file:)\S|@\s*file:|\.(?:whl|tar\.gz|zip)["']?\s*$` +
			`|^\s*(?:-f|--find-links)\b`)},
	{lazyregexp.New(`(?:^|/)(?:poetry|uv|pdm|Pipfile)\.lock$`), lazyregexp.New(
		`^\s*type\s*=\s*"(?:directory|file)"|\{\s*(?:directory|path)\s*=\s*"[^"]{2}|"(?:path|file)"\s*:`)},
	{lazyregexp.New(`(?:^|/)pom\.xml$`), lazyregexp.New(`<systemPath>|<url>\s*(?:file:|\$\{(?:project\.)?basedir)`)},
	{lazyregexp.New(`(?:^|/)(?:MODULE\.bazel|WORKSPACE(?:\.bazel|\.bzlmod)?)$`), lazyregexp.New(
		`\b(?:(?:local_path|archive|git|single_version)_override|(?:new_)?local_repository)\s*\(`)},
	{lazyregexp.New(`(?:^|/)CMakeLists\.txt$|\.cmake$`), lazyregexp.New(
		`(?i)(?:gtest|googletest|gmock|catch2|doctest|cmocka).*\b(?:SOURCE_DIR|URL)\s+["']?(?:\$\{|\.|/|file:)|FETCHCONTENT_SOURCE_DIR_`)},
	{lazyregexp.New(`(?:^|/)vcpkg(?:-configuration)?\.json$`), lazyregexp.New(`"overlay-(?:ports|triplets)"`)},
	{lazyregexp.New(`(?:^|/)Project\.toml$`), lazyregexp.New(`^\s*\w+\s*=\s*\{.*\bpath\s*=`)},
	{lazyregexp.New(`(?:^|/)shard(?:\.override)?\.yml$`), lazyregexp.New(`\bpath:`)},
	{lazyregexp.New(`(?:^|/)Podfile$`), lazyregexp.New(`(?i)(?:quick|nimble|snapshot|mock|test).*:(?:path|podspec)\b`)},
	{lazyregexp.New(`(?:^|/)pnpm-workspace\.yaml$`), lazyregexp.New(`^\s*patchedDependencies\s*:`)},
	{lazyregexp.New(`(?:^|/)pubspec(?:_overrides)?\.yaml$`), lazyregexp.New(`^dependency_overrides\s*:`)},
	{lazyregexp.New(`(?:^|/)mix\.exs$`), lazyregexp.New(`\boverride:\s*true|(?i:mox|ex_unit|exunit|stream_data|propcheck|bypass).*\b(?:path|git):`)},
	{lazyregexp.New(`(?:^|/)composer\.json$`), lazyregexp.New(`"(?:replace|provide)"\s*:\s*\{?\s*(?:".*(?:phpunit|pest|mockery))?|"(?:PHPUnit|Pest|Mockery)\\`)},
	{lazyregexp.New(`(?:^|/)Package\.swift$`), lazyregexp.New(`\.package\(.*\bpath:.*(?i:nimble|quick|testing|snapshot|xctest)`)},
	{dotnetProject, lazyregexp.New(`(?i)<Reference\s+Include="(?:xunit|nunit|mstest|microsoft\.(?:net\.test|visualstudio\.test)|moq|fluentassertions|shouldly|nsubstitute)`)},
}

// gradlePlace is where Gradle takes a dependency from instead of a registry, in any of its scripts.
var (
	gradleFiles = lazyregexp.New(`\.gradle(?:\.kts)?$`)
	gradlePlace = lazyregexp.New(`\bflatDir\b|\bmavenLocal\(|\bsubstitut\w*\b|\buse(?:Target|Module)\b|\buri\(\s*["']?(?:file:|\.|/|\$)` +
		`|\burl\s*=?\s*["'](?:file:|\.|/|\$)|\bincludeBuild\b.*(?i:junit|testng|kotest|mockito|assertj|hamcrest|spock)`)
)

var (
	// catalog is a file that gives libraries names, which scripts use; coordinates are what a name is for.
	catalog     = lazyregexp.New(`(?:^|/)gradle/[^/]+\.versions\.toml$`)
	entry       = lazyregexp.New(`^\s*([\w.-]+)\s*=\s*(.*)$`)
	coordinates = lazyregexp.New(`\b(?:module|group|name|id)\s*=\s*["']([^"']+)["']|^["']([^"':]+:[^"':]+)`)
)

// catalogs raises a name of a version catalog that stood for a library of tests and now is for another one.
func (f *finder) catalogs(file checks.FileChange) {
	if !catalog.MatchString(file.Path) || file.Status == 'A' {
		return
	}
	was, _ := f.change.Base(file.Was())
	now, _ := f.change.Present(file.Path)
	after := namedLibraries(now)
	for alias, library := range namedLibraries(was) {
		if other, ok := after[alias]; ok && other != library && testTools.MatchString(library) {
			f.raise("dependency-replaced", file.Path).quotes([]checks.LineChange{
				{Path: file.Path, Text: alias + " = " + library},
				{Path: file.Path, Text: alias + " = " + other, Added: true}})
		}
	}
}

// namedLibraries returns the coordinates of each name in a version catalog, without versions.
func namedLibraries(text string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(text) {
		if m := entry.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			var parts []string
			for _, c := range coordinates.FindAllStringSubmatch(m[2], -1) {
				parts = append(parts, c[1]+c[2])
			}
			if len(parts) > 0 {
				all[m[1]] = strings.Join(parts, ":")
			}
		}
	}
	return all
}
