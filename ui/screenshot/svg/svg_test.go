package svg

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/ui/vt"
)

// drawn returns the picture of what a screen of one row shows.
func drawn(t *testing.T, columns int, s string) string {
	t.Helper()
	screen := vt.New(columns, 1, 0)
	screen.Write([]byte("\x1b[?25l" + s))
	var b strings.Builder
	if err := Write(&b, screen); err != nil {
		t.Fatal(err)
	}
	wellFormed(t, b.String())
	return b.String()
}

func wellFormed(t *testing.T, picture string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(picture))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, picture)
		}
	}
}

func TestEachRunHasTheWidthOfItsCells(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ in, want string }{
		{"ab cd", `<text x="18" y="32" textLength="45" fill="#d8dee9">ab cd</text>`},
		{"  ab", `<text x="36" y="32" textLength="18" fill="#d8dee9">ab</text>`},
		{"a  b", `<text x="45" y="32" textLength="9" fill="#d8dee9">b</text>`},
		{"a\x1b[31mb", `<text x="27" y="32" textLength="9" fill="#e06c75">b</text>`},
		{"a✓b", `<text x="27" y="32" textLength="9" lengthAdjust="spacingAndGlyphs" fill="#d8dee9">✓</text>`},
		{"a世b", `<text x="27" y="32" textLength="18" lengthAdjust="spacingAndGlyphs" fill="#d8dee9">世</text>`},
		{"世b", `<text x="36" y="32" textLength="9" fill="#d8dee9">b</text>`},
		{"<&\"\x01", `<text x="18" y="32" textLength="27" fill="#d8dee9">&lt;&amp;&#34;</text>`},
		{"\x1b[4m a  b",
			`<text x="18" y="32" textLength="45" fill="#d8dee9" style="text-decoration:underline solid #d8dee9"> a  b</text>`},
	} {
		if got := drawn(t, 12, test.in); !strings.Contains(got, test.want) {
			t.Errorf("%q: no %s in\n%s", test.in, test.want, got)
		}
	}
}

func TestLinesAndBlocksAreShapes(t *testing.T) {
	t.Parallel()
	for r := range lines {
		if got := drawn(t, 2, string(r)); strings.Contains(got, "<text") ||
			!strings.Contains(got, `stroke="#d8dee9" d="M18 18m`) {
			t.Errorf("%c is drawn as\n%s", r, got)
		}
	}
	for _, r := range "▀▁▂▃▄▅▆▇█▉▊▋▌▍▎▏▐░▒▓" {
		if got := drawn(t, 2, string(r)); strings.Contains(got, "<text") || !strings.Contains(got, `<path fill="#`) {
			t.Errorf("%c is drawn as\n%s", r, got)
		}
	}
	if got, want := drawn(t, 2, "▄"), `d="M18 27.5h9v9.5h-9z"`; !strings.Contains(got, want) {
		t.Errorf("no %s in\n%s", want, got)
	}
}

func TestEveryStyleShows(t *testing.T) {
	t.Parallel()
	plain := drawn(t, 2, "ab")
	for _, sgr := range []string{"1", "2", "3", "1;3", "4", "4:2", "4:3", "4:4", "4:5", "7", "8", "9",
		"53", "4;58;5;1"} {
		if drawn(t, 2, "\x1b["+sgr+"mab") == plain {
			t.Errorf("SGR %s does not show", sgr)
		}
	}
	if got := drawn(t, 2, "\x1b[48;2;1;2;3m "); !strings.Contains(got, `<path fill="#010203" d="M18 18h9v19h-9z"/>`) {
		t.Errorf("no background in\n%s", got)
	}
}

func TestTheCursorIsDrawnWhereItIsVisible(t *testing.T) {
	t.Parallel()
	without := drawn(t, 2, "")
	for _, shape := range []string{"", "\x1b[4 q", "\x1b[6 q"} {
		if drawn(t, 2, shape+"\x1b[?25h") == without {
			t.Errorf("no cursor after %q", shape)
		}
	}
}

// TestPicturesOfTheDocuments checks that the pictures in the repository are small and complete.
func TestPicturesOfTheDocuments(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob("../pictures/*")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if wellFormed(t, string(text)); filepath.Ext(file) != ".svg" || len(text) > 64_000 {
			t.Errorf("%s has %d bytes: task screenshot makes it anew", file, len(text))
		}
	}
	if len(files) == 0 {
		t.Error("there are no pictures")
	}
}
