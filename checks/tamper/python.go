package tamper

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"ferrus/checks"
	"ferrus/ui/text/lazyregexp"
)

// pytestFiles are where pytest looks for its settings in a directory, in its order: the first that
// has any is the only one.
var pytestFiles = []string{"pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini",
	"setup.cfg"}

var (
	// pytestKey is a setting that decides which tests run and what fails them.
	pytestKey = lazyregexp.New(`^(?:addopts|testpaths|norecursedirs|python_\w+|collect_\w+|xfail_strict|strict\w*|usefixtures` +
		`|pythonpath|confcutdir|empty_parameter_set_mark|filterwarnings|required_plugins|timeout\w*|junit_\w+|console_output_style)$`)
	// reportOption is an option that changes only what pytest prints.
	reportOption = lazyregexp.New(`^-(?:r\w*|v+|q+|l)$|^--(?:tb|color|durations|durations-min|showlocals|verbose|quiet|junit-?xml)(?:=|$)`)
	// runsTests is a command of tox that does; mayFail is one that may.
	runsTests = lazyregexp.New(`\b(?:pytest|unittest|nose2?|coverage run|tests?)\b`)
	mayFail   = lazyregexp.New(`^-|\|\|`)
	toxKey    = lazyregexp.New(`^(?:commands|ignore_\w+|set_?env|skip_?sdist)$`)
)

// pytest raises a file of settings after which pytest has other settings in its directory, wherever
// they are.
func (f *finder) pytest(file checks.FileChange) {
	if !slices.Contains(pytestFiles, path.Base(file.Path)) && !slices.Contains(pytestFiles, path.Base(file.Was())) {
		return
	}
	dir := path.Dir(file.Path)
	_, has := pytestSettings(file.Path, f.change.Present)
	_, had := pytestSettings(file.Was(), f.change.Base)
	was, now := inForce(dir, f.change.Base), inForce(dir, f.change.Present)
	maps.DeleteFunc(now, func(key, value string) bool { return was[key] == "" && demandsMore(key, value) })
	if (has || had) && !maps.Equal(was, now) {
		f.raiseSetting(testSettings, file, assigned(was), assigned(now))
	}
}

// demandsMore reports a setting with which pytest fails where it did not.
func demandsMore(key, value string) bool {
	return key == "filterwarnings" && value == "error" ||
		(key == "xfail_strict" || strings.HasPrefix(key, "strict")) && strings.EqualFold(value, "true")
}

// inForce returns the settings that pytest uses in a directory: its own, or those above it.
func inForce(dir string, texts func(string) (string, bool)) map[string]string {
	for ; ; dir = path.Dir(dir) {
		for _, name := range pytestFiles {
			if all, ok := pytestSettings(path.Join(dir, name), texts); ok {
				return all
			}
		}
		if dir == "." {
			return nil
		}
	}
}

// pytestSettings returns what one file says to pytest; false: nothing, and it looks further.
func pytestSettings(name string, texts func(string) (string, bool)) (all map[string]string, ok bool) {
	text, ok := texts(name)
	if !ok {
		return nil, false
	}
	base := path.Base(name)
	var sections map[string]map[string]string
	switch {
	case path.Ext(name) == ".toml":
		sections = tomlSections(text)
	default:
		sections = iniSections(text)
	}
	all, ok = map[string]string{}, strings.Contains(base, "pytest.ini") || strings.Contains(base, "pytest.toml")
	for _, section := range []string{"pytest", "tool:pytest", "tool.pytest", "tool.pytest.ini_options"} {
		if base == "setup.cfg" && section == "pytest" {
			continue // pytest refuses it.
		}
		keys, has := sections[section]
		ok = ok || has
		for key, value := range keys {
			if key = strings.TrimPrefix(key, "ini_options."); pytestKey.MatchString(key) {
				all[key] = strings.Join(slices.DeleteFunc(strings.Fields(value), reportOption.MatchString), " ")
			}
			if all["addopts"] == "" {
				delete(all, "addopts")
			}
		}
	}
	return all, ok
}

// iniSections returns the settings of a text by section and key, continued lines joined.
func iniSections(text string) map[string]map[string]string {
	all := map[string]map[string]string{}
	section, key := "", ""
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		name, value, assigns := strings.Cut(trimmed, "=")
		switch {
		case trimmed == "" || strings.HasPrefix(trimmed, "#") || strings.HasPrefix(trimmed, ";"):
		case strings.HasPrefix(line, "[") && strings.HasSuffix(trimmed, "]"):
			section, key = strings.Trim(trimmed, "[] "), ""
			if all[section] == nil {
				all[section] = map[string]string{}
			}
		case line[0] == ' ' || line[0] == '\t':
			if all[section] != nil && key != "" {
				all[section][key] += "\n" + trimmed
			}
		case assigns && all[section] != nil:
			key = strings.TrimSpace(name)
			all[section][key] = strings.TrimSpace(value)
		}
	}
	return all
}

// tomlSections returns the same of a text in TOML: lists are joined by blanks.
func tomlSections(text string) map[string]map[string]string {
	var all map[string]any
	if err := toml.Unmarshal([]byte(text), &all); err != nil {
		return map[string]map[string]string{"pytest": {"addopts": text}} // What cannot be read is compared whole.
	}
	sections := map[string]map[string]string{}
	var walk func(name string, table map[string]any)
	walk = func(name string, table map[string]any) {
		values := map[string]string{}
		for key, value := range table {
			switch value := value.(type) {
			case map[string]any:
				walk(strings.TrimPrefix(name+"."+key, "."), value)
			case []any:
				for _, v := range value {
					values[key] += fmt.Sprintln(v)
				}
			default:
				values[key] = fmt.Sprint(value)
			}
		}
		if name != "tool.pytest" || len(values) > 0 { // It is there above tool.pytest.ini_options, too.
			sections[name] = values
		}
	}
	walk("", all)
	return sections
}

// assigned returns settings as sorted lines.
func assigned(settings map[string]string) (all []string) {
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		all = append(all, key+" = "+settings[key])
	}
	return all
}

// tox raises a tox.ini whose environments run fewer tests, or pass more.
func (f *finder) tox(file checks.FileChange) {
	if path.Base(file.Path) != "tox.ini" && path.Base(file.Was()) != "tox.ini" {
		return
	}
	if _, runs := f.run[file.Path]; runs {
		return // It has an alarm of its own.
	}
	text, _ := f.change.Base(file.Was())
	was := iniSections(text)
	text, _ = f.change.Present(file.Path)
	now := iniSections(text)
	var went, came []string
	for section, keys := range was {
		if !strings.HasPrefix(section, "testenv") && section != "tox" {
			continue
		}
		for key := range merged(keys, now[section]) {
			before, after := lines(keys[key]), lines(now[section][key])
			weaker := key != "commands" || !isNoWeaker(before, after)
			if toxKey.MatchString(key) && !slices.Equal(before, after) && weaker {
				went, came = append(went, key+" = "+keys[key]), append(came, key+" = "+now[section][key])
			}
		}
	}
	if len(went) > 0 {
		slices.Sort(went)
		slices.Sort(came)
		f.raiseSetting(runnerSettings, file, went, came)
	}
}

// isNoWeaker reports whether commands still run all tests that they ran. A linter still runs, with
// whatever options: the paths in them are no tests that it runs.
func isNoWeaker(before, after []string) bool {
	before, after = joinContinued(before), joinContinued(after)
	for _, all := range [][]string{before, after} {
		for i := range all {
			all[i] = forPythons.ReplaceAllString(all[i], "")
		}
	}
	linters := map[string]bool{}
	for _, command := range after {
		linters[linterOf(command)] = true
	}
	return !slices.ContainsFunc(without(before, after), func(command string) bool {
		program := linterOf(command)
		return runsTests.MatchString(command) && (program == "" || !linters[program])
	}) && !slices.ContainsFunc(without(after, before), mayFail.MatchString)
}

// forPythons says which versions of Python a command of tox is for.
var forPythons = lazyregexp.New(`^(?:(?:py3(?:\d|1\d|\{\d{1,2}(?:,\d{1,2})*\})|pypy3\d*)(?:,|:\s+))+`)

// pythonLinter is a program that checks texts and runs none of the code, at the beginning of a command.
var pythonLinter = lazyregexp.New(`^(?:(?:\{envpython\}|python\S*) -m )?(?:codespell|flake8|ruff|black|isort|mypy|pyright|pylint` +
	`|pydocstyle|pyupgrade|doc8|docformatter|autopep8|bandit|interrogate|vulture|twine check|check-manifest)\b`)

// linterOf returns the linter that a command calls, empty for others.
func linterOf(command string) string {
	return strings.Join(pythonLinter.FindStringSubmatch(command), "")
}

// joinContinued joins lines that end with a backslash with the next ones.
func joinContinued(all []string) []string {
	return strings.Split(strings.ReplaceAll(strings.Join(all, "\n"), "\\\n", " "), "\n")
}

// merged returns the keys of both.
func merged(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// lines returns the non-empty lines of a value.
func lines(value string) []string {
	return slices.DeleteFunc(strings.Split(value, "\n"), func(l string) bool { return l == "" })
}
