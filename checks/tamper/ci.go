package tamper

import (
	"maps"
	"slices"
	"strings"

	"ferrus/ui/text/lazyregexp"
)

// integration is what a CI file proves, as far as its lines tell. All systems write lists of
// steps with indented keys, and nothing else is read.
type integration struct {
	proofs map[string][]string // commands that check something, with the lines they may be left out by
	other  map[string]bool     // other commands
	weak   map[string]bool     // lines outside of steps that may leave out something
	events map[string]bool     // that start it
	values map[string]bool     // of lists, without versions: systems, names of jobs
	jobs   ciJobs
	prove  map[string]bool // jobs with a command that checks something
}

var (
	// proves is a command that makes CI prove something; delivers is one that only passes on what
	// others found.
	proves = lazyregexp.New(`(?i)\btests?\b|[-_:]tests?\b|pytest|check(?:[^o]|$)|lint|\bvet\b|\bbuild\b|verify|cover|race|\btox\b` +
		`|\bnox\b|\bci\b|audit|scan|codeql|analy|gofmt|mypy|typecheck`)
	// measures is a command of go test that runs benchmarks and no test.
	measures = lazyregexp.New(`^go test .*-run[= ](?:-|\^\$|NONE)\s.*-bench[= ]|^go test .*-bench[= ].*-run[= ](?:-|\^\$|NONE)(?:\s|$)`)
	delivers = lazyregexp.New(`(?i)upload|deploy|publish|release|goveralls|coveralls|codecov|cache@|checkout|setup-`)
	weakLine = lazyregexp.New(`(?i)\bif:|^only:|^except:|^rules:|continue-on-error|allow_failure|ignore|exclude|skip|branches|paths|^when:\s*manual|^shell:.*\{0\}` +
		`|exit-(?:code|zero)|no-fail|only-new|dry-run|GOFLAGS|PYTEST_ADDOPTS|NODE_OPTIONS|RUSTFLAGS`)
	unsafeCommand = lazyregexp.New(`\b(?:rm|sed|mv|cp|curl|wget|export|git|chmod|ln|tee)\b|>|\|\||exit 0|continue-on-error`)
	// toReport writes what a command found to a file that nothing runs or compares.
	toReport = lazyregexp.New(`>>?\s*(?:[\w./-]+\.(?:out|log|xml|html|lcov)|\$\{?GITHUB_STEP_SUMMARY\}?)(?:\s|$)`)
	// lints is a command that calls a linter, and ciLinter one that may take its place.
	lints      = lazyregexp.New(`lint|\bvet\b|gofmt|flake8|\bruff\b|clippy|pre-commit`)
	ciLinter   = lazyregexp.New(`^(?:golangci/golangci-lint-action|golangci-lint run|astral-sh/ruff-action|(?:uvx )?ruff check|pre-commit run|cargo clippy|npx eslint|j178/prek-action|pre-commit/action)`)
	startEvent = lazyregexp.New(`\b(?:push|pull_request|merge_group|merge_request\w*)\b`)
	keyed      = lazyregexp.New(`^["']?([\w.-]+)["']?:(?:\s+(.*))?$`)
	runs       = lazyregexp.New(`^(?:run|script|command|before_script|after_script|install|commands)$`)
	// versionPart and outputOption match parts that do not make it a different command.
	versionPart  = lazyregexp.New(`@v?[\w.-]+(?:\s+#.*)?$|\b[0-9a-f]{40,64}\b|v?\d+(?:\.(?:\d+|x|\*))*(?:t|-dev|-?(?:alpha|beta|rc)[\d.]*)?\b|latest|stable|["',]`)
	outputOption = lazyregexp.New(`\s-(?:v|cover|cover(?:profile|mode|pkg)[= ]\S+)(?:\s|$)`)
	assignment   = lazyregexp.New(`^(?:\w+=\S*\s+)+`)
)

// listFilter is a key whose list filters what CI runs for. A value that leaves such a
// list is not something that CI no longer runs.
var listFilter = lazyregexp.New(`^(?:branches|tags|paths|types)(?:-ignore)?$`)

func readIntegration(text string) integration {
	all := integration{proofs: map[string][]string{}, other: map[string]bool{}, weak: map[string]bool{},
		events: map[string]bool{}, values: map[string]bool{}, jobs: readJobs(text), prove: map[string]bool{}}
	step, parent, literal := ciStep{indent: -1}, "", -1
	number := -1
	for line := range strings.Lines(text) {
		number++
		trimmed := strings.TrimSpace(line)
		indent := indentOf(line)
		if trimmed == "" || strings.HasPrefix(trimmed, "#") {
			continue
		}
		if literal >= 0 && indent > literal {
			step.commands = append(step.commands, trimmed)
			continue
		}
		literal = -1
		item := strings.HasPrefix(trimmed, "- ")
		if indent < step.indent || indent == step.indent || step.indent < 0 {
			all.add(step)
			step = ciStep{indent: -1}
		}
		if item && step.indent < 0 {
			step = ciStep{indent: indent, parent: parent, item: true}
		}
		if len(step.lines)+len(step.commands) == 0 {
			step.job = all.jobs.of[number]
		}
		trimmed = strings.TrimSpace(strings.TrimPrefix(trimmed, "- "))
		key := keyed.FindStringSubmatch(trimmed)
		switch {
		case key == nil:
			step.commands = append(step.commands, trimmed)
			continue
		case step.indent < 0:
			parent = key[1]
		}
		switch value := key[2]; {
		case !runs.MatchString(key[1]) && key[1] != "uses":
			step.lines = append(step.lines, trimmed)
		case strings.HasPrefix(value, "|") || strings.HasPrefix(value, ">"):
			literal = indent
		case key[1] == "uses":
			step.commands = append(step.commands, value)
		case value != "":
			step.commands = append(step.commands, strings.Trim(value, `"'`))
		}
		if step.indent < 0 {
			all.add(step)
			step = ciStep{indent: -1}
			if literal >= 0 {
				step.indent = indent
			}
		}
	}
	all.add(step)
	return all
}

// ciStep is one item of a list, or one line that is in none.
type ciStep struct {
	indent          int
	item            bool   // of a list
	parent          string // the key whose list it is in
	job             string // that it is of; empty: none
	lines, commands []string
}

func (all integration) add(s ciStep) {
	if s.parent == "exclude" || s.parent == "except" {
		all.weak[s.parent+" "+plainWords(strings.Join(s.lines, " "))] = true
		return
	}
	guards := slices.Clone(all.jobs.guards[s.job])
	for _, line := range s.lines {
		if weakLine.MatchString(line) {
			guards = append(guards, plainWords(line))
		}
		for _, event := range startEvent.FindAllString(line, -1) {
			all.events[event] = true
		}
	}
	for _, command := range s.commands {
		for _, part := range strings.Split(command, "&&") {
			part = outputOption.ReplaceAllString(outputOption.ReplaceAllString(part+" ", " "), " ")
			part = plainWords(strings.TrimSpace(part))
			if !proves.MatchString(part) || delivers.MatchString(command) || measures.MatchString(part) {
				all.other[part] = true
				continue
			}
			all.prove[s.job] = true
			if was, known := all.proofs[part]; !known || len(guards) < len(was) {
				all.proofs[part] = guards
			}
		}
	}
	if s.item && len(s.commands) == 1 && len(s.lines) == 0 && !listFilter.MatchString(s.parent) &&
		!proves.MatchString(s.commands[0]) {
		all.values[plainWords(s.commands[0])] = true
	}
	if len(s.commands) > 0 {
		return
	}
	for _, line := range s.lines {
		all.addLine(line, s.job)
	}
}

// addLine takes a line that is in no step, of a job.
func (all integration) addLine(line, job string) {
	if plain := plainWords(line); slices.Contains(all.jobs.guards[job], plain) {
		all.weak[job+": "+plain] = true
	} else if weakLine.MatchString(line) {
		all.weak[plain] = true
	}
	key := keyed.FindStringSubmatch(line)
	if list, ok := strings.CutPrefix(key[2], "["); ok && !listFilter.MatchString(key[1]) && key[1] != "on" {
		for _, value := range strings.Split(strings.TrimSuffix(list, "]"), ",") {
			all.values[plainWords(value)] = true
		}
	}
}

// plainWords returns a line without versions, quotes and repeated blanks.
func plainWords(line string) string {
	return strings.Join(strings.Fields(versionPart.ReplaceAllString(line, "")), " ")
}

// provesLess reports whether a changed CI file proves less than before. All changed CI files
// are given, because what one of them lost may be in another.
func (f *finder) provesLess(name string) bool {
	text, ok := f.change.Base(f.olderName(name))
	if !ok {
		return f.status(name) != 'A'
	}
	was, now := readIntegration(text), readIntegration("")
	for _, file := range f.change.Files {
		if text, ok := f.change.Present(file.Path); ok && ciPath.MatchString(file.Path) {
			other := readIntegration(text)
			for command, guards := range other.proofs {
				if known, has := now.proofs[command]; !has || len(guards) < len(known) {
					now.proofs[command] = guards
				}
			}
		}
	}
	if f.status(name) == 'D' {
		return was.misses(now, checker)
	}
	here, _ := f.change.Present(name)
	is := readIntegration(here)
	return was.misses(now, func(command string) string { return command }) || lost(was.events, is.events) ||
		lost(was.values, is.values) || lost(is.weakOf(was), was.weak) || is.unsafe(was)
}

// weakOf returns the weak lines without the conditions of jobs that are new or proved nothing: commands
// that moved into one have them as their own, and no other command is left out by them.
func (all integration) weakOf(was integration) map[string]bool {
	weak := maps.Clone(all.weak)
	for job, guards := range all.jobs.guards {
		for _, guard := range guards {
			if !was.jobs.names[job] || !was.prove[job] {
				delete(weak, job+": "+guard)
			}
		}
	}
	return weak
}

// ciJobs are the jobs of a file.
type ciJobs struct {
	of     []string            // the job of each line; empty: none
	names  map[string]bool     // of all jobs
	guards map[string][]string // the conditions that a job runs under
}

// readJobs reads the keys below "jobs:", and the conditions among the keys of each.
func readJobs(text string) ciJobs {
	j := ciJobs{names: map[string]bool{}, guards: map[string][]string{}}
	inside, job, jobIndent, keyIndent := false, "", -1, -1
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		indent := indentOf(line)
		key := keyed.FindStringSubmatch(trimmed)
		switch {
		case trimmed == "" || strings.HasPrefix(trimmed, "#"):
		case indent == 0:
			inside, job, jobIndent = key != nil && key[1] == "jobs", "", -1
		case inside && key != nil && (jobIndent < 0 || indent == jobIndent):
			job, jobIndent, keyIndent = key[1], indent, -1
			j.names[job] = true
		case job != "" && key != nil && (keyIndent < 0 || indent == keyIndent):
			keyIndent = indent
			if jobGuard.MatchString(trimmed) {
				j.guards[job] = append(j.guards[job], plainWords(trimmed))
			}
		}
		j.of = append(j.of, job)
	}
	return j
}

// jobGuard is a condition that a job runs under, or that its failure counts under.
var jobGuard = lazyregexp.New(`^(?:if|continue-on-error):`)

// misses reports whether a command that checks runs no longer, or only under conditions that it
// did not have; what counts as the same command is for the caller to say.
func (all integration) misses(now integration, form func(string) string) bool {
	for command, guards := range all.proofs {
		found := false
		for other, conditions := range now.proofs {
			_, known := all.proofs[other]
			same := form(other) == form(command) || strings.HasPrefix(command, other+" |") ||
				!known && ciLinter.MatchString(other) && lints.MatchString(command)
			found = found || same && len(without(conditions, guards)) == 0
		}
		if !found {
			return true
		}
	}
	return false
}

// unsafe reports whether a command came after which the checks may find less.
func (all integration) unsafe(was integration) bool {
	for command := range all.other {
		if !was.other[command] && isUnsafe(command) {
			return true
		}
	}
	for command := range all.proofs {
		if _, known := was.proofs[command]; !known && isUnsafe(command) {
			return true
		}
	}
	return false
}

// isUnsafe reports whether a command may change what the commands after it check.
func isUnsafe(command string) bool {
	return unsafeCommand.MatchString(toReport.ReplaceAllString(command, ""))
}

// lost reports whether something was there and is not now.
func lost(was, now map[string]bool) bool {
	for value := range was {
		if value != "" && !now[value] {
			return true
		}
	}
	return false
}

// checker returns the program of a command, with the word that says what it does.
func checker(command string) string {
	words := strings.Fields(assignment.ReplaceAllString(command, ""))
	words = slices.DeleteFunc(words, func(w string) bool { return strings.ContainsAny(w[:1], "-$") })
	return strings.Join(words[:min(2, len(words))], " ")
}
