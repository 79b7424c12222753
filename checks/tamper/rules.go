package tamper

import (
	"maps"
	"slices"
	"strings"

	"ferrus/checks"
	"ferrus/ui/text/lazyregexp"
)

// Rules that several places name.
const (
	testSettings     = "test-settings"
	runnerSettings   = "runner-settings"
	asksForTests     = "asks-for-tests"
	changesTestTools = "changes-test-tools"
	textHidden       = "text-hidden"
	runsUnasked      = "runs-unasked"
	findingsAccepted = "findings-accepted"
	nameAlike        = "name-alike"
)

// rules are what may be raised: in which words, and for whom.
var rules = map[string]struct {
	why        string
	needsHuman bool
}{
	"settings-changed":     {"ferrus.toml is changed", true},
	"ci-changed":           {"a file that says what continuous integration runs is changed", true},
	"ignore-changed":       {"a file that says what git or a tool ignores is changed", true},
	"command-file-changed": {"the check commands name or run this file, and it is changed", true},
	"command-file-added":   {"the check commands name or run this file, and it is new", false},
	"included-changed": {"ignored files that this one gives to the checks have changed since the task " +
		"started", true},
	"tool-replaced": {"the check commands run this program from PATH, and it is not the one they ran when " +
		"the task began", true},
	"test-deleted":        {"a test file is deleted", true},
	"tests-removed":       {"tests are removed", true},
	"tests-renamed":       {"tests are renamed", false},
	"tests-gone":          {"tests that ran when the task started no longer run", true},
	NoChange:              {"no file is changed", true},
	"only-blanks":         {"only whitespace is changed", true},
	"only-generated":      {"only generated files are changed", true},
	"base-tests-fail":     {"unchanged tests from the base fail on the new code", true},
	"base-tests-lost":     {"tests from the base no longer run, and nothing checks some of what they checked", true},
	"base-tests-replaced": {"tests from the base no longer run", false},
	"base-red":            {"the checks failed before the task started", false},
	"skip-added":          {"tests are skipped", true},
	"assertions-removed":  {"assertions are removed", true},
	"always-passes":       {"tests pass whatever the code does", true},
	"check-suppressed":    {"a check is switched off", true},
	findingsAccepted:      {"a checking tool no longer reports more of what it finds", true},
	"dependency-replaced": {"a dependency comes from another source", true},
	"assertions-changed":  {"assertions are changed", false},
	"fewer-tests":         {"fewer tests ran than when the task started", true},
	"no-tests":            {"no tests ran", false},
	textHidden:            {"a line is not what it looks like", true},
	runsUnasked:           {"your shell, editor, git or an agent may run what this file names without asking", true},
	"compiled-code":       {"this file is compiled code, which cannot be reviewed", true},
	"tree-rewritten":      {"the check commands change files of the tree while they run", true},
	"failed-before":       {"the checks passed and failed on the same tree", true},
	"tool-settings":       {"a settings file of a checking tool is changed", false},
	testSettings:          {"settings that decide which tests run, or when they fail, are changed", true},
	runnerSettings:        {"a test runner's settings are changed", true},
	"tool-shadowed":       {"this file shadows a program or module that the checks use", true},
	"vendored-changed":    {"vendored code is changed", true},
	"link-outside":        {"a link points outside the repository", true},
	nameAlike:             {"this file's name looks like another one, or is the same on macOS and Windows", true},
	"submodule-changed":   {"a submodule points to another commit", true},
	asksForTests:          {"non-test code detects whether a test is running it", true},
	"prints-results":      {"non-test code prints what looks like a test runner's output", true},
	"ends-process":        {"non-test code exits with a success status", true},
	changesTestTools:      {"non-test code changes what tests use to compare and report", true},
	"equal-to-all":        {"a comparison treats all values as equal", true},
	answersTests: {"non-test code has the answers that tests expect, instead of computing them",
		true},
	"reads-tests":     {"non-test code reads test files", true},
	"depends-on-date": {"code behaves differently depending on the date", true},
	"failure-passed":  {"a check script succeeds even if one of its commands fails", true},
	"files-rewritten": {"tests overwrite the files they compare against", true},
	"limit-changed":   {"a threshold that decides what passes is changed", true},
	"tests-moved":     {"tests are moved to another file", false},
	ForgedResults:     {"a test that ferrus added was reported with the wrong result", true},
}

// Rule is a kind of alarm.
type Rule struct {
	Name, Why  string
	NeedsHuman bool
}

// Rules returns all kinds of alarms, in the order of names.
func Rules() []Rule {
	var all []Rule
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		all = append(all, Rule{Name: name, Why: rules[name].why, NeedsHuman: rules[name].needsHuman})
	}
	return all
}

// pathRule is raised by the name of a file.
type pathRule struct {
	rule    string
	path    *lazyregexp.Regexp
	below   bool // the path is below the workspace, not below the worktree
	deleted bool // only when the file is gone, or no longer called like that
	there   bool // only when it is not
}

var pathRules = []pathRule{
	{rule: "settings-changed", path: lazyregexp.New(`^ferrus\.toml$`), below: true},
	{rule: "ci-changed", path: ciPath},
	{rule: "ignore-changed",
		path: lazyregexp.New(
			`(?:^|/)\.(?:git|docker|eslint|prettier|stylelint|npm|rg|fd)?ignore$|\.dockerignore$|(?:^|/)\.git(?:attributes|modules)$`)},
	{rule: "test-deleted", path: testPath, deleted: true},
	{rule: runsUnasked, path: unasked, there: true},
	{rule: "tool-settings",
		path: lazyregexp.New(
			`(?:^|/)(?:\.golangci\.[^/]+|\.?eslint(?:rc|\.config)[^/]*|(?:jest|vitest|playwright|cypress` +
				`|karma)\.config\.[^/]+|pytest\.ini|tox\.ini|setup\.cfg|\.flake8|\.?ruff\.toml|\.?mypy\.ini` +
				`|\.coveragerc` +
				`|\.?clippy\.toml|\.?rustfmt\.toml|\.cargo/config(?:\.toml)?|tsconfig[^/]*\.json` +
				`|phpunit(?:\.dist)?\.xml[^/]*|\.rspec|\.rubocop[^/]*\.yml|psalm[^/]*\.xml|\.credo\.exs|\.?oxlintrc\.json|biome\.jsonc?|pyrightconfig\.json|\.?pylintrc|\.prettierrc[^/]*` +
				`|\.?stylelint[^/]*|phpstan[^/]*|revive\.toml|staticcheck\.conf|\.shellcheckrc|\.semgrep[^/]*|\.swiftlint\.yml` +
				`|\.clang-tidy|\.?deny\.toml|(?:checkstyle|pmd|spotbugs|findbugs|sonar|detekt|cpd)[^/]*(?:/[^/]+)?\.(?:xml|properties|ya?ml)|codecov\.ya?ml|\.testcoverage\.yml)$`)},
}

// ciPath is every file that says what continuous integration runs.
var ciPath = lazyregexp.New(
	`^\.(?:github|gitea|forgejo)/(?:workflows|actions)/|^\.(?:circleci|buildkite|woodpecker|ci)/` +
		`|^\.gitlab-ci\.ya?ml$|^\.gitlab/ci/|^\.(?:travis|drone|woodpecker|cirrus|appveyor)\.ya?ml$` +
		`|^appveyor\.ya?ml$|^azure-pipelines[^/]*\.ya?ml$|^bitbucket-pipelines\.ya?ml$|^Jenkinsfile[^/]*$`)

// testPath is every file that belongs to tests.
var testPath = lazyregexp.New(
	`_test\.(?:go|py|rb|rs|exs?|c|cc|cpp)$|(?:^|/)test_[^/]*\.py$|(?:^|/)conftest\.py$|[.-](?:test` +
		`|spec)\.[cm]?[jt]sx?$|\.cy\.[jt]sx?$|\.feature$|(?:^|/)(?:__tests__|__snapshots__|tests?|spec|testdata)/` +
		`|(?:Test|Tests|IT|Spec)\.(?:java|kt|kts|groovy|scala|cs|php|swift)$|_spec\.rb$|\.(?:bats|t)$`)

func (r pathRule) fits(name, prefix string, file checks.FileChange) bool {
	if r.below {
		below, ok := strings.CutPrefix(name, prefix)
		if !ok {
			return false
		}
		name = below
	}
	if !r.path.MatchString(name) {
		return false
	}
	if r.there {
		return file.Status != 'D' && name == file.Path && !example.MatchString(name)
	}
	if !r.deleted {
		return true
	}
	return file.Status == 'D' || file.Status == 'R' && name == file.Old && !r.path.MatchString(file.Path)
}
