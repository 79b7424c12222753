// Package tamper finds changes that the human should see before work counts as
// done: changes to what the checks depend on, and changes that make tests prove
// less.
//
// [Find] examines the difference between a task's base and the submitted tree. The
// rules are data ([Rules] names them); each alarm names the file and the lines.
// Rules see text, not meaning: a changed assertion is shown, and the reviewer
// judges whether it asserts less.
package tamper

import (
	"fmt"
	"slices"
	"strings"

	"ferrus/checks"
	"ferrus/ui/text"
)

// Alarm is one thing to look at.
type Alarm struct {
	Rule       string // ci-changed
	Path       string
	Why        string        // a file that says what continuous integration runs is changed
	Lines      []ChangedLine // the first of them
	More       int           // lines besides
	NeedsHuman bool          // only the human may approve it
}

// ChangedLine is a line of a file that came or went.
type ChangedLine struct {
	Number int
	Added  bool
	Text   string
}

func (l ChangedLine) String() string {
	return fmt.Sprintf("%s%d: %s", map[bool]string{true: "+", false: "-"}[l.Added], l.Number, strings.TrimSpace(l.Text))
}

// Change is what to look at. It has more than 12 fields because the rules look at all that is
// known of a change.
type Change struct {
	Files    []checks.FileChange
	Lines    func(func(checks.LineChange)) error // calls back with every line
	Commands []checks.Command                    // of the gate
	Prefix   string                              // of the workspace, as Files name paths: empty, or ending in a slash
	// Base and Present are the beginning of a file's text in the older and the
	// newer tree; false when it is not there.
	Base, Present func(path string) (string, bool)
	// Tests are what the gate's commands counted, and BaseTests what they had
	// counted on the older tree; nil where nothing is known.
	Tests, BaseTests *checks.Tests
	Empty            []string // commands that ran no test
	// Demands are what became of the older tree's tests; nil: unknown.
	Demands *checks.Demands
	BaseRed string // why the gate is red on the older tree; empty: it is not known to be
	// Tools are the programs outside the tree that the gate's commands found, and
	// BaseTools those there were when the task started.
	Tools, BaseTools map[string]string
	// Included is a hash of the ignored files that the gate had besides the tree, and BaseIncluded is theirs when the
	// task started; empty: unknown.
	Included, BaseIncluded string
	// Rewritten are files of the newer tree that the commands write while they run, and not on the
	// older one. FailedBefore are gates that failed on the newer tree before one passed, and FailedElsewhere
	// is a gate of other work that did, in words; empty: none.
	Rewritten       []string
	FailedBefore    []uint64
	FailedElsewhere string
	// Alike are added files that have the name of another one on some systems; see [checks.Alike].
	Alike map[string]string
	// AgentSettings are where programs of agents look for settings, relative to where they work.
	AgentSettings []string
	// Unread reports whether Base and Present have only a part of a changed file, or nothing; nil: of
	// none.
	Unread func(path string) bool
}

// Bounds of what is said.
const (
	linesEach = 5
	lineBytes = 200
	mostAlarm = 60
)

// Find lists the alarms of a change; alarms for the human come first.
func Find(c Change) ([]Alarm, error) {
	f := &finder{change: c, touched: map[string][]*Alarm{}, tests: map[string]*testFile{},
		known: map[string]*language{}, kinds: map[string]*pathKind{},
		inline: map[string][2]lineRange{}, limits: map[string]limits{}, setting: map[string]bool{},
		dates: map[string]dateLines{}, groups: map[string][]string{}}
	w := c.executed()
	f.run, f.words, f.called = w.found, w.words, w.called
	f.files()
	if err := c.Lines(f.checkLine); err != nil {
		return nil, err
	}
	f.empty()
	f.relax()
	f.weakened()
	f.answers()
	f.askers()
	f.raiseLines(&f.product)
	f.raiseDates()
	f.doctests()
	f.numbers()
	slices.SortStableFunc(f.alarms, func(a, b *Alarm) int {
		return map[bool]int{true: 0, false: 1}[a.NeedsHuman] - map[bool]int{true: 0, false: 1}[b.NeedsHuman]
	})
	var all []Alarm
	for i, a := range f.alarms {
		if i == mostAlarm {
			left := len(f.alarms) - i
			all = append(all, Alarm{Rule: "more", Why: fmt.Sprintf("%d more alarms", left),
				NeedsHuman: f.alarms[i].NeedsHuman})
			break
		}
		all = append(all, *a)
	}
	return all, nil
}

// finder is one call of Find. It has more than 12 fields because each is what one kind of rule
// keeps from line to line.
type finder struct {
	change  Change
	alarms  []*Alarm
	touched map[string][]*Alarm  // by path: alarms that quote whatever lines changed
	tests   map[string]*testFile // by path
	content content
	run     map[string]reason    // files that the commands run
	words   map[string]bool      // of the commands themselves, without directories
	called  map[string]bool      // programs that they call, and the first of their arguments
	known   map[string]*language // by path; nil: it is no file of tests
	kinds   map[string]*pathKind
	inline  map[string][2]lineRange // modules of tests in files of code, before and now
	product ruleLines
	lines   map[string]*changedLines // by path: of code that is no test
	limits  map[string]limits        // by path
	setting map[string]bool          // by path: whether it is one of tests
	dates   map[string]dateLines     // by path
	links   []string
	vendor  []*Alarm
	config  map[*Alarm]*configLines
	groups  map[string][]string // by directory: lines that select groups of tests
}

func (f *finder) raise(rule, path string) *Alarm {
	r := rules[rule]
	a := &Alarm{Rule: rule, Path: path, Why: r.why, NeedsHuman: r.needsHuman}
	f.alarms = append(f.alarms, a)
	return a
}

// quote keeps a line, or counts it.
func (a *Alarm) quote(l checks.LineChange) {
	if len(a.Lines) == linesEach {
		a.More++
		return
	}
	line := l.Text
	if len(line) > lineBytes {
		line = text.CutBytes(line, lineBytes) + "..."
	}
	a.Lines = append(a.Lines, ChangedLine{Number: l.Number, Added: l.Added, Text: line})
}

// files raises what the name of a changed file is enough for.
func (f *finder) files() {
	for _, file := range f.change.Files {
		f.settings(file)
		f.places(file)
		f.texts(file)
		f.data(file)
		raised := map[string]bool{}
		for _, name := range []string{file.Path, file.Old} {
			for _, rule := range pathRules {
				if name != "" && !raised[rule.rule] && rule.fits(name, f.change.Prefix, file) {
					raised[rule.rule] = true
					f.touch(f.raise(rule.rule, file.Path), file)
				}
			}
			if !raised[runsUnasked] && name == file.Path && file.Status != 'D' &&
				isOfAgents(name, f.change.AgentSettings) {
				raised[runsUnasked] = true
				f.touch(f.raise(runsUnasked, name), file)
			}
			why, named := f.run[name]
			if name == file.Path && !raised["tool-settings"] && !raised["ignore-changed"] && !named &&
				(f.usesTool(name) || f.isCalled(name)) {
				raised["tool-settings"] = true
				f.touch(f.raise("tool-settings", name), file)
			}
			lang, test := languageOf(name)
			test = test && (lang.mixed == nil || !lang.mixed.MatchString(name)) || f.hadTests(name)
			if named && !test && !raised["settings-changed"] && !raised["ci-changed"] {
				f.touch(f.raiseRun(file, why), file)
				break
			}
		}
	}
}

// hadTests reports whether a file was one of tests before the change, by its text.
func (f *finder) hadTests(name string) bool {
	was, _ := f.change.Base(name)
	return slices.ContainsFunc(testTexts, func(t testText) bool {
		return t.path.MatchString(name) && t.text.MatchString(was) &&
			slices.ContainsFunc(strings.Split(was, "\n"), languageNamed(t.name).test.MatchString)
	})
}

// raiseRun raises a file that the commands run. One that is new is part of the
// work, unless a runner looks for it by itself: then it takes the place of what
// the runner found before.
func (f *finder) raiseRun(file checks.FileChange, why reason) *Alarm {
	rule := "command-file-changed"
	if file.Status == 'A' && !why.runner {
		rule = "command-file-added"
	}
	a := f.raise(rule, file.Path)
	a.Why += " (" + why.words + ")"
	a.NeedsHuman = a.NeedsHuman && !why.mild
	return a
}

// touch has an alarm quote the lines of its file.
func (f *finder) touch(a *Alarm, file checks.FileChange) {
	if file.Status == 'D' {
		a.Why = strings.Replace(a.Why, "is changed", "is deleted", 1)
	}
	f.touched[file.Path] = append(f.touched[file.Path], a)
}

// checkLine passes one changed line to every rule that reads lines.
func (f *finder) checkLine(l checks.LineChange) {
	f.content.checkLine(l)
	for _, a := range f.touched[l.Path] {
		a.quote(l)
		f.checkConfig(a, l)
	}
	f.checkLink(l)
	f.checkProduct(l)
	f.checkSupport(l)
	f.checkLimit(l)
	f.checkPlaces(l)
	f.checkOdd(l)
	if lang, ok := f.languageOf(l.Path); ok {
		f.testFile(l.Path, lang).countLine(l)
	}
}

func (f *finder) testFile(path string, lang *language) *testFile {
	t := f.tests[path]
	if t == nil {
		t = &testFile{path: path, lang: lang}
		for _, file := range f.change.Files {
			t.deleted = t.deleted || file.Path == path && file.Status == 'D'
		}
		f.tests[path] = t
	}
	return t
}

// numbers raises what counts and hashes tell.
func (f *finder) numbers() {
	c := f.change
	if b, t := c.BaseTests, c.Tests; b != nil && (t == nil || t.Unit == b.Unit && t.Ran() < b.Ran()) {
		now := "none were counted"
		if t != nil {
			now = t.String()
		}
		f.raise("fewer-tests", "").Why = fmt.Sprintf("%s, and %s when the task started", now, b)
	}
	f.demands()
	if c.BaseRed != "" {
		f.raise("base-red", "").Why += ": " + c.BaseRed
	}
	if len(c.Rewritten) > 0 {
		f.raise("tree-rewritten", c.Rewritten[0]).Why = "the check commands change " + listed(c.Rewritten) +
			" while they run, so what passed is not what is submitted"
	}
	if n := len(c.FailedBefore); n > 0 {
		f.raise("failed-before", "").Why = fmt.Sprintf(
			"FLAKY: the checks failed on this very tree (gate %d) before they passed", c.FailedBefore[n-1])
	} else if c.FailedElsewhere != "" {
		f.raise("failed-before", "").Why = fmt.Sprintf(
			"FLAKY: the checks failed (%s) and passed on this very tree", c.FailedElsewhere)
	}
	for _, command := range c.Empty {
		f.raise("no-tests", "").Why = fmt.Sprintf("%s ran 0 tests", command)
	}
	if c.Included != "" && c.BaseIncluded != "" && c.Included != c.BaseIncluded {
		f.raise("included-changed", ".worktreeinclude")
	}
	for path, sum := range c.Tools {
		if c.BaseTools[path] != sum {
			f.raise("tool-replaced", path)
		}
	}
}
