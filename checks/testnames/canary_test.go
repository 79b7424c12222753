package testnames

import (
	"strings"
	"testing"
)

func TestCanaryIsWritten(t *testing.T) {
	t.Parallel()
	for kind, text := range map[Kind]string{
		Go: "// x\npackage a_test\n", Python: "def test_a():\n    pass", JavaScript: "it('a', () =>" +
			" {})\n", Rust: "fn a() {}\n",
	} {
		c := NewCanary(kind, "dir/file", "label")
		got := c.Write(text)
		if !strings.Contains(got, c.pass) || !strings.Contains(got, c.fail) ||
			kind != Go && !strings.HasPrefix(got, text) || (c.Path != "dir/file") != (kind == Go) {
			t.Errorf("%s: the canary %+v is not in\n%s", kind, c, got)
		}
		if other := NewCanary(kind, "dir/file", "label"); other.pass == c.pass || c.pass == c.fail {
			t.Errorf("%s: names repeat: %+v, %+v", kind, c, other)
		}
	}
	for kind, text := range map[Kind]string{
		Go: "no clause", Python: "x = 1\n", JavaScript: "it.only('a', () =>" +
			" {})\nit('b')",
	} {
		if got := NewCanary(kind, "file", "label").Write(text); got != "" {
			t.Errorf("%s: wrote %s, want nothing", kind, got)
		}
	}
}

func TestCanaryIsReported(t *testing.T) {
	t.Parallel()
	c := Canary{Kind: Go, pass: "TestYes", fail: "TestNo"}
	js := Canary{Kind: JavaScript, Path: "web/a.test.js", pass: "yes", fail: "no"}
	for name, a := range map[string]struct {
		canary Canary
		set    Set
		want   bool
	}{
		"both":          {c, Set{"p TestYes": Passed, "p TestNo": Failed}, true},
		"neither":       {c, Set{"p TestA": Passed}, false},
		"all pass":      {c, Set{"p TestYes": Passed, "p TestNo": Passed}, false},
		"one":           {c, Set{"p TestYes": Passed}, false},
		"file fails":    {js, Set{"a.test.js": Failed}, true},
		"file passes":   {js, Set{"a.test.js": Passed}, false},
		"named":         {js, Set{"a.test.js": Failed, "a.test.js > yes": Passed, "a.test.js > no": Failed}, true},
		"named, hidden": {js, Set{"a.test.js": Failed, "a.test.js > a": Passed}, false},
	} {
		if a.canary.Reported(a.set) != a.want {
			t.Errorf("%s: Reported = %v, want %v", name, !a.want, a.want)
		}
	}
	for name, want := range map[string]Kind{"example.com/m TestA/b": Go, "tests.test_a.TestC::test_p[a b]": Python,
		"a.test.js > math > adds": JavaScript, "web/a.test.ts": JavaScript, "src/lib.rs tests::it": Rust, "tap" +
			" adds": "",
		"tap Test": "", "ctest adds": ""} {
		if got := KindOf(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
