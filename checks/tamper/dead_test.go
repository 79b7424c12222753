package tamper

import (
	"slices"
	"strings"
	"testing"
)

// Tests whose lines stay count as removed if no runner sees them any more, and only then.
func TestTestsThatDied(t *testing.T) {
	t.Parallel()
	const (
		goText = "package a\n\nfunc TestA(t *testing.T) {\n\tt.Error(1)\n}\n"
		pyText = "def test_a():\n    assert a()\n"
		class  = "class TestB:\n    def test_a(self):\n        assert a()\n"
		jsText = "test('a', () => {\n})\n"
	)
	for _, c := range []struct {
		path, was, now string
		died           bool
	}{
		{"a_test.go", goText, "/*\n" + goText + "*/\n", true},
		{"a_test.go", goText, "var _ = `\n" + goText + "`\n", true},
		{"a_test.go", goText, "/* A comment. */\n" + goText, false},
		{"a_test.go", goText, "var _ = `text`\n" + goText, false},
		{"a_test.go", goText, strings.Replace(goText, "TestA", "Testa", 1), true},
		{"a_test.go", "/*\n" + goText + "*/\n", goText, false},
		{"test_a.py", pyText, "x = '''\n" + pyText + "'''\n", true},
		{"test_a.py", pyText, "x = r\"\"\"\n" + pyText + "\"\"\"\n", true},
		{"test_a.py", pyText, "\"\"\"A module.\"\"\"\n" + pyText, false},
		{"test_a.py", pyText, "\"\"\"A module\nof two lines.\n\"\"\"\n" + pyText, false},
		{"test_a.py", pyText, "if x:\n  " + pyText, true},
		{"test_a.py", pyText, pyText + pyText, true},
		{"test_a.py", pyText, pyText + class, false},
		{"test_a.py", class, class + strings.Replace(class, "TestB", "TestC", 1), false},
		{"test_a.py", class, strings.Replace(class, "TestB", "B", 1), true},
		{"test_a.py", class, strings.Replace(class, "TestB", "B(unittest.TestCase)", 1), false},
		{"test_a.py", class, strings.Replace(class, "TestB", "TestC", 1), false},
		{"a.test.js", jsText, "const x = `\n" + jsText + "`\n", true},
		{"a.test.js", jsText, "const x = '**/*.js'\n" + jsText, false},
		{"a_test.cc", "TEST(A, B) {\n}\n", "#if 0\nTEST(A, B) {\n}\n#endif\n", true},
		{"a_test.cc", "TEST(A, B) {\n}\n", "#if WIDE\n#endif\nTEST(A, B) {\n}\n", false},
	} {
		w := weakening{path: c.path, was: c.was, now: c.now}
		alarms, err := Find(w.change())
		got := slices.ContainsFunc(alarms, func(a Alarm) bool { return a.NeedsHuman && a.Rule == "tests-removed" })
		if err != nil || got != c.died {
			t.Errorf("%s %q: %v, %+v, %v; want %v", c.path, c.now, got, alarms, err, c.died)
		}
	}
}
