package tomledit

import (
	"errors"
	"strings"
	"testing"
)

func TestEdits(t *testing.T) {
	t.Parallel()
	set := func(path, value string) func([]byte) ([]byte, error) {
		return func(data []byte) ([]byte, error) { return Set(data, strings.Split(path, "."), value) }
	}
	table := func(data []byte) ([]byte, error) { return SetTable(data, []string{"s", "x"}, "[s.x]\nk = 1\n") }
	remove := func(data []byte) ([]byte, error) { return RemoveTable(data, []string{"s", "x"}) }
	for _, test := range []struct {
		name          string
		edit          func([]byte) ([]byte, error)
		before, after string // "": refused
	}{
		{"set a value", set("a.b", "2"), "[a]\nb = 1 # one\n", "[a]\nb = 2 # one\n"},
		{"set behind what sorts before", set("a.b", "2"), "[a] # head\na = [\n1] # own\nc = 3\n",
			"[a] # head\nb = 2\na = [\n1] # own\nc = 3\n"},
		{"set in an inline table", set("a.b", "2"), "a = { c = 3 }\n", "a = { c = 3, b = 2 }\n"},
		{"set in a new table", set("a.b", "2"), "x = 1", "x = 1\n\n[a]\nb = 2\n"},
		{"set below a value", set("a.b", "2"), "a = 1\n", ""},
		{"set in what is not TOML", set("a.b", "2"), "a = ", ""},
		{"add a table", table, "[s]\nx2 = 1\n", "[s]\nx2 = 1\n\n[s.x]\nk = 1\n"},
		{"replace a table and those below", table, "[s.x]\nk = 0\n[s.x.y]\nz = 1\n# end\n[t]\n",
			"[s.x]\nk = 1\n# end\n[t]\n"},
		{"add to an inline table", table, "s = { y = { k = 1 } }\n", ""},
		{"remove a table", remove, "a = 1\n\n[s.x]\nk = 0\n\n# t\n[t]\n", "a = 1\n\n# t\n[t]\n"},
		{"remove what is not there", remove, "a = 1\n", "a = 1\n"},
		{"remove a dotted table", remove, "s.x.k = 1\n", ""},
	} {
		got, err := test.edit([]byte(test.before))
		if string(got) != test.after || (err != nil) != (test.after == "") || err != nil && !errors.Is(err, ErrShape) {
			t.Errorf("%s: %q, %v; want %q", test.name, got, err, test.after)
		}
	}
}
