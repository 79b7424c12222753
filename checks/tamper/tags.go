package tamper

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"ferrus/checks"
	"ferrus/ui/text/lazyregexp"
)

// tags are how the languages of tests name groups of them, by which runners select.
var tags = map[string]*lazyregexp.Regexp{
	"java": lazyregexp.New(`@Tag\(\s*(?:value\s*=\s*)?"([^"]+)"|@Category\(\s*\{?\s*(?:\w+\.)*(\w+)|\bgroups\s*=\s*\{?\s*"([^"]+)"` +
		`|\btags?\s*[=(]\s*(?:setOf\()?["']?([\w-]+)|^\s*@([A-Z]\w*)\s*$`),
	"python":     lazyregexp.New(`\bmark\.(\w+)|@tag\(\s*["']([^"']+)`),
	"c#":         lazyregexp.New(`\[(?:\w+,\s*)*(?:Test)?(?:Category|Trait|Property)\((?:"[^"]*",\s*)?"([^"]+)"`),
	"ruby":       lazyregexp.New(`^\s*(?:RSpec\.)?(?:it|describe|context|specify|scenario|feature)\b.*,\s*:?(\w+)(?:\s*=>|:\s*true|\s*do\b|\s*\{|\s*,|\s*$)`),
	"elixir":     lazyregexp.New(`@(?:module|describe)?tag\s+:?(\w+)`),
	"gherkin":    lazyregexp.New(`@([\w-]+)`),
	"javascript": lazyregexp.New("[\"'`][^\"'`]*@([\\w-]+)[^\"'`]*[\"'`]"),
	"dart":       lazyregexp.New(`(?:@Tags\(\s*\[?\s*|\btags:\s*\[?\s*)['"]([\w-]+)`),
}

// selections are files, in the directory of a test or above it, that say by groups which tests run. Of the others
// lines count that have an option for it.
var (
	selections = []string{"pom.xml", "build.gradle", "build.gradle.kts", "test_helper.exs", "test/test_helper.exs",
		"mix.exs", ".rspec", "spec_helper.rb", "spec/spec_helper.rb", "junit-platform.properties",
		"src/test/resources/junit-platform.properties", "src/test/resources/cucumber.properties", "cucumber.js",
		"cucumber.yml", "config/cucumber.yml", "playwright.config.ts", "playwright.config.js", "dart_test.yaml",
		".runsettings"}
	scripts = []string{"Makefile", "package.json", "tox.ini", "noxfile.py", "Taskfile.yml", "justfile", "Rakefile"}
	selects = lazyregexp.New(`(?i)\s-m[ =]|--tags?\b|-D\w*groups|--filter\b|--grep\b|--exclude\b|--only\b|--include\b|-L?E\b|cucumber\.filter`)
	groups  = lazyregexp.New(`(?i)exclu|inclu|tag|group|categor|filter|grep`)
)

// tagged raises tests that came into a group that runs nowhere, or left the one that runs.
func (f *finder) tagged(t *testFile) {
	form := tags[t.lang.name]
	if form == nil || f.status(t.path) == 'A' {
		return
	}
	text, _ := f.change.Present(t.path)
	lines := strings.Split(text, "\n")
	var found []checks.LineChange
	for _, l := range t.tags {
		for _, name := range namesIn(form, l.Text) {
			out, in := f.selection(t.path, name)
			if l.Added && out && !f.isInNewTest(t, lines, l) || !l.Added && in && !out {
				found = append(found, l)
				break
			}
		}
	}
	if len(found) > 0 {
		f.raise("skip-added", t.path).quotes(found)
	}
}

// countTag keeps a line that names a group. The same line that went and came has only moved.
func (t *testFile) countTag(l checks.LineChange) {
	form := tags[t.lang.name]
	if form == nil || !form.MatchString(l.Text) {
		return
	}
	moved := slices.IndexFunc(t.tags, func(other checks.LineChange) bool {
		return other.Added != l.Added && strings.TrimSpace(other.Text) == strings.TrimSpace(l.Text)
	})
	switch {
	case moved >= 0:
		t.tags = slices.Delete(t.tags, moved, moved+1)
	case len(t.tags) < kept:
		t.tags = append(t.tags, l)
	}
}

// namesIn returns the groups that a line names.
func namesIn(form *lazyregexp.Regexp, line string) (all []string) {
	for _, m := range form.FindAllStringSubmatch(line, -1) {
		for _, name := range m[1:] {
			if len(name) > 1 {
				all = append(all, name)
			}
		}
	}
	return all
}

// selection reports whether the commands, or the settings of runners, leave out or choose a group of tests.
func (f *finder) selection(test, name string) (out, in bool) {
	word := regexp.MustCompile(`(?i)(not\s+|[!~]=?\s*["']?@?|)["']?[@:]?\b` + regexp.QuoteMeta(name) + `\b`)
	for dir := path.Dir(test); ; dir = path.Dir(dir) {
		for _, line := range f.selecting(dir) {
			if m := word.FindStringSubmatch(line); m != nil {
				not := m[1] != "" || leavesOut.MatchString(line)
				out, in = out || not, in || !not
			}
		}
		if dir == "." {
			return out, in
		}
	}
}

// leavesOut is in a line that names what does not run.
var leavesOut = lazyregexp.New(`(?i)exclu|invert|--skip|-LE\b|\bnot\s*\(`)

// selecting returns the lines by which runners select groups in a directory; at the top, with the commands.
func (f *finder) selecting(dir string) []string {
	if all, ok := f.groups[dir]; ok {
		return all
	}
	var all []string
	add := func(text string, counts *lazyregexp.Regexp) {
		for line := range strings.Lines(text) {
			if counts.MatchString(line) {
				all = append(all, line)
			}
		}
	}
	for _, file := range selections {
		text, _ := f.change.Present(path.Join(dir, file))
		add(text, groups)
	}
	for _, file := range scripts {
		text, _ := f.change.Present(path.Join(dir, file))
		add(text, selects)
	}
	add(" "+inForce(dir, f.change.Present)["addopts"], selects)
	if dir == "." {
		for _, c := range f.change.Commands {
			add(" "+c.Run, selects)
		}
	}
	f.groups[dir] = all
	return all
}
