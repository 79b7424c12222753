package tamper

import (
	"path"
	"slices"
	"strings"

	"ferrus/checks"
	"ferrus/ui/text/lazyregexp"
)

// textRule is raised by a form that the whole text of a file has more often than before.
type textRule struct {
	rule string
	path *lazyregexp.Regexp
	form *lazyregexp.Regexp
}

var textRules = []textRule{
	{"equal-to-all", pythonCode, lazyregexp.New(
		`def __(?:eq|ge|le|contains|bool|instancecheck|subclasscheck)__\([^)]*\)[^:]*:\s*(?:(?:"""[^"]*"""|#[^\n]*)\s*)*return True\b` +
			`|def __(?:ne|lt|gt)__\([^)]*\)[^:]*:\s*(?:(?:"""[^"]*"""|#[^\n]*)\s*)*return False\b` +
			`|__(?:eq)__\s*=\s*lambda[^:]*:\s*True|__ne__\s*=\s*lambda[^:]*:\s*False`)},
	{"equal-to-all", goCode, lazyregexp.New(
		`func \([^)]*\) (?:Equals?|Is|Match(?:es)?)\([^)]*\) bool \{\s*(?:(?://[^\n]*|_ = \w+;?)\s*)*return true\s*\}`)},
	{"equal-to-all", scriptCode, lazyregexp.New(
		`\b(?:equals?|isEqual|asymmetricMatch|\[Symbol\.hasInstance\])\s*(?:=|:)?\s*(?:function\s*\w*)?\s*\([^)]*\)(?:\s*:\s*\w+)?\s*(?:=>)?\s*` +
			`(?:\{\s*(?://[^\n]*\s*)*return true;?\s*\}|true\b)`)},
	{"equal-to-all", rustCode, lazyregexp.New(
		`fn eq\(\s*&self[^)]*\)\s*->\s*bool\s*\{\s*(?:(?://[^\n]*|let _ = \w+;)\s*)*(?:return\s+)?true;?\s*\}|fn ne\(\s*&self[^)]*\)\s*->\s*bool\s*\{\s*(?:return\s+)?false;?\s*\}`)},
	{"equal-to-all", javaCode, lazyregexp.New(
		`(?:boolean equals\([^)]*\)\s*\{\s*return true;|fun equals\([^)]*\)(?:\s*:\s*Boolean)?\s*(?:=\s*true|\{\s*return true)` +
			`|\bcompareTo\([^)]*\)(?:\s*:\s*Int)?\s*(?:=\s*0\b|\{\s*return 0;))`)},
	{"equal-to-all", rubyCode, lazyregexp.New(`def (?:==|eql\?|equal\?|===)\s*\(?[^)\n]*\)?\s*[=;]?\s*true\b`)},
	{"equal-to-all", sharpCode, lazyregexp.New(
		`(?:override bool Equals|operator\s*==)\s*\([^)]*\)\s*(?:=>\s*true|\{\s*return true)`)},
	{"equal-to-all", swiftCode, lazyregexp.New(`static func ==\s*\([^)]*\)[^{]*\{\s*(?:return )?true`)},
	{"equal-to-all", dartCode, lazyregexp.New(`operator ==\s*\([^)]*\)\s*(?:=>\s*true|\{\s*return true)`)},
	{"equal-to-all", cCode, lazyregexp.New(`operator\s*==\s*\([^)]*\)[^{;]*\{\s*return true;`)},
	{asksForTests, rustCode, lazyregexp.New(
		`#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?(?:const\s+|async\s+|unsafe\s+)*(?:fn|impl|static|type)\b[^\n]*`)},
	{"skip-added", rustCode, lazyregexp.New(`#\[cfg\((?:any\(\)|false|all\(test,[^\]]*\))\s*\)\]\s*(?:#\[[^\]]*\]\s*)*mod\b`)},
}

// implements begins the implementation of a trait that only tests have. It replaces one for all other code only
// together with cfg(not(test)), which has an alarm of its own.
var implements = lazyregexp.New(`^#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*(?:unsafe\s+)?impl\b[^{;/]*\sfor\s`)

// formsIn returns what fits the rule in a text.
func (r *textRule) formsIn(text string) []string {
	return slices.DeleteFunc(r.form.FindAllString(text, -1), implements.MatchString)
}

// texts raises what the whole texts of a file tell.
func (f *finder) texts(file checks.FileChange) {
	if file.Status == 'D' || !anyCode.MatchString(file.Path) {
		return
	}
	for i := range textRules {
		r := &textRules[i]
		if !r.path.MatchString(file.Path) {
			continue
		}
		now, _ := f.change.Present(file.Path)
		found := r.formsIn(now)
		if len(found) == 0 {
			continue
		}
		was, _ := f.change.Base(file.Was())
		if len(found) <= len(r.formsIn(was)) {
			continue
		}
		form := found[len(found)-1]
		line := 1 + strings.Count(now[:strings.LastIndex(now, form)], "\n")
		text, _, _ := strings.Cut(form, "\n")
		f.raise(r.rule, file.Path).quote(checks.LineChange{Path: file.Path, Number: line, Added: true, Text: text})
	}
}

// passesFailure is a line with which a script succeeds though something in it failed.
var passesFailure = lazyregexp.New(
	`\|\|\s*(?:true\b|:|exit 0\b|/bin/true|echo\b|printf\b)|^\s*set \+e\b|set \+o (?:errexit|pipefail)|^\t[@+]*-\s*\w` +
		`|^\s*(?:-\s*)?(?:run:\s*)?exit 0\b|[;{]\s*exit 0\b|continue-on-error:\s*true|allow_failure:\s*true|ignore_error:\s*true` +
		`|--passWithNoTests|--exit-zero|--no-fail\b|;\s*true\s*["';]|;\s*true$|\btrap\b.*\bexit 0|^\.IGNORE\b|^\s*true$` +
		`|\bsuccess_codes\b|\bcheck=False\b.*(?:test|pytest)|^\s*if:\s*(?:false|\$\{\{\s*false)|sys\.exit\(0\)|process\.exit\(0\)`)

// findsProgram is a line that looks for a program and runs none, cleans up, or is a remark.
var findsProgram = lazyregexp.New(`^\s*#|^\t[@+]*-\s*(?:rm|mkdir|docker|kill)\b[^;&|]*$|\$\(shell (?:which|command -v) \S+(?: 2> ?/dev/null)? \|\| echo ['"]*\)\s*$`)

// rewrites is a line of a test that writes what tests compare with.
var (
	rewrites = lazyregexp.New(
		"(?:WriteFile|write_(?:text|bytes)|writeFile(?:Sync)?|copyFile(?:Sync)?|fs::write|File\\.write" +
			"|shutil\\.(?:copy\\w*|move)" +
			"|os\\.(?:Create|Rename|Remove|replace|remove|unlink))\\(.*(?i:golden|testdata|snap|fixture" +
			"|expected|want|__file__|__filename|_test\\.go)" +
			"|\\bopen\\(.*(?i:golden|testdata|snap|fixture|expected|want|__file__).*['\"][wax]b?\\+?['\"]" +
			"|(?i:golden|expected|snap\\w*|fixture|__file__\\)?)[\\w.)]*\\.write_(?:text|bytes)\\(" +
			"|\\bBool\\(\"update\\w*\",\\s*true|(?i:\\bupdate(?:golden|snapshots?|all)?\\s*(?::?=|:)\\s*(?:true" +
			"|['\"](?:all|new)['\"]))" +
			"|(?:UPDATE_\\w+|INSTA_\\w+)['\"]?\\]?\\s*(?:=|,)\\s*['\"]?(?:1|true|always|all)" +
			"|--update(?:-\\w+)?\\b|--snapshot-update|\\binsta::(?:with_settings|Settings)")
	// rewritesUnasked asks for a variable that is set unless someone sets it otherwise.
	rewritesUnasked = lazyregexp.New(`(?i)(?:environ\.get|getenv)\(\s*["']\w*(?:update|regen|rewrite)\w*["']\s*,\s*["']?(?:1|true)`)
	asked           = lazyregexp.New(`(?i)\bif\b.*(?:update|regen|record|rewrite|write|env|overwrite|\*\w+|accept)`)
	// above is how many lines before a line say under which condition it runs.
	above = 3
)

// checkSupport passes a line of a script or of a test to the rules for it.
func (f *finder) checkSupport(l checks.LineChange) {
	if !l.Added {
		if f.isScript(l.Path) && passesFailure.MatchString(l.Text) {
			f.product.count("failure-passed", l)
		}
		return
	}
	if f.isScript(l.Path) && passesFailure.MatchString(l.Text) && !findsProgram.MatchString(l.Text) {
		f.product.count("failure-passed", l)
	}
	if _, test := f.languageOf(l.Path); !test && !testPath.MatchString(l.Path) {
		return
	}
	if rewritesUnasked.MatchString(l.Text) || rewrites.MatchString(l.Text) && !f.isAsked(l) {
		f.product.count("files-rewritten", l)
	}
}

// pathKind is what the path of a file says, for the rules that read its lines.
type pathKind struct {
	script, product, depends bool
	unseen                   bool // no tool reads it
	rules                    []*productRule
	copies                   []*lazyregexp.Regexp // lines of [ownCopies]
}

// kind returns what the path of a file says.
func (f *finder) kind(name string) *pathKind {
	if k := f.kinds[name]; k != nil {
		return k
	}
	k := &pathKind{product: f.isProduct(name), depends: dependencies.MatchString(name),
		unseen: unseen.MatchString(name)}
	_, k.script = f.run[name]
	k.script = k.script || !ciPath.MatchString(name) && checkScript.MatchString(name)
	for i := range productRules {
		r := &productRules[i]
		if k.product && r.path.MatchString(name) && (r.not == nil || !r.not.MatchString(name)) {
			k.rules = append(k.rules, r)
		}
	}
	for _, o := range ownCopies {
		if o.path.MatchString(name) {
			k.copies = append(k.copies, o.line)
		}
	}
	f.kinds[name] = k
	return k
}

// isScript reports whether a file runs checks: the commands name it, or its name says it.
func (f *finder) isScript(name string) bool { return f.kind(name).script }

// checkScript is a script that tests, by its name.
var checkScript = lazyregexp.New(`(?i)(?:^|/)(?:[\w-]*(?:test|check|verify|lint)[\w-]*\.(?:sh|bash|mk)|runtests?[^/]*|(?:run[-_])?tests?|GNUmakefile` +
	`|makefile|[Jj]ustfile|[Tt]askfile[^/]*\.ya?ml|\.pre-commit-config\.yaml)$`)

// isAsked reports whether a line runs under a condition that says that a human asked for it.
func (f *finder) isAsked(l checks.LineChange) bool {
	if strings.Contains(l.Text, "true") && !strings.Contains(l.Text, "(") {
		return false
	}
	text, ok := f.change.Present(l.Path)
	if !ok {
		return false
	}
	lines := strings.Split(text, "\n")
	for at := l.Number - 1; at >= 0 && at >= l.Number-1-above && at < len(lines); at-- {
		if asked.MatchString(lines[at]) {
			return true
		}
	}
	return false
}

// inTests reports whether a line of a file of code is in its module of tests.
func (f *finder) inTests(l checks.LineChange) bool {
	if path.Ext(l.Path) != ".rs" {
		return false
	}
	known, ok := f.inline[l.Path]
	if !ok {
		for _, file := range f.change.Files {
			if file.Path == l.Path {
				was, _ := f.change.Base(file.Was())
				now, _ := f.change.Present(file.Path)
				known = [2]lineRange{testModule(was), testModule(now)}
			}
		}
		f.inline[l.Path] = known
	}
	in := known[0]
	if l.Added {
		in = known[1]
	}
	return in.first > 0 && l.Number >= in.first && l.Number <= in.last
}

// lineRange are lines of a file; none: it is zero.
type lineRange struct{ first, last int }

var testMod = lazyregexp.New(`(?m)^\s*#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*(?:pub\s+)?mod\s+\w+\s*\{`)

// testModule returns where the module of tests in a text in Rust is.
func testModule(text string) lineRange {
	at := testMod.FindStringIndex(text)
	if at == nil {
		return lineRange{}
	}
	r := lineRange{first: 1 + strings.Count(text[:at[0]], "\n")}
	depth := 1
	for i, c := range text[at[1]:] {
		switch c {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth == 0 {
			r.last = 1 + strings.Count(text[:at[1]+i], "\n")
			return r
		}
	}
	r.last = 1 + strings.Count(text, "\n")
	return r
}

// limit is a line with a number that says how exact, how much or how long; masked, its numbers
// are left out.
var (
	limit = lazyregexp.New(`(?i)\b\w*(?:toleran|epsilon|\beps|delta|precision|places|threshold|fail_under|cov-fail-under|max-warnings` +
		`|\brtol|\batol|approx|allowed|closeTo|inDelta|within|minimum|at_?least|coverage|accuracy|maxDiff)\w*\b`)
	slow = lazyregexp.New(`(?i)timeout|deadline|wait|retries|retry|max_?\w*(?:time|secs|ms)\b`)
	// effort is how many values a test is tried with.
	effort = lazyregexp.New(`\b(?:max_examples|with_cases|cases|withMaxSuccess|numRuns|num_runs|iterations|max_iters|tries)\b`)
	// durations are types whose name resembles a tolerance.
	durations = lazyregexp.New(`(?i)time_?delta`)
	// requirement is a package with its version, as an item of a list, and bareRequirement one without quotes.
	bareRequirement = lazyregexp.New(`^\s*[A-Za-z][\w.-]*(?:\[[\w,\s-]*\])?(?:[~=<>!]=|[<>])\d[\w.,*<>=!~]*\s*$`)
	requirement     = lazyregexp.New(`^\s*["'][A-Za-z][\w.-]*(?:\[[\w,\s-]*\])?\s*[~=<>!]=?=?\s*\d[^"']*["'],?\s*(?:#.*)?$`)
	number          = lazyregexp.New(`\b\d[\d_.]*(?:e[-+]?\d+)?\b`)
)

// isSettings reports whether a file is a script of the checks, or has settings of tests.
func (f *finder) isSettings(name string) bool {
	if known, ok := f.setting[name]; ok {
		return known
	}
	is := f.isScript(name) || slices.ContainsFunc(parts, func(p part) bool { return p.path.MatchString(name) })
	f.setting[name] = is
	return is
}

// limits are lines of one file with a number that decides what passes.
type limits struct {
	was map[string]checks.LineChange // by the line without its numbers
}

// checkLimit compares a line with the same line with other numbers.
func (f *finder) checkLimit(l checks.LineChange) {
	settings, code := f.isSettings(l.Path), anyCode.MatchString(l.Path)
	if !settings && !code || !strings.ContainsAny(l.Text, "0123456789") {
		return
	}
	if requirement.MatchString(l.Text) || !code && bareRequirement.MatchString(l.Text) {
		return
	}
	efforts := effort.MatchString(l.Text)
	exact := limit.MatchString(durations.ReplaceAllString(l.Text, ""))
	lang, test := f.languageOf(l.Path)
	bounds := test && lang.assert.MatchString(l.Text) && bound.MatchString(l.Text)
	if !exact && !bounds && !efforts && !slow.MatchString(l.Text) {
		return
	}
	if f.limits[l.Path].was == nil {
		f.limits[l.Path] = limits{was: map[string]checks.LineChange{}}
	}
	was := f.limits[l.Path].was
	masked := number.ReplaceAllString(strings.TrimSpace(l.Text), "0")
	if !l.Added {
		was[masked] = l
		return
	}
	before, ok := was[masked]
	if !ok || strings.TrimSpace(before.Text) == strings.TrimSpace(l.Text) {
		return
	}
	delete(was, masked)
	moves := bounds && movesBound(before.Text, l.Text) || efforts && test && lowers(before.Text, l.Text)
	if !exact && !moves && !slow.MatchString(l.Text) {
		return
	}
	a := f.raise("limit-changed", l.Path)
	a.NeedsHuman = moves || exact && (test || settings)
	a.quotes([]checks.LineChange{before, l})
}
