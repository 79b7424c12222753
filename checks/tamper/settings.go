package tamper

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"ferrus/checks"
	"ferrus/ui/text/lazyregexp"
)

// part is what decides, in a file of settings, which tests run and what fails them.
type part struct {
	rule string
	path *lazyregexp.Regexp
	// section is a heading whose lines count; nil: there are none. line are the lines that
	// count there.
	section *lazyregexp.Regexp
	line    *lazyregexp.Regexp
	not     *lazyregexp.Regexp // lines that do not count; nil: none
	gone    bool               // only lines that went, in a file that stays
	came    bool               // only lines that came
}

// anyLine is every line that says something.
var anyLine = lazyregexp.New(`^\s*[^\s#;/]`)

var testParts = []part{
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)(?:pyproject\.toml|setup\.cfg|\.coveragerc)$`),
		line: lazyregexp.New(`\bfail_under\b|pytest11\b|^\s*omit\b`)},
	{rule: testSettings, path: lazyregexp.New(`(?i)(?:^|/)[\w.-]*setup[\w.-]*\.[cm]?[jt]sx?$`), line: lazyregexp.New(
		"\\b(?:vi|jest)\\.(?:do[mM]ock|mock|unstable_mockModule)\\(\\s*[\"'`]\\.")},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)conftest\.py$`), line: lazyregexp.New(
		`\bdef pytest_(?:collect|ignore|runtest|pyfunc|make|generate|session|configure|report|exception|assertrepr` +
			`|load|plugin|cmdline|unconfigure|terminal|itemcollected|deselected|warning)\w*|\bcollect_ignore\w*\b|\bautouse\s*=` +
			`|\bsys\.(?:modules|exit|settrace)\b|\bos\._exit\b|\bbuiltins\b|\bexitstatus\b|\bpytest_plugins\b` +
			`|\bhookwrapper\b|\bwrapper\s*=\s*True|\.outcome\s*=|\bdeselect|items\[|items\.(?:clear|remove)|_pytest\b` +
			`|setattr\(|\bunittest\.\w+\s*=|\b__eq__\b|pytest\.skip|mark\.(?:skip|xfail)`)},
	{rule: testSettings, path: lazyregexp.New(
		`(?:^|/)(?:(?:jest|vitest|vite|karma|playwright|cypress|ava|web-test-runner|wdio)(?:\.[\w-]+)*\.(?:config|conf|workspace)` +
			`\.[^/]+|vitest\.workspace\.[^/]+|(?:jest|ava|vitest)\.config\.[^/]+|\.?(?:jest|mocha|nyc|c8|tap|jasmine)rc(?:\.[^/]+)?|jasmine\.json)$`),
		line: lazyregexp.New(
			`\b(?:testMatch|testRegex|test\w*Ignore\w*|roots|rootDir|projects|modulePathIgnorePatterns|setupFiles\w*|globalSetup` +
				`|globals|moduleNameMapper|testRunner|runner|resolver|transform|bail|passWithNoTests|exclude|include|threshold\w*` +
				`|coverageThreshold|branches|lines|functions|statements|snapshotResolver|testEnvironment\w*|reporters?|retry|retries` +
				`|spec|ignore|require|grep|fgrep|invert|forbid\w+|exit|allowUncaught|testNamePattern|dangerouslyIgnore\w*` +
				`|alias|files|nodeArguments|failWithoutAssertions|update\w*|ci|check-coverage|testDir|testIgnore|grepInvert)\b`)},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)tsconfig[^/]*\.json$`),
		line: lazyregexp.New(`"(?:include|exclude|files|references|rootDirs?)"\s*:|^\s*"[^":]*"\s*,?\s*$`)},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)go/env$`), line: anyLine},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)composer\.json$`), came: true, line: lazyregexp.New(`"(?:[^"T]|T[^e])+"\s*:\s*"tests?/`)},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)playwright\.config\.[^/]+$`), gone: true, line: lazyregexp.New(`\bdevices\[`)},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)Cargo\.toml$`), section: lazyregexp.New(`^\[(?:workspace\.)?lints\b`), gone: true,
		line: lazyregexp.New(`"(?:deny|forbid)"`)},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)\.swcrc$|(?:^|/)(?:\.?babelrc|babel\.config)[^/]*$`), line: anyLine},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)go\.(?:mod|work)$`),
		line: lazyregexp.New(`^\s*(?:replace|exclude|ignore|godebug|use)\b|=>`)},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)go\.(?:mod|work)$`), came: true, line: lazyregexp.New(`^\s*toolchain\b`)},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)Cargo\.toml$`), section: lazyregexp.New(
		`^\[(?:features|\[?(?:test|bench|example)\]?|patch\b.*|replace|lib|workspace|profile\.test.*|target\b.*|lints\b.*)\]+`),
		line: lazyregexp.New(`^\s*(?:default|test|doctest|harness|path|bench|members|exclude|default-members|autotests` +
			`|required-features|panic|debug-assertions|overflow-checks)\b|^\s*[\w-]+\s*=\s*(?:\[|\{.*(?:path|git)\b)`)},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)Cargo\.toml$`),
		line: lazyregexp.New(`^\s*(?:autotests|autobins|autobenches|build|harness|doctest)\s*=`)},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)\.cargo/config(?:\.toml)?$`),
		line: lazyregexp.New(`^\s*(?:runner|rustc\S*|rustdoc|rustflags|linker|target|test|t|build|replace-with|directory|config|\w+_\w+)\s*=|^\[(?:alias|source|patch|env)\b`)},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)rust-toolchain(?:\.toml)?$`), line: lazyregexp.New(`^\s*path\s*=`)},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)\.(?:npm|yarn|pnpm)rc(?:\.yml)?$|(?:^|/)\.pnp\.[cm]?js$`),
		line: lazyregexp.New(`\b(?:script-shell|node-options|ignore-scripts|scripts-prepend\S*|yarnPath|yarn-path|nodeLinker|prefix|registry)\b|pnp`)},

	{rule: testSettings, path: lazyregexp.New(`(?:^|/)tsconfig[^/]*\.json$`), line: lazyregexp.New(
		`"(?:paths|baseUrl|extends)"\s*:|"(?:strict\w*|noImplicit\w*|checkJs)"\s*:\s*false`)},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)(?:\.env(?:\.[\w.-]+)?|\.envrc|\.?mise\.toml|Dockerfile)$`), line: lazyregexp.New(
		`\b(?:PYTEST_\w+|PYTHON(?:OPTIMIZE|PATH|STARTUP)|GOFLAGS|NODE_OPTIONS|RUST(?:DOC)?FLAGS|JAVA_TOOL_OPTIONS|MAVEN_OPTS|VITEST\w*|JEST_\w+)\b`)},
	{rule: testSettings, path: lazyregexp.New(
		`(?:^|/)(?:bunfig\.toml|dart_test\.yaml|junit-platform\.properties|testng[^/]*\.xml|[^/]+\.runsettings|xunit\.runner\.json|\.busted|nose2\.cfg|unittest\.cfg` +
			`|META-INF/services/org\.junit[^/]*|\.mvn/(?:maven|jvm)\.config|\.proverc|testem\.(?:js|json)|karma\.conf\.[jt]s)$`), line: anyLine},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)(?:gradle\.properties|Directory\.Build\.(?:props|targets))$`), line: lazyregexp.New(
		`(?i)test|skip|ignoreFailures`)},

	{rule: testSettings, path: lazyregexp.New(`(?:^|/)\.pnpmfile\.[cm]?js$`), line: anyLine},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)(?:\.tool-versions|\.?mise\.toml|\.python-version)$`),
		line: lazyregexp.New(`\bpath:|\bref:|/`)},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)(?:pnpm-workspace\.yaml|lerna\.json)$`),
		line: lazyregexp.New(`"?packages"?\s*:|^\s*-\s*["']?[\w.*!/-]+["']?\s*$`)},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)(?:deno\.jsonc?|nx\.json|turbo\.json|project\.json)$`),
		line: lazyregexp.New(`(?i)test|"(?:exclude|include|dependsOn)"`)},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)test_helper\.exs$`), line: lazyregexp.New(`\bexclude\b|\bonly\b|\binclude\b`)},

	{rule: runnerSettings, path: lazyregexp.New(`(?:^|/)meson\.build$`), line: lazyregexp.New(`\btest\s*\(|\bsubdir\(.*test`)},
	{rule: runnerSettings, path: lazyregexp.New(`(?:^|/)Package\.swift$`), line: lazyregexp.New(`\btestTarget\b|\bexclude:|\bsources:`)},
	{rule: runnerSettings, path: lazyregexp.New(`(?:^|/)(?:build\.sbt|settings\.gradle(?:\.kts)?|init\.gradle)$`),
		line: lazyregexp.New(`\bTest\b|\btests?\b|\binclude\b`)},
	{rule: runnerSettings, path: lazyregexp.New(`(?:^|/)\.config/nextest\.toml$|(?:^|/)nextest\.toml$`), line: anyLine},
	{rule: runnerSettings, path: lazyregexp.New(`(?:^|/)CMake(?:User)?Presets\.json$`), line: lazyregexp.New(
		`"(?:testPresets|filter|include|exclude|label|noTestsAction|repeat|overwriteConfigurationFile)"|NDEBUG|CMAKE_BUILD_TYPE`)},
	{rule: runnerSettings, path: lazyregexp.New(`(?:^|/)CTest\w*\.cmake$|(?:^|/)DartConfiguration\.tcl$`), line: anyLine},
	{rule: runnerSettings, path: lazyregexp.New(`(?:^|/)CMakeLists\.txt$|\.cmake$`), line: lazyregexp.New(
		`(?i)\b(?:add_test|enable_testing|set_tests_properties|gtest_\w+|catch_discover_tests|include\(CTest|BUILD_TESTING|WILL_FAIL|DISABLED|NDEBUG|SKIP_RETURN_CODE|SKIP_REGULAR_EXPRESSION|PASS_REGULAR_EXPRESSION|CMAKE_BUILD_TYPE)\b`)},
	{rule: runnerSettings, path: lazyregexp.New(`(?:^|/)(?:\.bazelrc|\.rspec|\.rspec-local|phpunit(?:\.dist)?\.xml[^/]*|\.buckconfig)$`), line: anyLine},
	{rule: runnerSettings, path: lazyregexp.New(`(?:^|/)tox\.toml$`), section: lazyregexp.New(`^\[(?:testenv|tox|env)(?:\b|_)`),
		line: lazyregexp.New(`^\s*(?:commands|deps)\b|\b(?:pytest|unittest|nose2?|coverage run)\b|^\s*(?:ignore_\w+|skip\w*)\s*=|\|\|\s*true|^\s+-\s*\w`)},
	{rule: runnerSettings, path: lazyregexp.New(`(?:^|/)noxfile\.py$`),
		line: lazyregexp.New(`\b(?:pytest|unittest|success_codes|session\.skip|stop_on_first_error|default_options|options\.sessions)\b`)},
	{rule: runnerSettings, path: lazyregexp.New(`(?:^|/)(?:GNUmakefile|[Mm]akefile|[^/]+\.mk|[Jj]ustfile|[Tt]askfile[^/]*\.ya?ml|Rakefile)$`),
		line: lazyregexp.New(`^(?:\.PHONY:.*)?\b(?:test|tests|check|checks|verify|ci|lint)\S*\s*:|\b(?:go test|pytest|jest|vitest|mocha|ctest|cargo (?:test|nextest)|npm (?:run )?test|phpunit|rspec)\b|^\.IGNORE|^MAKEFLAGS|-DNDEBUG\b|^SHELL\b|^\.SHELLFLAGS`)},
	{rule: runnerSettings, path: lazyregexp.New(`(?:^|/)(?:pom\.xml|build\.gradle(?:\.kts)?)$`), line: lazyregexp.New(
		`\b(?:skipTests|excludedGroups|groups|testSourceDirectory|includesFile|excludesFile|rerunFailingTestsCount|skipExec` +
			`|suiteXmlFiles?|failIfNoSpecifiedTests|enableAssertions|maven\.test\.skip|testFailureIgnore|ignoreFailures|failIfNoTests|excludes?|includes?|useJUnit\w*|filter|enabled)\b`)},
}

// parts are all that there are.
var parts = slices.Concat(testParts, buildParts, checkerParts, unaskedParts)

// packageKeys are the keys of package.json that decide how tests run.
var packageKeys = []string{"jest", "vitest", "mocha", "ava", "nyc", "c8", "tap", "jasmine", "babel", "overrides",
	"resolutions", "imports", "workspaces", "type", "packageManager", "wireit", "nx", "pnpm", "patchedDependencies"}

// settings raises files of settings in which the part for tests changed.
func (f *finder) settings(file checks.FileChange) {
	if example.MatchString(file.Path) {
		return
	}
	if f.change.Unread != nil && f.change.Unread(file.Path) && isSettings(file) {
		a := f.raise(testSettings, file.Path)
		a.Why += " (there is too much to look at)"
		f.touch(a, file)
		return
	}
	f.pytest(file)
	f.tox(file)
	f.tables(file)
	f.catalogs(file)
	f.baselines(file)
	raised := map[string]bool{}
	for i := range parts {
		p := &parts[i]
		if _, runs := f.run[file.Path]; runs && p.rule == runnerSettings {
			continue // It has an alarm of its own.
		}
		if raised[p.rule] || !p.path.MatchString(file.Path) && !p.path.MatchString(file.Was()) {
			continue
		}
		was, now := f.part(p, file.Was(), f.change.Base), f.part(p, file.Path, f.change.Present)
		gained := len(without(was, now)) == 0 && (makes.MatchString(file.Path) ||
			file.Status == 'A' && compiles.MatchString(file.Path))
		lost := path.Base(file.Path) == "conftest.py" && len(without(now, was)) == 0
		kept := p.gone && len(without(was, now)) == 0 || p.came && len(without(now, was)) == 0
		if !slices.Equal(was, now) && !(gained && !repeats(now)) && !lost && !kept {
			raised[p.rule] = true
			f.raiseSetting(p.rule, file, was, now)
		}
	}
	if path.Base(file.Path) == "package.json" || path.Base(file.Was()) == "package.json" {
		f.packageFile(file)
	}
	if base := path.Base(file.Path); file.Status == 'A' && path.Dir(file.Path)+"/" != "./"+f.change.Prefix &&
		(base == "go.mod" || base == "go.work") {
		f.raiseNewModule(file)
	}
}

// example is a path of settings that are data of tests. What makes runs, and what says which
// files are compiled, leaves out nothing where lines only come.
var (
	example  = lazyregexp.New(`(?:^|/)(?:testdata|fixtures|node_modules|vendor)/`)
	makes    = lazyregexp.New(`(?:^|/)(?:GNUmakefile|[Mm]akefile|[Jj]ustfile|[Tt]askfile[^/]*)$`)
	compiles = lazyregexp.New(`(?:^|/)tsconfig[^/]*\.json$`)
)

// launcher is a program that prepares the environment of another one, with options for that.
var launcher = lazyregexp.New(`\b((?:uv|poetry|pdm|rye|hatch|pipenv) run)(?: (?:(?:-p|--group|--extra|--python)[= ][\w.{}-]+` +
	`|-q|--(?:frozen|locked|no-sync|quiet|all-extras)))* `)

// repeats reports whether a target of sorted lines is there twice: the last one counts. So do
// settings of the program itself.
func repeats(lines []string) bool {
	for i, l := range lines {
		target, _, _ := strings.Cut(l, ":")
		if plainShell.MatchString(l) {
			continue
		}
		if i > 0 && strings.HasPrefix(lines[i-1], target+":") || strings.HasPrefix(l, "SHELL") ||
			strings.HasPrefix(l, "MAKEFLAGS") || strings.HasPrefix(l, ".") && !strings.HasPrefix(l, ".PHONY") {
			return true
		}
	}
	return false
}

// plainShell chooses a shell, and options of it by which no failure is lost.
var plainShell = lazyregexp.New(`^SHELL\s*[:?]?=\s*(?:/usr)?/bin/(?:env )?(?:ba|da|z)?sh$|^\.SHELLFLAGS\s*[:?]?=\s*(?:-[eux]+c?|-o pipefail|-c|\s)+$`)

// part returns the lines of a text that count, without blanks.
func (f *finder) part(p *part, name string, texts func(string) (string, bool)) (all []string) {
	text, ok := texts(name)
	if !ok || !p.path.MatchString(name) {
		return nil
	}
	inside := p.section == nil
	continued := false
	for line := range strings.Lines(text) {
		trimmed := strings.Join(strings.Fields(line), " ")
		if p.section != nil && strings.HasPrefix(trimmed, "[") && !strings.HasPrefix(trimmed, "[\"") {
			if inside = p.section.MatchString(trimmed); inside && p.rule != runnerSettings {
				continued = false
				continue
			}
		}
		indented := line != strings.TrimLeft(line, " \t")
		fits := inside && p.line.MatchString(line) && (p.not == nil || !p.not.MatchString(line))
		remark := strings.HasPrefix(trimmed, "#") || strings.HasPrefix(trimmed, "//") && slashRemarks.MatchString(name)
		if trimmed != "" && inside && (fits || continued && indented) && !remark {
			if makes.MatchString(name) {
				trimmed = launcher.ReplaceAllString(trimmed, "$1 ")
				trimmed = strings.TrimSpace(outputOption.ReplaceAllString(trimmed+" ", " "))
			}
			all = append(all, strings.TrimSuffix(trimmed, ","))
		}
		continued = (fits || continued && indented) && p.section != nil
	}
	slices.Sort(all)
	return all
}

// slashRemarks are the files of settings in which two slashes begin a remark.
var slashRemarks = lazyregexp.New(`\.(?:jsonc?|[cm]?[jt]sx?|mod|work|gradle|kts|swift|sbt)$`)

// raiseSetting raises a file with the lines that it lost and got.
func (f *finder) raiseSetting(rule string, file checks.FileChange, was, now []string) {
	a := f.raise(rule, file.Path)
	for _, text := range without(was, now) {
		a.quote(checks.LineChange{Path: file.Was(), Text: text})
	}
	for _, text := range without(now, was) {
		a.quote(checks.LineChange{Path: file.Path, Added: true, Text: text})
	}
}

// without returns the lines that others do not have.
func without(lines, others []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return slices.Contains(others, l) })
}

// packageFile raises package.json where what it says of tests changed.
func (f *finder) packageFile(file checks.FileChange) {
	read := func(text string, ok bool) (keys map[string]string) {
		var all map[string]json.RawMessage
		if !ok || json.Unmarshal([]byte(text), &all) != nil {
			return nil
		}
		keys = map[string]string{}
		for _, name := range packageKeys {
			if value, has := all[name]; has {
				keys[name] = name + ": " + strings.Join(strings.Fields(string(value)), " ")
			}
		}
		if conditions := string(all["exports"]); testCondition.MatchString(conditions) {
			keys["exports"] = "exports: " + strings.Join(strings.Fields(conditions), " ")
		}
		var scripts map[string]string
		_ = json.Unmarshal(all["scripts"], &scripts) // Others have no scripts that run.
		for name, script := range scripts {
			if _, runs := f.run[file.Path]; !runs && testScript.MatchString(name) {
				keys["scripts."+name] = name + ": " + script
			}
		}
		return keys
	}
	was, now := read(f.change.Base(file.Was())), read(f.change.Present(file.Path))
	if was == nil || now == nil || maps.Equal(was, now) || onlyStyle(was, now) {
		return
	}
	f.raiseSetting(testSettings, file, slices.Sorted(maps.Values(was)), slices.Sorted(maps.Values(now)))
}

// onlyStyle reports whether only scripts changed that call linters, and these still call one.
func onlyStyle(was, now map[string]string) bool {
	for key := range merged(was, now) {
		_, before, _ := strings.Cut(was[key], ": ")
		_, after, _ := strings.Cut(now[key], ": ")
		if before != after && (!strings.HasPrefix(key, "scripts.lint") || !noWeakerScript(before, after)) {
			return false
		}
	}
	return true
}

// testCondition is a condition of exports that holds for tests only.
var testCondition = lazyregexp.New(`"(?:test|jest|vitest|mocha)"\s*:`)

// testScript are the names of scripts that test.
var testScript = lazyregexp.New(`^(?:pre|post)?(?:test|check|lint|verify|ci)(?:$|[:_-])|^(?:pre|post)?(?:install|prepare)$`)

// raiseNewModule raises a module inside a module.
func (f *finder) raiseNewModule(file checks.FileChange) {
	f.raise(testSettings, file.Path).Why = "packages become a separate module, which is not tested with the" +
		" others"
}
