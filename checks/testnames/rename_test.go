package testnames

import (
	"maps"
	"slices"
	"testing"
)

func TestRenames(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before, now string
		want        Renaming
		applied     string
	}{
		"function": {"got := Quote(a)\nif got != \"Quote\" {\n\tt.Fatal(got)\n}\n",
			"got := Protect(a)\nif got != \"Quote\" {\n\tt.Fatal(got)\n}\n", Renaming{"Quote": "Protect"},
			"got := Protect(a)\nif got != \"Quote\" {\n\tt.Fatal(got)\n}\n"},
		"hides a weaker test": {"got := Quote(a)\nif got != \"x\" {\n", "got := Protect(a)\nif got == \"\" {\n",
			Renaming{"Quote": "Protect"}, "got := Protect(a)\nif got != \"x\" {\n"},
		"still there":    {"a(x)\na(y)", "b(x)\na(y)", Renaming{}, ""},
		"known before":   {"a(x)\nb(y)", "b(x)\nb(y)", Renaming{}, ""},
		"two targets":    {"a(x)\na(y)", "b(x)\nc(y)", Renaming{}, ""},
		"two sources":    {"a(x)\nb(y)", "c(x)\nc(y)", Renaming{}, ""},
		"another form":   {"a(x)", "b(x, 1)", Renaming{}, ""},
		"of an assert":   {"assertEqual(x)", "ignore(x)", Renaming{}, ""},
		"of a test":      {"func TestA(t *testing.T) {", "func TestB(t *testing.T) {", Renaming{"TestA": "TestB"}, ""},
		"in a long text": {"a\nb\nc\nold(1)\nd", "a\nc\nnewer(1)\nd\ne", Renaming{"old": "newer"}, ""},
	} {
		got := Renames([]Versions{{c.before, c.now}})
		if !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		if c.applied != "" && got.Apply(c.before) != c.applied {
			t.Errorf("%s: applied:\n%s\nwant\n%s", name, got.Apply(c.before), c.applied)
		}
	}
	if got := (Renaming{"TestA": "TestB"}).ApplyName("p/TestA TestA/one"); got != "p/TestA TestB/one" {
		t.Errorf("renamed to %q, want p/TestA TestB/one", got)
	}
}

func TestLost(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		f    Versions
		want []string
	}{
		"nothing":   {Versions{`assert a(1) == "x"`, `assert a(1, 2) == "x" // y`}, nil},
		"a literal": {Versions{`assert a(1) == "x"`, `assert a(1)`}, []string{`"x"`}},
		"all":       {Versions{"t.Fatal(3)", ""}, []string{"Fatal", "3"}},
		"one of two": {Versions{"expect(a).toBe(1)\nexpect(b).toBe(1)", "expect(a).toBe(1)"},
			[]string{"expect", "toBe", "1"}},
	} {
		if got := Lost(c.f); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q; want %q", name, got, c.want)
		}
	}
	for path, want := range map[string]bool{"a_test.go": true, "x/testdata/a": true, "tests/a.py": true,
		"a.spec.ts": true, "conftest.py": true, "main.go": false, "golden/a.go": false, "golden/a.txt": true,
		"testdata/a.go": true, "contest.py": false, "latest/a.go": false,
		"src/app.e2e-spec.ts": true, "lib/my-test.js": true, "e2e/a.cy.ts": true, "features/a.feature": true,
		"Lib.Tests/Helper.cs": true, "src/Lib.UnitTests/A.cs": true, "Tests/LibTests/A.swift": true,
		"src/integrationTest/java/A.java": true, "phpunit.xml.dist": true, ".mocharc.yml": true,
		"a_test.rego": true, "A.Tests.ps1": true, "ATests.m": true, "a.approved.txt": true, "x/cassettes/a.yaml": true,
		"a.expected": true, "latest.fs": false, "latest.ml": false, "contest.el": false, "unexpected.txt": false,
		"src/latest.ts": false, "Lib/Helper.cs": false, "src/Latest.Requests/A.cs": false, "inspec.js": false} {
		if IsTestFile(path) != want {
			t.Errorf("IsTestFile(%q) = %v, want %v", path, !want, want)
		}
	}
}
