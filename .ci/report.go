// Command report reads the output of go test -json and prints a summary: a line for each
// package, the output of failed tests, unexpected skips and the number of passed and failed
// tests. It exits with 1 if a test failed or was skipped unexpectedly.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
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
	count          map[string]int
}

func main() {
	skip := flag.String("skip", "^$", "regular `expression` of the names and reasons of allowed skips")
	flag.Parse()
	r := &report{output: map[string][]string{}, count: map[string]int{}}
	may := regexp.MustCompile(*skip)
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadString('\n')
		r.take(strings.TrimSpace(line), may)
		if err != nil {
			break
		}
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
		fmt.Printf("--- FAIL: %s\n%s", name, strings.Join(output, ""))
	case "skip":
		if s := name + ": " + reason(output); !may.MatchString(s) {
			r.skipped = append(r.skipped, s)
		}
	}
}

func (r *report) endPackage(e event, output []string) {
	if e.Action == "fail" {
		if r.count[e.Package] == 0 || !strings.Contains(strings.Join(output, ""), "FAIL\n") {
			r.failed++ // it did not build, or a test ended the process
		}
		fmt.Print(strings.Join(output, ""))
		return
	}
	if r.count[e.Package] > 0 {
		fmt.Printf("ok  %-24s %4d tests %7.1fs\n", e.Package, r.count[e.Package], e.Elapsed)
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
