package cli

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var writeSections = flag.Bool("generate", false, "write the generated sections of the documents")

// The lines around a generated section.
const (
	beginSection = "<!-- generated: "
	endSection   = "<!-- end of generated -->\n"
)

// TestDocuments checks that the generated sections of README.md and the guide match the tables that
// the program uses. With -generate it writes them.
func TestDocuments(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob("../guide/*.md")
	all, used := sections(t), map[string]bool{}
	for _, file := range append(files, "../../README.md") {
		before, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		after, err := fillSections(string(before), all, used)
		switch {
		case err != nil:
			t.Errorf("%s: %v", file, err)
		case after == string(before):
		case *writeSections:
			if err := os.WriteFile(file, []byte(after), 0o644); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s is stale; run: task generate", file)
		}
	}
	for name := range all {
		if !used[name] {
			t.Errorf("the section %q is in no document", name)
		}
	}
}

// fillSections puts each section between its marks.
func fillSections(doc string, all map[string]string, used map[string]bool) (string, error) {
	var b strings.Builder
	for rest := doc; ; {
		before, after, found := strings.Cut(rest, beginSection)
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		name, after, _ := strings.Cut(after, " -->\n")
		_, after, closed := strings.Cut(after, endSection)
		text, known := all[name]
		if !known || !closed {
			return "", fmt.Errorf("%q is no generated section, or has no end", name)
		}
		used[name] = true
		fmt.Fprintf(&b, "%s%s -->\n%s%s", beginSection, name, text, endSection)
		rest = after
	}
}

func TestFillSections(t *testing.T) {
	t.Parallel()
	all := map[string]string{"a": "| new |\n"}
	for _, test := range []struct{ doc, want, fault string }{
		{"no marks", "no marks", ""},
		{"x\n" + beginSection + "a -->\nold\n" + endSection + "\ny", "x\n" + beginSection + "a -->\n| new |\n" +
			endSection + "\ny", ""},
		{beginSection + "b -->\n" + endSection, "", `"b" is no generated section`},
		{beginSection + "a -->\nno end", "", `"a" is no generated section, or has no end`},
	} {
		got, err := fillSections(test.doc, all, map[string]bool{})
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
