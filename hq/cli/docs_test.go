package cli

import (
	"os"
	"strings"
	"testing"
)

// TestReadmeIsGenerated holds the README to the tables the program runs on.
func TestReadmeIsGenerated(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	want, err := generate(string(text), tables((&streams{})))
	if err != nil {
		t.Fatal(err)
	}
	if want != string(text) {
		t.Error("README.md is not what the tables say; run: task generate")
	}
	for _, name := range []string{"commands", "config", "exits", "agents", "task", "session", "diagram"} {
		if !strings.Contains(want, beginMark+name+" -->") {
			t.Errorf("README.md has no table %q", name)
		}
	}
}

func TestGenerate(t *testing.T) {
	tables := map[string]string{"a": "| new |\n"}
	for _, test := range []struct{ doc, want, fault string }{
		{"no marks", "no marks", ""},
		{"x\n" + beginMark + "a -->\nold\n" + endMark + "\ny", "x\n" + beginMark + "a -->\n| new |\n" + endMark + "\ny", ""},
		{beginMark + "b -->\n" + endMark, "", `"b" is not a table`},
		{beginMark + "a -->\nno end", "", `"a" is not a table, or has no end`},
	} {
		got, err := generate(test.doc, tables)
		if test.fault != "" {
			if err == nil || !strings.Contains(err.Error(), test.fault) {
				t.Errorf("%q: got %v", test.doc, err)
			}
			continue
		}
		if err != nil || got != test.want {
			t.Errorf("%q: got %q, %v", test.doc, got, err)
		}
	}
}
