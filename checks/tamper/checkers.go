package tamper

import (
	"slices"
	"strconv"
	"strings"

	"ferrus/checks"
	"ferrus/ui/text/lazyregexp"
)

// checkerParts are of files that checking tools and runners load beside their settings.
var checkerParts = []part{
	// Severities of analyzers
	{rule: testSettings, came: true, path: editorConfig, line: lazyregexp.New(
		`(?i)^\s*(?:dotnet_(?:analyzer_)?diagnostic\S*severity\s*=\s*(?:none|silent|suggestion|refactoring|hidden|default|false)\b` +
			`|generated_code\s*=\s*true|ktlint\w*\s*=\s*disabled)`)},
	{rule: testSettings, gone: true, path: editorConfig, line: lazyregexp.New(`(?i)^\s*\S*\bseverity\s*=\s*error\b|=\s*\S+:error\b|ktlint\w*\s*=\s*enabled`)},
	{rule: testSettings, came: true, path: lazyregexp.New(`(?:^|/)lint\.xml$`), line: lazyregexp.New(`<ignore\b|severity="(?:ignore|informational)"`)},
	{rule: testSettings, came: true, path: lazyregexp.New(`(?:^|/)analysis_options\.yaml$`), line: lazyregexp.New(`:\s*(?:ignore|false)\b|^\s*exclude:`)},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)lombok\.config$`),
		line: lazyregexp.New(`(?i)generated|\blombok\.(?:nonNull|equalsAndHashCode|toString|extern)`)},

	// Toolchains and installers
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)rust-toolchain(?:\.toml)?$`), line: lazyregexp.New(`^\s*channel\s*=|^\s*[\w.-]+\s*$`),
		not: lazyregexp.New(`^\s*(?:channel\s*=\s*)?["']?(?:stable|beta|nightly|\d+\.\d+(?:\.\d+)?)(?:-\d[\d-]*|-beta[.\d]*)?["']?\s*(?:#.*)?$`)},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)setup\.py$`),
		line: lazyregexp.New(`pytest11|\bcmdclass\b|\btest_suite\b|\bdata_files\b|\.pth\b|\bos\.(?:system|exec\w*|popen)\b|\bsubprocess\b|site-packages`)},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)setup\.cfg$`), section: lazyregexp.New(`^\[(?:aliases|test|nosetests|build_ext|develop|install)\]`), line: anyLine},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)Makefile\.PL$|(?:^|/)Build\.PL$|(?:^|/)dist\.ini$`), line: lazyregexp.New(`(?i)\btests?\b`)},

	// What runners read beside their settings
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)(?:META-INF/services/(?:org\.(?:testng|spockframework|mockito)|io\.(?:kotest|cucumber))[^/]*` +
		`|mockito-extensions/[^/]+|SpockConfig\.groovy|(?:kotest|cucumber|archunit)\.properties|archunit_ignore_patterns\.txt|\.hspec|\.noserc|\.insta\.yaml|(?:\.config/)?insta\.yaml` +
		`|behat\.ya?ml(?:\.dist)?|codeception(?:\.dist)?\.yml|[^/]+\.suite\.yml|phpspec\.yml|kahlan-config\.php)$`), line: anyLine},
	{rule: testSettings, path: lazyregexp.New(`\.xctestplan$|\.xcscheme$`), line: lazyregexp.New(`(?i)skipped|selectedTests|"enabled"|testExecutionOrdering`)},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)(?:angular|workspace|rush|command-line)\.json$|(?:^|/)\.?moon(?:/tasks)?\.ya?ml$`),
		line: lazyregexp.New(`(?i)test|karma|"(?:exclude|include)"`)},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)(?:craco\.config|config-overrides|test-runner(?:-jest)?\.config|protractor\.conf|nightwatch\.conf|rstest\.config|intern)\.[^/]+$`),
		line: anyLine},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)(?:foundry\.toml|hardhat\.config\.[cm]?[jt]s|Anchor\.toml)$`),
		line: lazyregexp.New(`(?i)\bno_match\w*|\bmatch_\w+|\btest\b|\bmocha\b|\bgrep\b|\bfuzz\b|\bruns\s*=|allow_failure|skip`)},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)config/(?:test|config|runtime)\.exs$`), line: lazyregexp.New(`:ex_unit\b`)},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)settings(?:/[^/]+)?[^/]*\.py$`), line: lazyregexp.New(`\bTEST_RUNNER\b`)},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)(?:php\.ini|\.user\.ini)$`), line: lazyregexp.New(`(?i)auto_(?:pre|ap)pend_file|assert|disable_functions|extension|include_path`)},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)(?:\.sbtopts|\.jvmopts|\.R(?:profile|environ)|stack\.yaml|cabal\.project[^/]*)$`),
		line: lazyregexp.New(`(?i)test|-J|-D|-X|javaagent|^\s*packages:|\bq\(|quit\(`)},
	{rule: runnerSettings, path: lazyregexp.New(`\.sbt$|(?:^|/)project/[^/]+\.scala$`), line: lazyregexp.New(`\bTest\b|\btest(?:Options|Only|Frameworks|Quick)?\s*(?:in\b|:=|\+=|/)`)},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)(?:\.env(?:\.[\w.-]+)?|\.envrc|\.?mise\.toml|Dockerfile)$`), line: lazyregexp.New(
		`\b(?:GTEST_\w+|CTEST_\w+|INSTA_\w+|UPDATE_(?:GOLDENS?|SNAPSHOTS?|EXPECT)|DOTNET_STARTUP_HOOKS|VSTEST_\w+|GRADLE_OPTS|SBT_OPTS|RUBYOPT|PERL5OPT|HARNESS_\w+|PHPRC|PHP_INI_SCAN_DIR` +
			`|NODE_PATH|LD_PRELOAD|BASH_ENV|NEXTEST_\w+|CARGO_\w*RUNNER|JDK_JAVA_OPTIONS|ERL_\w*FLAGS|ELIXIR_ERL_OPTIONS)\b`)},
}

var editorConfig = lazyregexp.New(`(?:^|/)\.(?:editorconfig|globalconfig)$|\.globalconfig$`)

var (
	// baseline is a file of findings that a checking tool no longer reports.
	baseline = lazyregexp.New(`(?i)(?:psalm|phpstan|phan|phpmd|phpcs|mypy|pyright|pylint|ruff|flake8|bandit|detekt|lint|checkstyle|spotbugs|pmd|cpd|qodana|semgrep|gitleaks` +
		`|deptrac|secrets|arch\w*|sorbet|steep|kics)[\w.-]*/?[\w.-]*baseline[^/]*$|(?:^|/)(?:\.[\w-]+_todo\.yml|[\w-]*suppressions\.(?:json|xml)|\.betterer\.results` +
		`|\.dialyzer_ignore\.exs|\.ansible-lint-ignore|\.trivyignore|\.snyk|osv-scanner\.toml)$`)
	// counted is a line that says how often; unstable is one that says where, or when.
	counted  = lazyregexp.New(`(?i)((?:count|occurrences|quantity)\D{1,4})(\d+)`)
	unstable = lazyregexp.New(`(?i)^\W*(?:#|<\?xml|(?:start|end)?_?(?:line|column)\w*\W|(?:generated|version|files? psalm)\b)`)
)

// baselines raises a list of accepted findings that has more of them.
func (f *finder) baselines(file checks.FileChange) {
	if !baseline.MatchString(file.Path) || file.Status == 'D' {
		return
	}
	if f.change.Unread != nil && f.change.Unread(file.Path) {
		f.touch(f.raise(findingsAccepted, file.Path), file)
		return
	}
	text, _ := f.change.Base(file.Was())
	was, before := findings(text)
	text, _ = f.change.Present(file.Path)
	now, after := findings(text)
	var more []checks.LineChange
	for _, line := range now {
		if i := slices.Index(was, line); i >= 0 {
			was = slices.Delete(was, i, i+1)
		} else {
			more = append(more, checks.LineChange{Path: file.Path, Added: true, Text: line})
		}
	}
	if len(more) > 0 || after > before {
		f.raise(findingsAccepted, file.Path).quotes(more)
	}
}

// findings returns the lines of a baseline without their counts, and the sum of those.
func findings(text string) (lines []string, sum int) {
	for line := range strings.Lines(text) {
		line = strings.Trim(line, " \t\r\n,")
		if line == "" || unstable.MatchString(line) || strings.Trim(line, "{}[]()") == "" {
			continue
		}
		if m := counted.FindStringSubmatch(line); m != nil {
			n, _ := strconv.Atoi(m[2]) // Digits, maybe too many.
			sum += n
		}
		if len(lines) < kept {
			lines = append(lines, counted.ReplaceAllString(line, "$1"))
		}
	}
	return lines, sum
}
