package session

import (
	"strings"
	"testing"
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
		{[]string{"said before", wide + wide + wide}, wide + wide + wide},
		{strings.Fields("1 2 3 4 5 6 7 8"), "3 4 5 6 7 8"},
	} {
		if got := lastWords(c.rows); got != c.want {
			t.Errorf("%q: got %q, want %q", c.rows, got, c.want)
		}
	}
}
