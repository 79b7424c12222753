package store

import (
	"errors"
	"path"
	"runtime"
	"strings"
	"testing"
)

// A store with one sync less must fail the crash test: or the test would not
// see it go, or the sync is not needed.
func TestEverySyncIsNeeded(t *testing.T) {
	t.Parallel()
	if !long() {
		t.Skip("set FERRUS_LONG to leave out every sync, one after another")
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
		"a text":                         func(op, name string) bool { return op == "file" && path.Dir(name) == docsDir },
		"a text in the archive":          func(op, name string) bool { return op == "file" && strings.HasPrefix(name, archiveDir) },
		"a file of others":               func(op, name string) bool { return op == "file" && path.Dir(name) == runDir },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			at, err := crash(100, ignore)
			if err == nil {
				t.Fatalf("nothing was lost in %d steps", at)
			}
			t.Log(err)
		})
	}
}

// calledBy says whether a function of the store is on the stack.
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

// Each step fails once, and the process goes on; or the disk stays full until
// the process is told, and then has room again.
func TestErrorAtEveryStep(t *testing.T) {
	t.Parallel()
	for at := 1; ; at++ {
		for _, sticky := range []bool{false, true} {
			if !long() && sticky == (at%2 == 0) {
				continue
			}
			m, s := newMemory(), teller{agents: []string{""}}
			m.at, m.sticky, m.fail = at, sticky, errFull
			err := s.tell(m)
			if m.n < at {
				t.Logf("%d steps", at-1)
				return
			}
			if err != nil && !errors.Is(err, errFull) {
				t.Fatalf("step %d: %v", at, err)
			}
			if sticky && err == nil && s.unfinished == nil {
				t.Fatalf("step %d: nobody said that the disk is full", at)
			}
			m.at = -1
			if err := s.verify(m); err != nil {
				t.Fatalf("error at step %d, sticky %v, %v: %v", at, sticky, err, err)
			}
			if err := s.tell(m); err != nil {
				t.Fatalf("going on after an error at step %d, sticky %v: %v", at, sticky, err)
			}
			if err := s.verify(m); err != nil || s.acked != storyEnd {
				t.Fatalf("after an error at step %d, sticky %v, and the end of the story: %v", at, sticky, err)
			}
		}
	}
}
