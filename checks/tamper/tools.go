package tamper

import (
	"path"
	"slices"
	"strings"

	"ferrus/checks"
	"ferrus/ui/text/lazyregexp"
)

// tools are programs that check, by the names that commands call them and the files that set them.
var tools = []struct{ program, settings *lazyregexp.Regexp }{
	{lazyregexp.New(`^golangci-lint`), lazyregexp.New(`(?:^|/)\.golangci[^/]*$`)},
	{lazyregexp.New(`^(?:eslint|standard|neostandard|xo|lint)$`), lazyregexp.New(`(?:^|/)\.?eslint[^/]*$`)},
	{lazyregexp.New(`^(?:tsc|vue-tsc|tsgo|tsd)$`), lazyregexp.New(`(?:^|/)tsconfig[^/]*\.json$`)},
	{lazyregexp.New(`^clippy$`), lazyregexp.New(`(?:^|/)\.?clippy\.toml$`)},
	{lazyregexp.New(`^(?:run-)?clang-tidy\S*$`), lazyregexp.New(`(?:^|/)\.clang-tidy$`)},
	{lazyregexp.New(`^deny$`), lazyregexp.New(`(?:^|/)\.?deny\.toml$`)},
	{lazyregexp.New(`^(?:checkstyle|pmd|spotbugs|findbugs|sonar|detekt|cpd)\S*$`), lazyregexp.New(
		`(?i)(?:checkstyle|pmd|spotbugs|findbugs|sonar|detekt|cpd)[^/]*(?:/[^/]+)?\.(?:xml|properties|ya?ml)$`)},
	{lazyregexp.New(`^(?:flake8|mypy|pycodestyle|pydocstyle|isort|coverage)$`), lazyregexp.New(`(?:^|/)(?:setup\.cfg|tox\.ini)$`)},
	{lazyregexp.New(`^biome$`), lazyregexp.New(`(?:^|/)biome\.jsonc?$`)},
	{lazyregexp.New(`^(?:pyright|basedpyright)$`), lazyregexp.New(`(?:^|/)pyrightconfig\.json$`)},
	{lazyregexp.New(`^(?:ruff|mypy|flake8|pylint|coverage|rubocop|stylelint|prettier|phpstan|psalm|credo|oxlint|revive|staticcheck|shellcheck|semgrep` +
		`|markdownlint|yamllint|hadolint|detekt|ktlint|swiftlint|buf|knip|commitlint)\S*$`),
		lazyregexp.New(`(?:^|/)\.?(?:ruff|mypy|flake8|pylint|coverage|rubocop|stylelint|prettier|phpstan|psalm|credo|oxlint|revive|staticcheck|shellcheck` +
			`|semgrep|markdownlint|yamllint|hadolint|detekt|ktlint|swiftlint|buf|knip|commitlint)[^/]*$`)},
}

var (
	// loosens is a setting after which a tool finds less; demandsMore is one without which it does.
	loosens = lazyregexp.New(`(?i)\boff\b|\bwarn|suppress|<match\b|-\*|disabl|ignor|exclu[ds]|baseline|\bnew(?:-from[\w-]*)?:|skip|\bfalse\b|:\s*\[?0\b|\ballow|exit-code|severity|\bmax-|presets|errorLevel`)
	demands = lazyregexp.New(`(?i)^-\s*["']?[\w.-]+["']?,?$|\berror\b|:\s*\[?2\b|\btrue\b|select|enable|strict|<(?:module|rule)\b|\bdeny\b|\bforbid\b|^checks:|\bconfigs\.|recommended`)
)

// usesTool reports whether the commands call the program that a file sets.
func (f *finder) usesTool(name string) bool {
	for _, t := range tools {
		if t.settings.MatchString(name) {
			for word := range f.words {
				if t.program.MatchString(word) {
					return true
				}
			}
		}
	}
	return false
}

// A file is named after the program that it sets: .typos.toml, .lycheeignore, locustfile.py, size-limit.json.
var (
	named = lazyregexp.New(`^\.?([a-z][\w-]+?)(?:(?:rc|ignore|file|[._-]conf(?:ig)?)(?:\.[cm]?[jt]s|\.py|\.rb)?)?` +
		`(?:\.(?:toml|ya?ml|jsonc?|json5|ini|cfg|conf|xml|hcl|properties|baseline))?$`)
	// prepares is a program that calls another one, and anyName is a name that files have without being a tool's.
	prepares = lazyregexp.New(`^(?:[A-Z_]\w*=.*|env|git|time|nice|timeout|exec|npx|bunx|uvx|pnpx|pnpm|npm|yarn|bun|uv|uvx|poetry|pdm|rye|hatch|pipenv|pipx` +
		`|bundle|composer|cargo|go|tool|run|dlx|python[\d.]*|node|deno|ruby|php|java|dotnet|docker|podman|sudo|xvfb-run|cd|set|export|then|do|if)$`)
	anyName = lazyregexp.New(`^(?:\w{1,2}|tests?|checks?|build|all|main|index|src|lib|app|apps|ci|dev|docs?|data|examples?|package|packages?|config|settings` +
		`|install|clean|start|release|version|make|sh|bash|echo|true|false|server|client|api|web|core|utils?|e2e|unit|integration|spec|lint|format)$`)
)

// calls notes the programs that a text calls, each with the first of its arguments, which may be a program, too.
func (w *walk) calls(text string) {
	for call := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("&|;\n", r) }) {
		left := 2
		for _, word := range checks.ShellWords(call) {
			if strings.HasPrefix(word, ".") && !strings.Contains(word, "bin/") {
				break // the repository's own
			}
			word = path.Base(word)
			if strings.HasPrefix(word, "-") || prepares.MatchString(word) {
				continue
			}
			if w.called[word] = true; left == 1 {
				break
			}
			left--
		}
	}
}

// isCalled reports whether a file is named after a program that the commands call.
func (f *finder) isCalled(name string) bool {
	base := path.Base(name)
	m := named.FindStringSubmatch(base)
	return m != nil && m[1] != base && f.called[m[1]] && !anyName.MatchString(m[1]) && !example.MatchString(name)
}

// loosened reports whether a tool may find less after a change of its settings.
func (f *finder) loosened(a *Alarm, c *configLines) bool {
	if f.status(a.Path) == 'D' {
		return !slices.ContainsFunc(f.change.Files, func(file checks.FileChange) bool {
			return file.Path != a.Path && file.Status == 'A' && f.usesTool(file.Path)
		})
	}
	came, went := without(settingsIn(c.came), settingsIn(c.went)), without(settingsIn(c.went), settingsIn(c.came))
	if strings.Contains(path.Base(a.Path), "eslint") {
		came = slices.DeleteFunc(came, namesGlobal.MatchString)
	}
	return loosensNumber(c) || strings.HasSuffix(a.Path, "ignore") && len(c.came) > 0 ||
		slices.ContainsFunc(came, loosens.MatchString) ||
		f.status(a.Path) != 'A' && slices.ContainsFunc(went, demands.MatchString)
}

// settingsIn returns lines without the comma behind all but the last of a list.
func settingsIn(lines []string) (all []string) {
	for _, l := range lines {
		all = append(all, strings.TrimSuffix(l, ","))
	}
	return all
}

// namesGlobal tells a linter of JavaScript of a name that code may use. No rule has capitals in its own.
var namesGlobal = lazyregexp.New(`^\s*["']?[\w$]*[A-Z][\w$]*["']?\s*:\s*(?:true|false)\s*,?\s*$`)

// loosensNumber reports whether a limit of a tool got higher, or a level lower.
func loosensNumber(c *configLines) bool {
	for _, was := range c.went {
		for _, now := range c.came {
			if number.ReplaceAllString(was, "0") != number.ReplaceAllString(now, "0") {
				continue
			}
			if levels.MatchString(now) && lowers(was, now) || highest.MatchString(now) && lowers(now, was) {
				return true
			}
		}
	}
	return false
}

// levels is a setting that demands more the higher it is, and highest one that does the lower it is.
var (
	levels  = lazyregexp.New(`(?i)\b(?:level|min\w*|fail[_-]under)\b`)
	highest = lazyregexp.New(`(?i)\bmax\w*|threshold|complexity|\blimit`)
)

var (
	// suppresses is a remark that switches off a check for a whole file.
	suppresses = lazyregexp.New(`^\s*/\*\s*eslint-disable\s*\*/|@ts-nocheck\b|^#\s*(?:type:\s*ignore|mypy:\s*ignore-errors` +
		`|pylint:\s*(?:disable=all|skip-file)|shellcheck disable=all)\b|^#\s*(?:ruff|flake8):\s*noqa\s*(?:$|[^:\s])|^//\s*nolint(?::all)?\s*$` +
		`|^\s*#!\[allow\((?:warnings|clippy::all)|istanbul ignore file|swiftlint:disable all|^\s*#\s*rubocop:disable all|^\s*#\s*pragma (?:GCC|clang) diagnostic ignored "-W(?:all|extra|everything|error)|^\s*\[assembly:\s*SuppressMessage|^declare module ["']\*["'];|biome-ignore-all|phpcs:ignoreFile` +
		`|^//lint:file-ignore\b|^\s*@SuppressWarnings\(\s*\{?\s*"all"|\bCHECKSTYLE:OFF\b|^\s*@file:Suppress\(|^\s*#pragma warning disable\s*$`)
	// remarks are the same in files that are no code.
	remarks = lazyregexp.New(`^\s*/\*\s*stylelint-disable\s*\*/|<!--\s*markdownlint-disable(?:-file)?\s*-->|^\s*#\s*yamllint disable(?:-file)?\s*$` +
		`|\btfsec:ignore:\*|\bnoqa:\s*disable=all\b|<NoWarn>|<TreatWarningsAsErrors>\s*(?i:false)|<Nullable>\s*disable` +
		`|^\s*(?:all|warnings|unused|style|correctness|suspicious|complexity|perf)\s*=\s*(?:\{.*)?"allow"`)
	remarked = lazyregexp.New(`\.(?:s?css|less|md|ya?ml|tf|sql|[a-z]+proj|props|targets)$|(?:^|/)Cargo\.toml$`)
	// otherPlace is a dependency from a place of its own; dependencies are the files that name them.
	otherPlace = lazyregexp.New(`["'](?:file|link|portal):|:\s*["']npm:|["'](?:git\+|github:|git@)|\s@\s*(?:file|git\+\w+):|^\s*-e\s+(?:[^.\s]|\.[^\s\[])` +
		`|--(?:index-url|extra-index-url|find-links)\b|"resolved":\s*"(?:file|git)|<add\b[^>]*\bvalue="[^"]*"`)
	ownPath      = lazyregexp.New(`\b(?:path|git)\s*=\s*["']|\b(?:path|git):\s`)
	dependencies = lazyregexp.New(`(?:^|/)(?:package(?:-lock)?\.json|requirements[^/]*\.txt|pyproject\.toml|Cargo\.toml|Pipfile|Gemfile` +
		`|composer\.json|pnpm-lock\.yaml|yarn\.lock|uv\.toml|pip\.conf|[nN]u[gG]et\.[cC]onfig)$`)
	// wrapper is a file that says where a build tool comes from, which official hosts.
	wrapper  = lazyregexp.New(`(?:^|/)(?:gradle|maven)-wrapper\.properties$`)
	download = lazyregexp.New(`^\s*(?:distribution|wrapper)Url\s*=`)
	official = lazyregexp.New(`=\s*https\\?://(?:services\.gradle\.org|repo1?\.maven\.(?:apache\.)?org)/`)
	patched  = lazyregexp.New(`(?:^|/)patches/[^/]+\.(?:patch|diff)$`)
)

// checkPlaces passes a line that came to the rules on remarks and dependencies.
func (f *finder) checkPlaces(l checks.LineChange) {
	k := f.kind(l.Path)
	if k.unseen {
		return
	}
	if anyCode.MatchString(l.Path) && suppresses.MatchString(l.Text) ||
		remarked.MatchString(l.Path) && remarks.MatchString(l.Text) ||
		anyCode.MatchString(l.Path) && f.isSuppressed(l) {
		f.product.count("check-suppressed", l)
	}
	f.checkOrigin(l)
	fits := func(line *lazyregexp.Regexp) bool { return line.MatchString(l.Text) }
	replaced := k.depends && (fits(otherPlace) && !f.isRepository(l) || fits(ownPath) && fits(testTools))
	replaced = replaced || slices.ContainsFunc(k.copies, fits) ||
		wrapper.MatchString(l.Path) && download.MatchString(l.Text) && !official.MatchString(l.Text)
	if replaced || patched.MatchString(l.Path) && testTools.MatchString(l.Path) {
		f.product.count("dependency-replaced", l)
	}
}

var (
	repositoryKey = lazyregexp.New(`^\s*"repository"\s*:\s*\{\s*$`)
	urlKey        = lazyregexp.New(`^\s*"url"\s*:`)
)

// isRepository reports whether a line of package.json says where the package itself is from.
func (f *finder) isRepository(l checks.LineChange) bool {
	if !urlKey.MatchString(l.Text) || path.Base(l.Path) != "package.json" {
		return false
	}
	text, _ := f.change.Present(l.Path)
	lines := strings.Split(text, "\n")
	return l.Number > 0 && l.Number <= len(lines) &&
		slices.ContainsFunc(lines[max(l.Number-3, 0):l.Number-1], repositoryKey.MatchString)
}
