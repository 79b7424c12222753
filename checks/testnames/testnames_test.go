package testnames

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"ferrus/ui/text"
)

// recorded is what runners printed; each has its names with their outcomes.
var recorded = map[string][]string{
	"go-v.txt": {"example.com/m Example pass", "example.com/m TestAdd fail", "example.com/m TestAdd/one pass",
		"example.com/m TestAdd/two fail", "example.com/m TestSkip skip", "example.com/m/b TestB pass"},
	"pytest-v.txt": {"tests.test_a.TestC::test_m fail", "tests.test_a::test_err fail", "tests.test_a::test_ok pass",
		"tests.test_a::test_p[1] pass", "tests.test_a::test_p[a b] pass", "tests.test_a::test_s skip"},
	"cargo.txt": {"foo src/lib.rs - add pass", "src/lib.rs tests::bad fail", "src/lib.rs tests::it pass",
		"src/lib.rs tests::later skip"},
	"tap.txt":   {"tap adds pass", "tap todo one skip"},
	"node.txt":  {"tap x pass", "tap y pass", "tap z pass"},
	"ctest.txt": {"ctest adds pass", "ctest fails fail"},
	"jest-one.txt": {"j/a.test.js > math > adds pass", "j/a.test.js > math > deep > works pass",
		"j/a.test.js > math > skipped later skip", "j/a.test.js > top fail", "j/a.test.js fail"},
	"jest-verbose.txt": {"j/a.test.js > math > adds pass", "j/a.test.js > math > deep > works pass",
		"j/a.test.js > math > skipped later skip", "j/a.test.js > top fail", "j/a.test.js fail",
		"j/b.test.js > b pass", "j/b.test.js pass"},
	"jest-two.txt": {"j/a.test.js fail", "j/b.test.js pass"},
	"vitest-verbose.txt": {"v/a.test.js > math > adds pass", "v/a.test.js > math > deep > works pass",
		"v/a.test.js > math > later skip", "v/a.test.js > top fail", "v/a.test.js pass", "v/b.test.js > b pass",
		"v/b.test.js pass"},
	"vitest.txt": {"v/b.test.js pass"},
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// list returns a set as lines.
func list(s Set) (all []string) {
	for _, name := range slices.Sorted(maps.Keys(s)) {
		all = append(all, name+" "+string(s[name]))
	}
	slices.Sort(all)
	return all
}

func TestRecordedOutput(t *testing.T) {
	t.Parallel()
	for name, want := range recorded {
		var r Reader
		for line := range strings.Lines(string(read(t, name))) {
			r.Read(text.Output(strings.TrimRight(line, "\n")))
		}
		slices.Sort(want)
		if got := list(r.Names()); !slices.Equal(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", name, got, want)
		}
	}
}

func TestJUnit(t *testing.T) {
	t.Parallel()
	got, err := ReadJUnit(bytes.NewReader(read(t, "pytest.xml")))
	if want := recorded["pytest-v.txt"]; err != nil || !slices.Equal(list(got), want) {
		t.Errorf("%v\n got %q\nwant %q", err, list(got), want)
	}
	if _, err := ReadJUnit(strings.NewReader("<a><testcase name='x'/>")); err == nil {
		t.Error("a report that was cut short is read")
	}
}

const plain = `--- FAIL: TestAdd (0.00s)
    --- FAIL: TestAdd/two (0.00s)
        a_test.go:10: no
printed
FAIL
FAIL	example.com/m	0.004s
ok  	example.com/m/b	0.008s
`

// What go test -json prints is shown as go test prints it.
func TestGoDecoder(t *testing.T) {
	t.Parallel()
	data := append(read(t, "go.json"), "{\"x\":1}\n# other output\nunfinished"...)
	for _, size := range []int{1, 100, len(data)} {
		var out bytes.Buffer
		d := NewGoDecoder(&out)
		for part := range slices.Chunk(data, size) {
			_, _ = d.Write(part) // out has no error.
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); got != plain+"{\"x\":1}\n# other output\nunfinished" {
			t.Errorf("the output is\n%s\nwant the plain text and what is not go's", got)
		}
		want := slices.Clone(recorded["go-v.txt"])
		want = append(want, "example.com/m TestOK pass") // Its line has no end in the other form.
		slices.Sort(want)
		if !slices.Equal(list(d.Names()), want) {
			t.Errorf("the names are %q, want %q", list(d.Names()), want)
		}
	}
}

// A package that died shows what its tests had printed.
func TestGoDecoderOfACrash(t *testing.T) {
	t.Parallel()
	var in, out bytes.Buffer
	for _, e := range []string{
		`"Action":"run","Package":"p","Test":"TestA"`,
		`"Action":"output","Package":"p","Test":"TestA","Output":"panic: x\n"`,
		`"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"`, `"Action":"fail","Package":"p"`,
		`"Action":"output","Package":"q","Test":"TestB","Output":"half"`,
	} {
		fmt.Fprintf(&in, "{%s}\n", e)
	}
	d := NewGoDecoder(&out)
	_, _ = d.Write(in.Bytes())
	_ = d.Close()
	if got := out.String(); got != "panic: x\nFAIL\tp\t0.1s\nhalf" || len(d.Names()) != 0 {
		t.Errorf("the output is %q with the names %v, want the plain text and no names", got, d.Names())
	}
}

func TestWithNames(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"go test ./...": "go test -json ./...",
		"go vet ./... && go test -race -run 'A|B' .": "go vet ./... && go test -json -race -run 'A|B' .",
		"CGO_ENABLED=0 go test ./... ; true":         "CGO_ENABLED=0 go test -json ./... ; true",
		"npx jest src":                               "npx jest --verbose src",
		"vitest run":                                 "vitest run --reporter=verbose",
	} {
		if got, byGo := WithNames(line); got != want || byGo != strings.Contains(line, "go test") {
			t.Errorf("%s: %s, %v; want %v", line, got, byGo, want)
		}
	}
	for _, line := range []string{"", "true", "go test ./... | tee log", "go test -v ./...", "go test -json .",
		"go test ./... > out", "echo $(go test)", "go test & wait", "echo go test", "go vet ./...", "make test",
		"go test -run 'x", "gotestsum", "jest --json", "npm test", "go test \"$DIR\""} {
		if got, byGo := WithNames(line); got != line || byGo {
			t.Errorf("WithNames(%s) = %s, want it unchanged", line, got)
		}
	}
}

// Two calls of pytest would write one report.
func TestWithReports(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"pytest":                        "pytest",
		"pytest a && pytest b":          "pytest a && pytest --junitxml=/r/p-2.xml b",
		"pytest; python3 -m pytest b":   "pytest; python3 -m pytest --junitxml=/r/p-2.xml b",
		"pytest && pytest --junitxml=x": "pytest && pytest --junitxml=x",
		"pytest | pytest":               "pytest | pytest",
	} {
		if got := WithReports(line, "/r/p"); got != want {
			t.Errorf("%s: %s; want %v", line, got, want)
		}
	}
	if got := WithReports("pytest && pytest", "/a b"); got != "pytest && pytest" {
		t.Errorf("WithReports('pytest && pytest', '/a b') is %q, want %q", got, "pytest && pytest")
	}
}

func TestNamesOfTests(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]string{
		"example.com/m TestAdd/two":       {"example.com/m TestAdd", "TestAdd/two"},
		"tests.test_a.TestC::test_p[a b]": {"tests.test_a.TestC::test_p", "test_p[a b]"},
		"a.test.js > math > adds":         {"a.test.js", "a.test.js > math > adds"},
		"src/lib.rs tests::it":            {"src/lib.rs tests::it", "it"},
		"tap adds":                        {"tap adds", "tap adds"},
	} {
		if Group(name) != want[0] || Short(name) != want[1] {
			t.Errorf("%s: group %q and short name %q, want %q and %q",
				name, Group(name), Short(name), want[0], want[1])
		}
	}
	s := Set{}
	for _, o := range []Outcome{Passed, Failed, Skipped, Passed} {
		s.Add("a", o)
	}
	s.Add("b", Skipped)
	if s["a"] != Failed || !s.Ran("a") || s.Ran("b") || s.Ran("c") || len(s.Groups()) != 1 {
		t.Errorf("the set is %v, want that only a ran, and failed", s)
	}
}
