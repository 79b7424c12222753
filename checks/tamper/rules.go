package tamper

import (
	"strings"

	"ferrus/checks"
	"ferrus/ui/text/lazyregexp"
)

// rules are what may be raised: in which words, and for whom.
var rules = map[string]struct {
	why        string
	needsHuman bool
}{
	"settings-changed":     {"the settings of ferrus: this file is changed", true},
	"ci-changed":           {"continuous integration: this file is changed", true},
	"ignore-changed":       {"what git or a tool leaves out: this file is changed", true},
	"command-file-changed": {"the check commands name or run this file, and it is changed", true},
	"command-file-added":   {"the check commands name or run this file, and it is new", false},
	"tool-replaced": {"the check commands find this program on PATH, and it is not the one there was when " +
		"the task began", true},
	"test-deleted":        {"a test file is deleted", true},
	"tests-removed":       {"tests are removed", true},
	"tests-renamed":       {"tests are renamed", false},
	"tests-gone":          {"tests that ran when the task began do not run now", true},
	NoChange:              {"no file is changed", true},
	"only-blanks":         {"only blanks and empty lines are changed", true},
	"only-generated":      {"only files that a program writes are changed", true},
	"base-tests-fail":     {"tests of the base, unchanged, fail on the new code", true},
	"base-tests-lost":     {"tests of the base cannot run any more, and demands of theirs are gone", true},
	"base-tests-replaced": {"tests of the base cannot run any more", false},
	"base-red":            {"the checks failed before the task began", false},
	"skip-added":          {"tests are skipped", true},
	"assertions-removed":  {"assertions are removed", true},
	"assertions-changed":  {"assertions are changed", false},
	"fewer-tests":         {"fewer tests ran than when the task began", true},
	"no-tests":            {"no test ran", false},
	"tool-settings":       {"the settings of a tool that checks: this file is changed", false},
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
	{rule: "ci-changed",
		path: lazyregexp.New(
			`^\.(?:github|gitea|forgejo)/(?:workflows|actions)/|^\.(?:circleci|buildkite|woodpecker|ci)/` +
				`|^\.gitlab-ci\.ya?ml$|^\.gitlab/ci/|^\.(?:travis|drone|woodpecker|cirrus|appveyor)\.ya?ml$` +
				`|^appveyor\.ya?ml$|^azure-pipelines[^/]*\.ya?ml$|^bitbucket-pipelines\.ya?ml$|^Jenkinsfile[^/]*$`)},
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
				`|phpunit\.xml[^/]*|\.rspec|\.rubocop\.yml)$`)},
}

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

// language is how the tests of one language look.
type language struct {
	name   string
	path   *lazyregexp.Regexp // files that may hold tests
	test   *lazyregexp.Regexp // a line that begins a test
	skip   *lazyregexp.Regexp // a line that keeps tests from running
	assert *lazyregexp.Regexp // a line that demands something
	mixed  *lazyregexp.Regexp // of path: files that hold other code too
}

var languages = []language{
	{
		name: "go", path: lazyregexp.New(`_test\.go$`),
		test: lazyregexp.New(`^func (?:Test|Fuzz|Example)\w*\(`),
		skip: lazyregexp.New(`\b\w+\.Skip(?:f|Now)?\(|\btesting\.Short\(|^\s*//go:build\b|^\s*// \+build\b`),
		assert: lazyregexp.New(
			`\b[A-Za-z]\w*\.(?:Error|Fatal|Fail)(?:f|Now)?\(|\b(?:require|assert|qt|check)\.[A-Z]\w*\(` +
				`|^\s*// (?:Unordered o|O)utput:`),
	},
	{
		name: "python",
		path: lazyregexp.New(`(?:^|/)(?:test_[^/]*|[^/]*_test|conftest)\.py$|(?:^|/)tests?/.*\.py$`),
		test: lazyregexp.New(`^\s*(?:async\s+)?def test\w*\(`),
		skip: lazyregexp.New(
			`@(?:pytest\.mark|unittest|mark)\.(?:skip|xfail|expectedFailure)\w*|\bpytest\.(?:skip|xfail` +
				`|importorskip)\(|\.skipTest\(|\bcollect_ignore|\bpytestmark\s*=`),
		assert: lazyregexp.New(`^\s*assert\b|\bself\.(?:assert\w+|fail)\(|\bpytest\.(?:raises|fail|warns)\(`),
	},
	{
		name: "javascript",
		path: lazyregexp.New(`\.(?:test|spec)\.[cm]?[jt]sx?$|(?:^|/)(?:__tests__|tests?|spec)/.*\.[cm]?[jt]sx?$`),
		test: lazyregexp.New("\\b(?:it|test|specify)(?:\\.each)?\\s*\\(\\s*[\"'`]|\\b(?:it|test)\\.each\\b"),
		skip: lazyregexp.New(
			`\b(?:it|test|describe|suite|context|specify)\.(?:skip|todo|only|fixme|fails|failing|skipIf|runIf)\b` +
				`|\b[xf](?:it|describe|test|context)\s*\(|\b(?:this|t|context|ctx)\.skip\(|\bskip:\s*true`),
		assert: lazyregexp.New(
			`\bexpect\s*\(|\bassert\w*\s*[.(]|\.should\b|\bt\.(?:equal|is|true|false|deepEqual|throws|ok)\(`),
	},
	{
		name: "rust", path: lazyregexp.New(`\.rs$`), mixed: lazyregexp.New(`^(?:.*/)?src/`),
		test:   lazyregexp.New(`^\s*#\[(?:\w+::)*(?:test|rstest|quickcheck|proptest)\b`),
		skip:   lazyregexp.New(`#\[ignore\b|#\[cfg\((?:any\(\)|not\(test\))`),
		assert: lazyregexp.New(`\b(?:debug_|prop_)?assert(?:_\w+)?!\s*[({]|#\[should_panic`),
	},
	{
		name:   "java",
		path:   lazyregexp.New(`(?:Test|Tests|IT|Spec)\.(?:java|kt|kts|groovy|scala)$|(?:^|/)src/test/`),
		test:   lazyregexp.New(`@(?:Parameterized|Repeated)?Test\b`),
		skip:   lazyregexp.New(`@(?:Disabled\w*|Ignore)\b|\bassume\w*\(|\benabled\s*=\s*false`),
		assert: lazyregexp.New(`\bassert\w*\s*\(|\b(?:verify|fail|expectThrows)\s*\(|\bshould\w*\b`),
	},
	{
		name: "ruby", path: lazyregexp.New(`_(?:spec|test)\.rb$`),
		test: lazyregexp.New(`^\s*(?:it|specify|test|scenario)\b|^\s*def test_`),
		skip: lazyregexp.New(
			`^\s*(?:skip|pending|xit|xdescribe|xcontext|xspecify|fit|fdescribe|fcontext)\b|\b(?:skip|pending` +
				`|focus):\s*`),
		assert: lazyregexp.New(`\bexpect\b|\bassert\w*\b|\brefute\w*\b|\.should\b|\.must_`),
	},
	{
		name: "c#", path: lazyregexp.New(`Tests?\.cs$`),
		test:   lazyregexp.New(`\[(?:Fact|Theory|Test|TestMethod|TestCase)\b`),
		skip:   lazyregexp.New(`\bSkip\s*=|\[(?:Ignore|Explicit)\b|\bAssert\.(?:Ignore|Inconclusive)\(`),
		assert: lazyregexp.New(`\bAssert\.|\.Should\(`),
	},
	{
		name: "shell", path: lazyregexp.New(`\.(?:bats|t)$`),
		test:   lazyregexp.New(`^\s*@test\b`),
		skip:   lazyregexp.New(`^\s*skip\b|#\s*(?:SKIP|TODO)\b|\bskip_all\b`),
		assert: lazyregexp.New(`^\s*(?:\[\[?\s|assert\w*\b|refute\w*\b|(?:is|ok|is_deeply|like)\b)`),
	},
}

func languageOf(path string) (*language, bool) {
	for i := range languages {
		if languages[i].path.MatchString(path) {
			return &languages[i], true
		}
	}
	return nil, false
}
