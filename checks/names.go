package checks

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ferrus/checks/testnames"
)

// Names are the tests of all commands.
func (r Record) Names() testnames.Set {
	all := testnames.Set{}
	for _, c := range r.Commands {
		all.Merge(c.Names)
	}
	return all
}

// withNames returns a command in the form in which it is run, so that it tells the names of
// its tests, where that changes nothing else. What is shown of the command does not change.
func (r *run) withNames(c Command, index int, out *output) Command {
	if r.Reports == "" {
		return c
	}
	c.Run, out.decode = testnames.WithNames(c.Run)
	c.Run = testnames.WithReports(c.Run, strings.TrimSuffix(r.pytestReport(index), ".xml"))
	option := "--junitxml=" + r.pytestReport(index)
	for _, entry := range slices.Concat(r.Env, c.Env) {
		if value, ok := strings.CutPrefix(entry, pytestOptions); ok {
			option = strings.TrimSpace(value + " " + option)
		}
	}
	c.Env = append(slices.Clone(c.Env), pytestOptions+option)
	return c
}

// pytestOptions begins the variable with which pytest gets more options.
const pytestOptions = "PYTEST_ADDOPTS="

func (r *run) pytestReport(index int) string {
	return filepath.Join(r.Reports, fmt.Sprintf("pytest-%d.xml", index))
}

// reportFiles are where runners leave their reports, as patterns below the directory of a
// command.
var reportFiles = []string{
	"junit.xml", "report.xml", "test-results.xml", "test-results/*.xml", "reports/*.xml",
	"target/surefire-reports/*.xml",
	"*/target/surefire-reports/*.xml", "build/test-results/*/*.xml", "*/build/test-results/*/*.xml",
	"target/nextest/*/junit.xml",
}

// Bounds of what is read of reports.
const (
	reportFilesMost = 10_000
	reportFileBytes = 64 << 20
	clockTick       = 10 * time.Millisecond // of files' times
)

// readReports reads the names in the reports that a command has written: the one that it
// was asked for, the files that its words name, and those at the usual places.
func (r *run) readReports(c Command, index int, started time.Time, to *testnames.Reader) {
	patterns := slices.Clone(reportFiles)
	for _, word := range ShellWords(strings.ReplaceAll(c.Run, "=", " ")) {
		if strings.HasSuffix(word, ".xml") && !strings.Contains(word, "..") {
			patterns = append(patterns, word)
		}
	}
	files, _ := filepath.Glob(filepath.Join(r.Reports, fmt.Sprintf("pytest-%d-*.xml", index))) // As below.
	files = append(files, r.pytestReport(index))
	for _, pattern := range patterns {
		found, _ := filepath.Glob(filepath.Join(r.Dir, c.Dir, pattern)) // A bad pattern finds nothing.
		files = append(files, found...)
	}
	for _, file := range files[:min(len(files), reportFilesMost)] {
		if names, err := readReport(file, started); err == nil {
			to.Add(names)
		}
	}
}

// readReport reads a report that is newer than a time.
func readReport(file string, after time.Time) (testnames.Set, error) {
	info, err := os.Lstat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > reportFileBytes || info.ModTime().Before(after.Add(-clockTick)) {
		return nil, errors.New("it is not a report of this run")
	}
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return testnames.ReadJUnit(in)
}
