package vt

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

func TestResizeKeepsTheText(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, input   string
		columns, rows int
		want          string
	}{
		{"narrower wraps", "abcdefgh\r\nij", 4, 4, "--\nabcd\nefgh\nij"},
		{"wider joins", "abcdefghijkl\r\nm", 20, 4, "--\nabcdefghijkl\nm"},
		{"shorter scrolls", "1\r\n2\r\n3\r\n4", 10, 2, "1\n2\n--\n3\n4"},
		{"blank rows go first", "1\r\n2", 10, 2, "--\n1\n2"},
		{"taller takes back", "1\r\n2\r\n3\r\n4\r\n5\r\n6", 10, 5, "1\n--\n2\n3\n4\n5\n6"},
		{"lines that began above come back whole", "0123456789abcdefghij\r\n2\r\n3\r\n4", 20, 4,
			"--\n0123456789abcdefghij\n2\n3\n4"},
		{"wide characters are not cut", "abc漢字", 4, 4, "--\nabc\n漢字"},
		{"styles stay", "\x1b[31mabcdef\x1b[m", 3, 4, "--\nabc\ndef"},
	}
	for _, c := range cases {
		v := written(c.input)
		v.Resize(c.columns, c.rows)
		check(t, v)
		if got := lines(v); got != c.want {
			t.Errorf("%s: %q at %dx%d shows\n%s\nwant\n%s", c.name, c.input, c.columns, c.rows, got, c.want)
		}
	}
}

func TestResizeKeepsTheCursorInTheText(t *testing.T) {
	t.Parallel()
	v := written("abcdefgh\x1b7\x1b[5G")
	v.Resize(3, 4)
	v.Write([]byte("E"))
	if got := screenText(v); got != "abc\ndEf\ngh" {
		t.Errorf("the cursor wrote %q", got)
	}
	v.Write([]byte("\x1b8!"))
	if got := screenText(v); got != "abc\ndEf\ngh!" {
		t.Errorf("the saved cursor wrote %q", got)
	}
}

func TestAlternateScreenIsCutAndTheMainOneRewrapped(t *testing.T) {
	t.Parallel()
	v := written("abcdefgh\x1b[?1049h\x1b[Halternate")
	v.Resize(4, 3)
	if got := screenText(v); got != "alte" {
		t.Errorf("the alternate screen is %q", got)
	}
	v.Write([]byte("\x1b[?1049l!"))
	if got := screenText(v); got != "abcd\nefgh\n!" {
		t.Errorf("the main screen is %q", got)
	}
}

func TestResizingAnyNumberOfTimesLosesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it fills a pane many times")
	}
	t.Parallel()
	for seed := range int64(100) {
		r := rand.New(rand.NewSource(seed))
		v := New(40, 10, 1000)
		var want strings.Builder
		for i := range 60 {
			line := fmt.Sprintf("%d %s", i, strings.Repeat("wörd 漢 ", r.Intn(12)))
			fmt.Fprintf(v, "\x1b[3%dm%s\x1b[m\r\n", r.Intn(8), line)
			want.WriteString(strings.ReplaceAll(line, " ", ""))
			if r.Intn(4) == 0 {
				v.Resize(10+r.Intn(80), 2+r.Intn(20))
				check(t, v)
			}
		}
		got := strings.NewReplacer(" ", "", "\n", "", "--", "").Replace(lines(v))
		if got != want.String() {
			t.Fatalf("seed %d: it has\n%s\nwant\n%s", seed, got, want.String())
		}
	}
}
