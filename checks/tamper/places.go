package tamper

import (
	"path"
	"slices"
	"strings"

	"ferrus/checks"
	"ferrus/ui/text/lazyregexp"
)

// vendored are the directories that hold code of others.
var vendored = lazyregexp.New(
	`(?:^|/)(?:vendor|_vendor|third_party|thirdparty|node_modules|bower_components|site-packages|\.yarn|Godeps)/`)

// manifest are the files that say which code of others there is.
var manifest = lazyregexp.New(
	`(?:^|/)(?:go\.(?:mod|sum)|vendor/modules\.txt|package\.json|package-lock\.json|yarn\.lock|pnpm-lock\.yaml|Cargo\.(?:toml|lock)` +
		`|requirements[^/]*\.txt|vendor\.txt|Gemfile(?:\.lock)?|composer\.(?:json|lock))$`)

// testTools are names in the paths of code that tests rest on.
var testTools = lazyregexp.New(`(?i)testify|gomega|ginkgo|go-cmp|gotest|quicktest|\bassert\w*|\bexpect\w*|jest|vitest|mocha|chai` +
	`|sinon|jasmine|\btap[ae]?\b|pytest|unittest|nose|hypothesis|coverage|gtest|googletest|proptest|quickcheck|rstest|insta|criterion|catch2?|doctest|unity|junit|rspec|minitest|/testing/`)

// startup are modules that Python imports by itself.
var startup = lazyregexp.New(`(?:^|/)(?:sitecustomize|usercustomize)\.py$|\.pth$|\.egg-info/entry_points\.txt$|\.dist-info/`)

// pythonModules are the modules whose place a file at the top of an import path takes.
var pythonModules = lazyregexp.New(`^(?:_?pytest|py|pluggy|iniconfig|packaging|unittest|doctest|nose2?|coverage|tox|nox|hypothesis|mock` +
	`|attr|attrs|abc|argparse|ast|asyncio|base64|bisect|builtins|calendar|cmath|codecs|collections|contextlib|copy|csv|dataclasses` +
	`|datetime|decimal|difflib|dis|enum|errno|faulthandler|fnmatch|fractions|functools|gc|getopt|glob|hashlib|heapq|importlib|inspect` +
	`|io|itertools|json|keyword|linecache|locale|logging|math|numbers|operator|os|pathlib|pdb|pickle|pkgutil|platform|pprint|queue` +
	`|random|re|reprlib|runpy|sched|shlex|shutil|signal|site|socket|sqlite3|stat|statistics|string|struct|subprocess|symtable|sys` +
	`|sysconfig|tempfile|textwrap|threading|time|timeit|token|tokenize|trace|traceback|types|typing|urllib|uuid|warnings|weakref|zipfile` +
	`|zlib|mypy|ruff|flake8|black|isort|pylint|typing_extensions)$`)

// places raises what the kind or the place of a changed file is enough for.
func (f *finder) places(file checks.FileChange) {
	if other := f.change.Alike[file.Path]; other != "" {
		f.raise(nameAlike, file.Path).Why += " (" + other + ")"
	} else if (file.Status == 'A' || file.Status == 'R') && checks.HasOddName(file.Path) {
		f.raise(nameAlike, file.Path)
	}
	switch {
	case slices.Contains(file.Modes[:], checks.SubmoduleMode):
		f.raise("submodule-changed", file.Path)
		return
	case file.Modes[1] == checks.LinkMode:
		f.links = append(f.links, file.Path)
		return
	}
	if file.Status == 'D' {
		if vendored.MatchString(file.Path) {
			f.vendored(file)
		}
		return
	}
	if why := f.shadows(file); why != "" {
		a := f.raise("tool-shadowed", file.Path)
		a.Why += " (" + why + ")"
		f.touch(a, file)
	} else if vendored.MatchString(file.Path) {
		f.vendored(file)
	}
	f.renamedAway(file)
	f.compiled(file)
}

// renamedAway raises a file of tests whose name came to leave it out.
func (f *finder) renamedAway(file checks.FileChange) {
	if _, test := f.languageOf(file.Path); !test || file.Status == 'M' {
		return
	}
	at := leftOut.FindStringIndex(file.Path)
	now, before := at != nil || unseen.MatchString(file.Path), false
	if file.Old != "" {
		before = leftOut.MatchString(file.Old) || unseen.MatchString(file.Old)
	} else {
		before = at == nil || !f.takesPlace(file.Path[:at[0]]+"_test.go")
	}
	if now && !before {
		f.raise("skip-added", file.Path).Why = "tests are in a file whose name makes the runner skip it"
	}
}

// takesPlace reports whether a file is gone.
func (f *finder) takesPlace(name string) bool { return f.status(name) == 'D' }

// leftOut is the end of the name of a file that is compiled for another system; unseen is a path
// that runners leave out.
var (
	leftOut = lazyregexp.New(`_(?:aix|android|darwin|dragonfly|freebsd|illumos|ios|js|netbsd|openbsd|plan9|solaris|wasip1|windows` +
		`|386|arm|loong64|mips\w*|ppc64\w*|riscv64|s390x|wasm)_test\.go$`)
	unseen = lazyregexp.New(`(?:^|/)(?:testdata/|[._][^/]*(?:/.*)?_test\.go$|_[^/]*/)`)
)

// vendored raises code of others that changed without what says which version there is; of what
// tests rest on, always.
func (f *finder) vendored(file checks.FileChange) {
	if manifest.MatchString(file.Path) {
		return
	}
	if !testTools.MatchString(file.Path) && !strings.Contains(file.Path, "node_modules/") {
		for _, other := range f.change.Files {
			if manifest.MatchString(other.Path) && other.Status != 'D' && !vendored.MatchString(other.Path) {
				return
			}
		}
	}
	if len(f.vendor) > 0 && path.Dir(f.vendor[0].Path) == path.Dir(file.Path) {
		return
	}
	a := f.raise("vendored-changed", file.Path)
	f.vendor = append([]*Alarm{a}, f.vendor...)
	f.touch(a, file)
}

// shadows says what a file that came takes the place of; empty: nothing.
func (f *finder) shadows(file checks.FileChange) string {
	name, base := file.Path, path.Base(file.Path)
	came := file.Status == 'A' || file.Old != "" && path.Base(file.Old) != base || file.Status == 'T'
	switch {
	case startup.MatchString(name):
		return "Python runs it before anything else"
	case !came:
		return ""
	}
	stem := strings.TrimSuffix(base, path.Ext(base))
	dir := path.Dir(name)
	if base == "__init__.py" {
		stem, dir = path.Base(dir), path.Dir(dir)
	}
	if path.Ext(base) == ".py" && pythonModules.MatchString(stem) && f.isImportRoot(dir, base == "__init__.py") {
		return "the Python module " + stem
	}
	if product := strings.Replace(name, "src/test/", "src/main/", 1); product != name {
		if _, there := f.change.Present(product); there {
			return "the class of " + product
		}
	}
	if module := f.covers(name); module != "" {
		return "the module " + module
	}
	switch {
	case strings.HasPrefix(name, f.change.Prefix+"node_modules/"):
		return "what the package manager puts there"
	case strings.HasPrefix(name, f.change.Prefix+"__mocks__/"):
		return "a package, for all tests"
	case testLibrary.MatchString(name):
		return "a class of the test library"
	}
	for _, command := range f.change.Commands {
		if slices.Contains(programs(command.Run), base) {
			return "the program " + base
		}
	}
	return ""
}

// covered are the files that a new one covers: of what is found first, and of what would be found.
var covered = []struct {
	path *lazyregexp.Regexp
	to   []string
}{
	{lazyregexp.New(`(?:/__init__\.pyi?$)`), []string{".py"}},
	{lazyregexp.New(`\.(?:[cm]?js|json)$`), []string{".ts", ".tsx", "/index.ts", "/index.tsx", "/index.js", "/index.mjs"}},
	{lazyregexp.New(`/package\.json$`), []string{"/index.js", "/index.mjs", "/index.cjs", "/index.ts"}},
	{lazyregexp.New(`\.tsx?$`), []string{"/index.ts", "/index.tsx", "/index.js"}},
}

// covers returns the file that nothing finds any more by the name of its module, because a new one
// is found first.
func (f *finder) covers(name string) string {
	for _, c := range covered {
		at := c.path.FindStringIndex(name)
		if at == nil || generatedPath.MatchString(name) || testPath.MatchString(name) {
			continue
		}
		for _, end := range c.to {
			other := name[:at[0]] + end
			if _, there := f.change.Present(other); there && f.status(other) != 'A' {
				return other
			}
		}
	}
	return ""
}

// testLibrary is a source below the package of a library for tests, or a header of one.
var testLibrary = lazyregexp.New(`(?:^|/)(?:gtest|gmock|catch2?|doctest)/[\w.-]*\.(?:h|hpp)$|(?:^|/)(?:org/(?:junit|testng|assertj|hamcrest|mockito|opentest4j)|junit/framework|kotlin/test|io/kotest)/` +
	`.*\.(?:java|kt|groovy|class)$`)

// programs returns the names of the programs that a line starts.
func programs(line string) (all []string) {
	for _, call := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(";&|()\n", r) }) {
		for _, word := range strings.Fields(call) {
			if !strings.Contains(word, "=") && !starter.MatchString(word) {
				if startsProgram.MatchString(word) {
					all = append(all, word)
				}
				break
			}
		}
	}
	return all
}

// starter is a word in front of the actual program.
var starter = lazyregexp.New(`^(?:env|time|nice|exec|command|npx|sudo|timeout|xvfb-run|-\S*|\d+\w?)$`)

// startsProgram is a word that can name a program.
var startsProgram = lazyregexp.New(`^[a-z][\w.+-]*$`)

// isImportRoot reports whether Python looks for modules in a directory: at the top, below src, and
// beside tests.
func (f *finder) isImportRoot(dir string, isPackage bool) bool {
	dir = strings.TrimSuffix(dir, "/")
	top := strings.TrimSuffix(f.change.Prefix, "/")
	if dir == "." {
		dir = ""
	}
	for _, command := range f.change.Commands {
		if m := changeDir.FindStringSubmatch(command.Run); m != nil && dir == path.Join(top, m[1]) {
			return true
		}
	}
	return dir == top || dir == path.Join(top, "src") || dir == path.Join(top, "lib") ||
		!isPackage && testPath.MatchString(dir+"/")
}

// checkLink takes a line of a link: where it points.
func (f *finder) checkLink(l checks.LineChange) {
	if !l.Added || !slices.Contains(f.links, l.Path) {
		return
	}
	target := strings.TrimSpace(l.Text)
	if path.IsAbs(target) || strings.HasPrefix(path.Join(path.Dir(l.Path), target), "..") {
		f.raise("link-outside", l.Path).quote(l)
	}
}
