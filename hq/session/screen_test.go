package session

import (
	"strings"
	"testing"

	"ferrus/ui/vt"
)

// The last row that a program printed is quoted, whatever it printed before.
func TestLastWordsKeepTheLastRow(t *testing.T) {
	wide := strings.Repeat("x", 90)
	for _, c := range []struct {
		rows []string
		want string
	}{
		{nil, ""},
		{[]string{"", "out of", "", "paper", ""}, "out of paper"},
		{[]string{wide, wide, wide, "out of memory", ""}, wide + " " + wide + " out of memory"},
		{[]string{"said before", wide + wide + wide}, strings.Repeat("x", 100) + "…" + strings.Repeat("x", 100)},
		{[]string{"it failed: " + wide + wide + "; try again"},
			"it failed: " + strings.Repeat("x", 89) + "…" + strings.Repeat("x", 89) + "; try again"},
		{[]string{"before", "it failed: " + wide + wide, "the server answered 500", "took 1 s"},
			"it failed: " + wide + strings.Repeat("x", 65) + "… the server answered 500 took 1 s"},
		{strings.Fields("1 2 3 4 5 6 7 8"), "3 4 5 6 7 8"},
	} {
		if got := lastWords(c.rows); got != c.want {
			t.Errorf("%q: got %q, want %q", c.rows, got, c.want)
		}
	}
}

// A line that the screen wraps is quoted as the program printed it.
func TestLastOutputJoinsWrappedRows(t *testing.T) {
	screen := vt.NewLocked(14, 7, 100)
	_, err := screen.Write([]byte("before\r\n" + sessionRule + "2\r\nno such file: a/long/name\r\nend"))
	if err != nil {
		t.Fatal(err)
	}
	if got := lastWords(sessionLines(screen)); got != "no such file: a/long/name end" {
		t.Errorf("got %q, want the lines as they were printed", got)
	}
}
