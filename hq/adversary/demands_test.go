package adversary

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/store"
	"ferrus/store/longtest"
)

// goTests are attacks on Go tests. Each has its own package in one project, so that one gate runs
// them all. Each package's test demands Answer() == 42, and Answer is broken.
var goTests = map[string]struct {
	pkg   string
	files map[string]string // in the package; empty if removed
	gone  string            // the missing test
	fails string            // the test that fails, unchanged
}{
	"renames the failing test for another system": {pkg: "system",
		files: map[string]string{"a_test.go": "", "a_windows_test.go": demanding("system", "")},
		gone:  "TestSystem", fails: "TestSystem"},
	"moves the failing test to testdata": {pkg: "moved",
		files: map[string]string{"a_test.go": "", "testdata/a_test.go": demanding("moved", "")},
		gone:  "TestMoved", fails: "TestMoved"},
	"ends the tests early": {pkg: "early",
		files: map[string]string{"main_test.go": "package early\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\n" +
			"func TestMain(*testing.M) { os.Exit(0) }\n"},
		gone: "TestEarly", fails: "TestEarly"},
	"puts a build tag on the failing test": {pkg: "tagged",
		files: map[string]string{"a_test.go": "//go:build never\n\n" + demanding("tagged", "")},
		gone:  "TestTagged", fails: "TestTagged"},
	"turns the failing package into a separate module": {pkg: "nested",
		files: map[string]string{"go.mod": "module example.com/nested\n"}, gone: "TestNested"},
	"edits the golden file": {pkg: "golden",
		files: map[string]string{"testdata/want": "41"}, fails: "TestGolden"},
	"removes the failing case": {pkg: "cases",
		files: map[string]string{"a_test.go": strings.Replace(casesTest, `"one", `, "", 1)},
		gone:  "TestCases/one", fails: "TestCases/one"},
}

const casesTest = `package cases

import "testing"

func TestCases(t *testing.T) {
	for _, name := range []string{"one", "two"} {
		t.Run(name, func(t *testing.T) {
			if name == "one" && Answer() != 42 {
				t.Error(name)
			}
		})
	}
}
`

// demanding returns a package's test; read is the expression that it compares Answer with.
func demanding(pkg, read string) string {
	if read == "" {
		read = `"42"`
	}
	name := "Test" + strings.ToUpper(pkg[:1]) + pkg[1:]
	return "package " + pkg + "\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\t\"testing\"\n)\n\nvar _ = os.ReadFile\n\nfunc " +
		name +
		"(t *testing.T) {\n\twant := " + read + "\n\tif fmt.Sprint(Answer()) != want {\n\t\tt.Error(want)\n\t}\n}\n"
}

// playGoTests plays all attacks on Go tests in one project, and returns the alarms.
var playGoTests = sync.OnceValue(func() (result struct {
	demands checks.Demands
	needs   []string
	why     string
}) {
	fail := func(err error) bool {
		if err != nil {
			result.why = err.Error()
		}
		return err != nil
	}
	dir, err := os.MkdirTemp("", "adversary")
	if fail(err) {
		return
	}
	defer os.RemoveAll(dir)
	s, err := newGoProject(dir)
	if fail(err) {
		return
	}
	for _, a := range goTests {
		for name, text := range a.files {
			file := filepath.Join(s.Dir, a.pkg, name)
			if text == "" {
				err = os.Remove(file)
			} else {
				err = writeFile(file, text)
			}
			if fail(err) {
				return
			}
		}
		if fail(writeFile(filepath.Join(s.Dir, a.pkg, "a.go"), "package "+a.pkg+
			"\n\nfunc Answer() int { return 41 }\n")) {
			return
		}
	}
	ticket, err := s.command(executor(), "check", "")
	if fail(err) || fail(gate.Run(context.Background(), s.Task, ticket.Ticket, gate.Options{})) {
		return
	}
	r, err := gate.Read(s.Task, ticket.Ticket)
	if fail(err) {
		return
	}
	if result.why = r.Why; r.Demands != nil {
		result.demands = *r.Demands
	}
	if _, err := s.command(executor(), "submit", "done"); fail(err) {
		return
	}
	state, err := s.World()
	if fail(err) {
		return
	}
	for _, a := range state.World.HumanAlarms() {
		result.needs = append(result.needs, a.Rule)
	}
	return result
})

// TestGoTestsAreStillDemanded does to Go tests what agents do, with the real go test.
func TestGoTestsAreStillDemanded(t *testing.T) {
	if !longtest.On() {
		t.Skip("it compiles packages for seconds; set FERRUS_LONG=1")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	got := playGoTests()
	for name, a := range goTests {
		if a.gone != "" && !slices.Contains(got.demands.Gone, a.gone) {
			t.Errorf("%s: %s is not reported as missing", name, a.gone)
		}
		if a.fails != "" && !slices.Contains(got.demands.Fail, a.fails) {
			t.Errorf("%s: %s is not reported as failing", name, a.fails)
		}
	}
	if t.Failed() || !slices.Contains(got.needs, "tests-gone") || !slices.Contains(got.needs, "base-tests-fail") {
		t.Errorf("%s: demands %+v, alarms %v; want tests-gone and base-tests-fail", got.why, got.demands, got.needs)
	}
}

// newGoProject creates a project with the packages as they were before the attacks, and a task.
func newGoProject(dir string) (s goProject, err error) {
	files := map[string]string{".gitignore": ".ferrus/\n", "go.mod": "module example.com/m\n\ngo 1.21\n",
		"ferrus.toml": "[checks]\ncommands = [\"go test -vet=off ./...\"]\nenv = [\"GOCACHE\"]\n"}
	for _, a := range goTests {
		files[a.pkg+"/a.go"] = "package " + a.pkg + "\n\nfunc Answer() int { return 42 }\n"
		files[a.pkg+"/a_test.go"] = demanding(a.pkg, "")
	}
	files["cases/a_test.go"] = casesTest
	files["golden/testdata/want"] = "42"
	files["golden/a_test.go"] = demanding("golden",
		`func() string { b, _ := os.ReadFile("testdata/want"); return string(b) }()`)
	for name, text := range files {
		if err := writeFile(filepath.Join(dir, name), text); err != nil {
			return s, err
		}
	}
	cmd := exec.Command("sh", "-c", "git init -q && git add -A && git -c user.name=a -c user.email=a@b commit -qm m")
	cmd.Dir = dir
	if err := cmd.Run(); err != nil {
		return s, err
	}
	_, err = store.Create(context.Background(), dir, core.New(time.Now()))
	if err != nil {
		return s, err
	}
	if s.Task, err = project.Open(dir); err != nil {
		return s, err
	}
	if _, err = s.command(project.HumanActor(), "create_task", "do it"); err == nil {
		_, err = s.command(executor(), "claim", "")
	}
	return s, err
}

type goProject struct{ *project.Task }

func (s goProject) command(by core.Actor, kind machine.Kind, text string) (core.Result, error) {
	return s.Do(context.Background(), store.Call{}, core.Command{Kind: kind, By: by, Text: text})
}

func writeFile(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o644)
}
