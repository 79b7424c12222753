package hq_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// impure are imports that a pure package does not need. Tests may use them.
var impure = []string{
	"os", "os/exec", "io", "io/fs", "net", "net/http", "sync/atomic", "context", "math/rand",
	"math/rand/v2", "crypto/rand", "log", "log/slog", "path/filepath",
}

// pure packages depend on nothing but their arguments.
var pure = []string{"machine", "machine/task", "machine/session", "machine/pair", "machine/pair/run", "machine/flow",
	"machine/queue", "machine/merge", "hq/core", "hq/advice", "hq/comments", "hq/stats"}

// values are what pure packages may use of packages that are not pure: types and
// constants, and functions of their arguments alone.
var values = map[string][]string{
	"sync":          {"OnceValue"}, // a value that is made when it is first asked for
	"agent/process": {"Identity"},
	"checks": {"Command", "Record", "Verdict", "Pass", "Fail", "Timeout", "Changed", "Cancelled", "Unproven",
		"Flaky"},
}

func TestImportsPointDown(t *testing.T) {
	for _, s := range sources(t) {
		may, listed := layers[s.pkg]
		if !listed {
			t.Errorf("%s: package %s has no layer", s.name, s.pkg)
		}
		if s.test || s.file.Name.Name == "main" && s.pkg == "ui/vt" { // a generator
			continue
		}
		for _, i := range s.imports() {
			reason := shared[strings.TrimPrefix(i, "ferrus/")]
			if reason != "" && !strings.HasPrefix(s.pkg, "machine") {
				continue
			}
			if !allowed(may, i) {
				t.Errorf("%s may not import %s: %s", s.name, i, reasons[s.pkg])
			}
		}
	}
}

func allowed(may []string, imported string) bool {
	own, ours := strings.CutPrefix(imported, "ferrus/")
	if ours {
		return slices.Contains(may, own)
	}
	if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") {
		return true // the standard library
	}
	return slices.ContainsFunc(may, func(m string) bool {
		return imported == m || strings.HasPrefix(imported, strings.TrimSuffix(m, "/")+"/")
	})
}

func TestMindAndMachinesArePure(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || !slices.Contains(pure, s.pkg) {
			continue
		}
		for _, i := range s.imports() {
			if slices.Contains(impure, i) {
				t.Errorf("%s may not import %s: it looks at nothing but its arguments", s.name, i)
			}
		}
		for _, used := range s.impureUses() {
			t.Errorf("%s may not use %s: it looks at nothing but its arguments", s.name, used)
		}
		for _, call := range []string{"time.Now(", "time.Since(", "time.Until(", "time.After", "\tgo "} {
			if bytes.Contains(s.text, []byte(call)) {
				t.Errorf("%s may not use %s", s.name, strings.TrimSpace(call))
			}
		}
	}
}

// outside are the packages that lead out of a process.
var outside = []string{"os", "os/exec", "os/signal", "io/fs", "net", "net/http", "path/filepath", "syscall"}

// TestScreenReachesNothingOutside holds the screen and its components to data and intents: files, processes and
// the network are for hq/tui. Its TestUpdateReachesNothing holds what it passes to them.
func TestScreenReachesNothingOutside(t *testing.T) {
	checked := 0
	for _, s := range sources(t) {
		tool := s.pkg == "ui/screenshot" || s.pkg == "ui/termtest" || s.file.Name.Name == "main"
		if s.test || tool || s.pkg != "ui" && !strings.HasPrefix(s.pkg, "ui/") {
			continue
		}
		checked++
		for _, i := range s.imports() {
			if slices.Contains(outside, i) || strings.HasPrefix(i, "golang.org/x/sys") {
				t.Errorf("%s may not import %s: a component returns what the human wants", s.name, i)
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d files were checked", checked)
	}
}
