// Command report reads the output of go test -json and prints a summary: a line for each
// package, the output of failed tests, unexpected skips and the number of passed and failed
// tests. With -again it runs a few failed tests once more, each alone, and calls the ones
// that pass flaky; a data race or a program that ended early is never run again. It exits with 1
// if a test failed, also the second time, or was skipped unexpectedly.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

type event struct {
	Action, Package, Test, Output, ImportPath string
	Elapsed                                   float64
}

// report collects the results of a run.
type report struct {
	passed, failed int
	skipped        []string // unexpectedly
	output         map[string][]string
	count          map[string]int  // tests by package
	red            map[string]bool // packages with a failed test
	failures       []failure
}

// failure is a test, without the name of its subtest, that may be run again.
type failure struct{ pkg, test string }

// maxAgain is how many tests are run again: where more fail, something is broken.
const maxAgain = 5

func main() {
	skip := flag.String("skip", "^$", "regular `expression` of the names and reasons of allowed skips")
	again := flag.String("again", "", "`flags` of go test with which failed tests are run again")
	flag.Parse()
	r := &report{output: map[string][]string{}, count: map[string]int{}, red: map[string]bool{}}
	may := regexp.MustCompile(*skip)
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadString('\n')
		r.take(strings.TrimSpace(line), may)
		if err != nil {
			break
		}
	}
	if *again != "" && r.failed > 0 && r.failed == len(r.failures) {
		r.runAgain(strings.Fields(*again))
	}
	os.Exit(r.close())
}

func (r *report) take(line string, may *regexp.Regexp) {
	var e event
	if line == "" {
		return
	}
	if json.Unmarshal([]byte(line), &e) != nil {
		fmt.Println(line)
		return
	}
	name := e.Package + " " + e.Test
	switch e.Action {
	case "output":
		r.output[name] = append(r.output[name], e.Output)
	case "build-output":
		fmt.Print(e.Output)
	case "pass", "fail", "skip":
		r.end(e, name, may)
	}
}

// end handles the end of a test, or of a package if the event names no test.
func (r *report) end(e event, name string, may *regexp.Regexp) {
	output := r.output[name]
	delete(r.output, name)
	if e.Test == "" {
		r.endPackage(e, output)
		return
	}
	r.count[e.Package]++
	switch e.Action {
	case "pass":
		r.passed++
	case "fail":
		r.failed++
		r.red[e.Package] = true
		text := strings.Join(output, "")
		fmt.Printf("--- FAIL: %s\n%s", name, text)
		if !strings.Contains(text, "DATA RACE") && !strings.Contains(text, "panic: ") {
			test, _, _ := strings.Cut(e.Test, "/")
			r.failures = append(r.failures, failure{e.Package, test})
		}
	case "skip":
		if s := name + ": " + reason(output); !may.MatchString(s) {
			r.skipped = append(r.skipped, s)
		}
	}
}

func (r *report) endPackage(e event, output []string) {
	if e.Action == "fail" {
		if !r.red[e.Package] || !strings.Contains(strings.Join(output, ""), "FAIL\n") {
			r.failed++ // it did not build, or a test ended the process
		}
		fmt.Print(strings.Join(output, ""))
		return
	}
	if r.count[e.Package] > 0 {
		fmt.Printf("ok  %-24s %4d tests %7.1fs\n", e.Package, r.count[e.Package], e.Elapsed)
	}
}

// runAgain runs the failed tests once more; one that passes counts as passed.
func (r *report) runAgain(flags []string) {
	tests := slices.Clone(r.failures)
	slices.SortFunc(tests, func(a, b failure) int { return strings.Compare(a.pkg+" "+a.test, b.pkg+" "+b.test) })
	tests = slices.Compact(tests)
	if len(tests) > maxAgain {
		return
	}
	for _, t := range tests {
		args := append([]string{"test", "-count=1", "-run", "^" + t.test + "$"}, flags...)
		out, err := exec.Command("go", append(args, t.pkg)...).CombinedOutput()
		if err != nil {
			fmt.Printf("--- FAIL again: %s %s\n%s", t.pkg, t.test, out)
			continue
		}
		fmt.Printf("FLAKY: %s %s failed, and passed when it ran again alone\n", t.pkg, t.test)
		for _, f := range r.failures {
			if f == t {
				r.failed--
			}
		}
	}
}

// reason returns why a test was skipped.
func reason(output []string) string {
	for _, line := range output {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "=== ") && !strings.HasPrefix(line, "--- ") {
			return line
		}
	}
	return "no reason given"
}

func (r *report) close() int {
	for _, s := range r.skipped {
		fmt.Println("skipped unexpectedly:", s)
	}
	if r.passed+r.failed == 0 {
		fmt.Println("no test ran")
		r.failed++
	}
	fmt.Printf("%d passed, %d failed\n", r.passed, r.failed)
	if r.failed > 0 || len(r.skipped) > 0 {
		return 1
	}
	return 0
}
