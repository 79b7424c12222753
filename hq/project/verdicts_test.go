package project_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/store"
)

// Whatever a session does to the project, a gate that failed on a tree before is found.
func TestNoSessionHidesAVerdict(t *testing.T) {
	t.Parallel()
	p := hqtest.NewProject(t, hqtest.Files{"a": "a"})
	p.Heads = store.Heads(t.TempDir() + "/heads")
	tests := core.Definition{Commands: []checks.Command{{Run: "make test"}}}
	hqtest.Must(t, p.NoteVerdict("one", tests, checks.Fail, "gate 1"))
	hqtest.Must(t, os.RemoveAll(filepath.Join(p.Dir, ".ferrus", "run")))
	if got := p.DoubtOf("one", tests); got.Failed != "gate 1" {
		t.Errorf("the gates on the tree are %+v", got)
	}
}

// The verdicts of gates on a tree are found by tree and commands until you decide; neither a line
// cut by a crash nor the removal of old lines loses a new verdict.
func TestDoubts(t *testing.T) {
	t.Parallel()
	p := hqtest.NewProject(t, hqtest.Files{"a": "a"})
	p.Heads = store.Heads(t.TempDir() + "/heads")
	tests := core.Definition{Commands: []checks.Command{{Run: "make test"}}}
	lint := core.Definition{Commands: []checks.Command{{Run: "make lint"}}}
	must := func(err error) { t.Helper(); hqtest.Must(t, err) }
	want := func(tree string, d core.Definition, want project.Doubt) {
		t.Helper()
		if got := p.DoubtOf(tree, d); got != want {
			t.Errorf("on %s: %+v, want %+v", tree, got, want)
		}
	}
	want("one", tests, project.Doubt{})
	must(p.NoteVerdict("one", tests, checks.Fail, "gate 1"))
	name, err := p.Project.KeptFile("verdicts")
	must(err)
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	must(err)
	_, err = f.WriteString(`{"tree":"one","ver`)
	must(err)
	must(f.Close())
	must(p.NoteVerdict("one", tests, checks.Pass, "gate 2"))
	must(p.NoteVerdict("two", lint, checks.Pass, "gate 3"))
	must(p.NoteVerdict("two", lint, checks.Timeout, "gate 4"))
	want("one", tests, project.Doubt{Failed: "gate 1", Passed: "gate 2"})
	want("one", lint, project.Doubt{})
	want("two", lint, project.Doubt{Passed: "gate 3"})
	must(p.AcceptVerdicts("one"))
	want("one", tests, project.Doubt{Passed: "your approval"})
	must(p.NoteVerdict("one", tests, checks.Fail, "gate 5"))
	want("one", tests, project.Doubt{Failed: "gate 5", Passed: "your approval"})
	for i := range 10 {
		must(p.NoteVerdict(fmt.Sprint(i), tests, checks.Fail, strings.Repeat("x", 64<<10)))
	}
	want("one", tests, project.Doubt{})
	want("9", tests, project.Doubt{Failed: strings.Repeat("x", 64<<10)})
}
