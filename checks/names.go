package checks

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ferrus/checks/regular"
	"ferrus/checks/testnames"
)

// Names returns the tests of all commands.
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
	reportsBytes    = 4 * reportFileBytes   // of all files
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
	for i, pattern := range patterns {
		patterns[i] = filepath.Join(c.Dir, pattern)
	}
	left := int64(reportsBytes)
	for _, in := range []struct {
		dir      string
		patterns []string
	}{
		{r.Reports, []string{filepath.Base(r.pytestReport(index)), fmt.Sprintf("pytest-%d-*.xml", index)}},
		{r.Dir, patterns},
	} {
		root, err := os.OpenRoot(in.dir)
		if err != nil {
			continue
		}
		for _, file := range globIn(in.dir, in.patterns) {
			names, size, err := readReport(root, file, started, left)
			if left -= size; err == nil {
				to.Add(names)
			}
		}
		root.Close()
	}
}

// globIn returns the files in a directory that patterns match, relative to it.
func globIn(dir string, patterns []string) (files []string) {
	for _, pattern := range patterns {
		found, _ := filepath.Glob(filepath.Join(dir, pattern)) // A bad pattern finds nothing.
		for _, file := range found {
			if below, err := filepath.Rel(dir, file); err == nil {
				files = append(files, below)
			}
		}
	}
	return files[:min(len(files), reportFilesMost)]
}

// readReport reads a report that is newer than a time and has at most some bytes, and returns how many it has. What
// the command's programs put in its place, such as a pipe or a link to another directory, is none.
func readReport(root *os.Root, file string, after time.Time, most int64) (testnames.Set, int64, error) {
	in, err := regular.OpenIn(root, file)
	if err != nil {
		return nil, 0, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return nil, 0, err
	}
	size := info.Size()
	if size > min(most, reportFileBytes) || info.ModTime().Before(after.Add(-clockTick)) {
		return nil, 0, errors.New("it is not a report of this run")
	}
	names, err := testnames.ReadJUnit(io.LimitReader(in, size))
	return names, size, err
}
