package store

import (
	"errors"
	"path"
	"runtime"
	"strings"
	"testing"

	"ferrus/store/longtest"
)

// A store that leaves out one sync must fail the crash test; otherwise the test would miss its
// loss, or the sync is not needed. A store that writes the state before its texts must fail it,
// too.
func TestEverySyncIsNeeded(t *testing.T) {
	t.Parallel()
	if !longtest.On() {
		t.Skip("set FERRUS_LONG to leave out every sync, one after another")
	}
	fails := func(what string, crash func(int, func(op, name string) bool) (int, error),
		ignore func(op, name string) bool) {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			at, err := crash(3, ignore)
			if err == nil { // few steps lose something; it takes long to try all that a step may lose
				at, err = crash(100, ignore)
			}
			if err == nil {
				t.Fatalf("nothing was lost in %d steps", at)
			}
			t.Log(err)
		})
	}
	for what, ignore := range map[string]func(op, name string) bool{
		"the project's directory":        func(_, name string) bool { return name == ".." },
		"the commit":                     func(_, name string) bool { return name == "." && calledBy("record") },
		"the first state":                func(_, name string) bool { return name == "." && calledBy("makeLocked") },
		"a commit whose writer died":     func(_, name string) bool { return name == "." && calledBy("catchUp") },
		"docs":                           func(_, name string) bool { return name == docsDir },
		"checks":                         func(_, name string) bool { return name == checksDir },
		"a task's archive":               func(_, name string) bool { return name == "archive/t-1" },
		"the checks of a task's archive": func(_, name string) bool { return name == "archive/t-1/checks" },
		"archive":                        func(_, name string) bool { return name == archiveDir },
		"the journal":                    func(op, _ string) bool { return op == "data" },
		"STATE.json.tmp":                 func(_, name string) bool { return name == tempState },
		"a text": func(op, name string) bool {
			return op == "file" && path.Dir(name) == docsDir
		},
		"a text in the archive": func(op, name string) bool {
			return op == "file" && strings.HasPrefix(name, archiveDir)
		},
		"a file of others": func(op, name string) bool {
			return op == "file" && path.Dir(name) == runDir
		},
		"the directory of such a file": func(_, name string) bool { return name == "." && calledBy("replace") },
		"a file of others that goes":   func(_, name string) bool { return name == "." && calledBy("Remove") },
	} {
		fails(what, crash, ignore)
	}
	for what, mutant := range map[string]struct {
		plot   plot
		ignore func(op, name string) bool
	}{
		"the directories above a file": {files, func(_, name string) bool {
			return name == "runs" && calledBy("syncAbove")
		}},
		"a directory that is made exclusively": {files, func(_, name string) bool {
			return name == "runs" && calledBy("MkdirExclusive")
		}},
		"what was moved away of a former state": {moved, func(_, name string) bool { return calledBy("lostName") }},
		"what a repair keeps":                   {repairs, func(_, name string) bool { return name == lostDir }},
		"the copy that a repair keeps": {repairs, func(op, name string) bool {
			return op == "file" && path.Dir(name) == lostDir
		}},
		"a text that a repair puts back": {repairs, func(_, name string) bool { return name == docsDir }},
		"a state that a repair puts back": {repaired(stateName), func(_, name string) bool {
			return name == "." && calledBy("state")
		}},
		"a journal that a repair writes anew": {repairs, func(op, name string) bool {
			return op == "file" && calledBy("rewrite")
		}},
		"the name of such a journal": {repairs, func(op, name string) bool {
			return name == "." && calledBy("rewrite")
		}},
		"what an import keeps": {imports, func(op, name string) bool {
			return op == "file" && calledBy("keepOriginals")
		}},
		"the name of what an import keeps": {imports, func(op, name string) bool {
			return op == "directory" && strings.HasPrefix(name, "archive/import-") && calledBy("keepOriginals")
		}},
		"the directory of what an import keeps": {imports, func(op, name string) bool {
			return name == archiveDir && calledBy("keepOriginals")
		}},
		"a text that is imported": {imports, func(op, name string) bool {
			return op == "file" && path.Dir(name) == docsDir
		}},
	} {
		fails(what, mutant.plot.crash, mutant.ignore)
	}
	fails("texts before the state", func(ways int, _ func(op, name string) bool) (int, error) {
		return crashOn(ways, swappedMemory)
	}, nil)
}

// calledBy reports whether a function of the store is on the stack.
func calledBy(name string) bool {
	var callers [30]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers[:])])
	for {
		frame, more := frames.Next()
		if strings.HasSuffix(frame.Function, "."+name) {
			return true
		} else if !more {
			return false
		}
	}
}

var errFull = errors.New("no space left on device")

// Each step fails once and the process continues; or the disk stays full until the process reports
// it, and then has room again.
func TestErrorAtEveryStep(t *testing.T) {
	longtest.OnlyCI(t)
	t.Parallel()
	for at := 1; ; at++ {
		for _, sticky := range []bool{false, true} {
			if !longtest.On() && (at%3 != 1 || sticky == (at%2 == 0)) {
				continue // a sample; FERRUS_LONG has them all
			}
			m, s := newMemory(), writerScript{agents: []string{""}}
			m.at, m.sticky, m.fail = at, sticky, errFull
			err := s.write(m)
			if m.n < at {
				t.Logf("%d steps", at-1)
				return
			}
			if err != nil && !errors.Is(err, errFull) {
				t.Fatalf("step %d: %v", at, err)
			}
			if sticky && err == nil && s.unfinished == nil {
				t.Fatalf("step %d: the full disk was not reported", at)
			}
			m.at = -1
			if err := s.verify(m); err != nil {
				t.Fatalf("error at step %d, sticky %v, %v: %v", at, sticky, err, err)
			}
			if err := s.write(m); err != nil {
				t.Fatalf("continuing after an error at step %d, sticky %v: %v", at, sticky, err)
			}
			if err := s.verify(m); err != nil || s.acked != storyEnd {
				t.Fatalf("after an error at step %d, sticky %v, and the end of the story: %v", at, sticky, err)
			}
		}
	}
}
