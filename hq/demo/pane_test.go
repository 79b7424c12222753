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

// TestOpenComments: only what has no answer is answered, and no line of a comment is taken for
// a heading of its own.
func TestOpenComments(t *testing.T) {
	const list = "## Round 1: 2 comments, sent as a message\n\n### c1: a.go:3\n\nuse a timer\n\nOpen.\n\n" +
		"### c2: a.go\n\nwhy?\n\nexecutor:demo:1: done.\n\n## Round 2: 1 comment, sent as a rejection\n\n" +
		"### c3: b.go:9-12\n\nand here\n\nOpen.\n"
	if got := openComments(list); !slices.Equal(got, []string{"c1", "c3"}) {
		t.Errorf("open are %q", got)
	}
	if got := openComments("There are none: see below\n\nOpen.\n"); len(got) > 0 {
		t.Errorf("open are %q", got)
	}
}
