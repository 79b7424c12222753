package demo

import (
	"bytes"
	"slices"
	"testing"
)

func TestFold(t *testing.T) {
	for _, test := range []struct {
		text  string
		width int
		want  []string
	}{
		{"* reads the submission", 30, []string{"* reads the submission"}},
		{"* reads the submission", 16, []string{"* reads the", "  submission"}},
		{"  | the pause ends with it", 18, []string{"  | the pause ends", "  | with it"}},
		{"  + if x != nil { return }", 19, []string{"  + if x != nil {", "    return }"}},
		{"no terminal at all, as it is", 0, []string{"no terminal at all, as it is"}},
		{"very narrow", 5, []string{"very narrow"}},
	} {
		if got := fold(test.text, test.width); !slices.Equal(got, test.want) {
			t.Errorf("fold(%q, %d) = %q, want %q", test.text, test.width, got, test.want)
		}
	}
}

func TestParagraphs(t *testing.T) {
	got := paragraphs("# A title\nwords that\ncontinue\n\n1. one\n   and more\n2. two\n- ID: m1.0\n")
	want := []string{"# A title", "words that continue", "", "1. one and more", "2. two", "- ID: m1.0", ""}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// TestProgressIsIndented: each line of a report stands below its call.
func TestProgressIsIndented(t *testing.T) {
	var out bytes.Buffer
	p := &pane{out: &out, plain: true}
	p.progress("\n=== go vet ./...\nstopped\n")
	if got := out.String(); got != "  === go vet ./...\n  stopped\n" {
		t.Errorf("it prints %q", got)
	}
}
