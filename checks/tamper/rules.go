package tamper

import (
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
)

// rules are what may be raised: in which words, and for whom.
var rules = map[string]struct {
	why        string
	needsHuman bool
}{
	"settings-changed":     {"the settings of ferrus: this file is changed", true},
	"ci-changed":           {"continuous integration: this file is changed", true},
	"ignore-changed":       {"what git or a tool ignores: this file is changed", true},
	"command-file-changed": {"the check commands name or run this file, and it is changed", true},
	"command-file-added":   {"the check commands name or run this file, and it is new", false},
	"tool-replaced": {"the check commands find this program on PATH, and it is not the one there was when " +
		"the task began", true},
	"test-deleted":        {"a test file is deleted", true},
	"tests-removed":       {"tests are removed", true},
	"tests-renamed":       {"tests are renamed", false},
	"tests-gone":          {"tests that ran when the task started do not run now", true},
	NoChange:              {"no file is changed", true},
	"only-blanks":         {"only blanks and empty lines are changed", true},
	"only-generated":      {"only generated files are changed", true},
	"base-tests-fail":     {"tests of the base, unchanged, fail on the new code", true},
	"base-tests-lost":     {"tests of the base no longer run, and some of what they demand is gone", true},
	"base-tests-replaced": {"tests of the base no longer run", false},
	"base-red":            {"the checks failed before the task started", false},
	"skip-added":          {"tests are skipped", true},
	"assertions-removed":  {"assertions are removed", true},
	"always-passes":       {"tests pass whatever the code does", true},
	"check-suppressed":    {"a check is switched off for a whole file", true},
	"dependency-replaced": {"a dependency comes from another source", true},
	"assertions-changed":  {"assertions are changed", false},
	"fewer-tests":         {"fewer tests ran than when the task started", true},
	"no-tests":            {"no test ran", false},
	textHidden:            {"a line is not what it looks like", true},
	"compiled-code":       {"compiled code, which does not show what it does", true},
	"tree-rewritten":      {"the check commands change files of the tree while they run", true},
	"failed-before":       {"the checks passed and failed on the same tree", true},
	"tool-settings":       {"the settings of a checking tool: this file is changed", false},
	testSettings:          {"settings that decide which tests run, and what fails them, are changed", true},
	runnerSettings:        {"settings of a program that runs tests are changed", true},
	"tool-shadowed":       {"a file takes the place of a program or module that the checks start", true},
	"vendored-changed":    {"vendored code is changed", true},
	"link-outside":        {"a link points outside the repository", true},
	"submodule-changed":   {"a submodule points to another commit", true},
	asksForTests:          {"code outside of tests asks whether a test runs it", true},
	"prints-results":      {"code outside of tests prints what a test runner prints", true},
	"ends-process":        {"code outside of tests ends the process with success", true},
	changesTestTools:      {"code outside of tests changes what tests use to compare and report", true},
	"equal-to-all":        {"a comparison finds everything equal", true},
	"reads-tests":         {"code outside of tests reads the files of tests", true},
	"depends-on-date":     {"code changes its behavior on a date", true},
	"failure-passed":      {"a check script succeeds although a command in it fails", true},
	"files-rewritten":     {"tests write the files that they compare against", true},
	"limit-changed":       {"a number that decides what passes is changed", true},
	"tests-moved":         {"tests are moved to another file", false},
	ForgedResults:         {"a test that ferrus added was reported with another result", true},
}

// Rule is a kind of alarm.
type Rule struct {
	Name, Why  string
	NeedsHuman bool
}

// Rules are all kinds of alarms, in the order of names.
func Rules() []Rule {
	var all []Rule
	for name, r := range rules {
		all = append(all, Rule{Name: name, Why: strings.Replace(r.why, ": this file is changed", "", 1),
			NeedsHuman: r.needsHuman})
	}
	return sorted(all)
}

// pathRule is raised by the name of a file.
type pathRule struct {
	rule    string
	path    *lazyregexp.Regexp
	below   bool // the path is below the workspace, not below the worktree
	deleted bool // only when the file is gone, or no longer called like that
}

var pathRules = []pathRule{
	{rule: "settings-changed", path: lazyregexp.New(`^ferrus\.toml$`), below: true},
	{rule: "ci-changed", path: ciPath},
	{rule: "ignore-changed",
		path: lazyregexp.New(
			`(?:^|/)\.(?:git|docker|eslint|prettier|stylelint|npm|rg|fd)?ignore$|(?:^|/)\.git(?:attributes|modules)$`)},
	{rule: "test-deleted", path: testPath, deleted: true},
	{rule: "tool-settings",
		path: lazyregexp.New(
			`(?:^|/)(?:\.golangci\.[^/]+|\.?eslint(?:rc|\.config)[^/]*|(?:jest|vitest|playwright|cypress` +
				`|karma)\.config\.[^/]+|pytest\.ini|tox\.ini|setup\.cfg|\.flake8|\.?ruff\.toml|\.?mypy\.ini` +
				`|\.coveragerc` +
				`|\.?clippy\.toml|\.?rustfmt\.toml|\.cargo/config(?:\.toml)?|tsconfig[^/]*\.json` +
				`|phpunit\.xml[^/]*|\.rspec|\.rubocop\.yml|biome\.jsonc?|pyrightconfig\.json|\.?pylintrc|\.prettierrc[^/]*` +
				`|\.?stylelint[^/]*|phpstan[^/]*|revive\.toml|staticcheck\.conf|\.shellcheckrc|\.semgrep[^/]*|\.swiftlint\.yml)$`)},
}

// ciPath is every file that says what continuous integration runs.
var ciPath = lazyregexp.New(
	`^\.(?:github|gitea|forgejo)/(?:workflows|actions)/|^\.(?:circleci|buildkite|woodpecker|ci)/` +
		`|^\.gitlab-ci\.ya?ml$|^\.gitlab/ci/|^\.(?:travis|drone|woodpecker|cirrus|appveyor)\.ya?ml$` +
		`|^appveyor\.ya?ml$|^azure-pipelines[^/]*\.ya?ml$|^bitbucket-pipelines\.ya?ml$|^Jenkinsfile[^/]*$`)

// testPath is every file that belongs to tests.
var testPath = lazyregexp.New(
	`_test\.(?:go|py|rb|rs|exs?|c|cc|cpp)$|(?:^|/)test_[^/]*\.py$|(?:^|/)conftest\.py$|\.(?:test` +
		`|spec)\.[cm]?[jt]sx?$|(?:^|/)(?:__tests__|__snapshots__|tests?|spec|testdata)/` +
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
	if !r.deleted {
		return true
	}
	return file.Status == 'D' || file.Status == 'R' && name == file.Old && !r.path.MatchString(file.Path)
}
