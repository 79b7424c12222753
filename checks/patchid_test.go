package checks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A change is the same on another base where git would call it the same patch, white space included.
func TestSamePatch(t *testing.T) {
	t.Parallel()
	lines := strings.Split("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20", " ")
	text := func(changes map[int]string) string {
		all := append([]string{}, lines...)
		for i, s := range changes {
			all[i-1] = s
		}
		return strings.Join(all, "\n") + "\n"
	}
	type side struct{ before, after map[string]string }
	one := func(name string, before, after map[int]string) side {
		return side{map[string]string{name: text(before)}, map[string]string{name: text(after)}}
	}
	change := one("f", nil, map[int]string{10: "ten"})
	binary := func(before, after string) side {
		return side{map[string]string{"b": "\x00" + before}, map[string]string{"b": "\x00" + after}}
	}
	log := func(before, after string) side {
		return side{map[string]string{"log": before, "f": "1\n"}, map[string]string{"log": after, "f": "2\n"}}
	}
	union, mine, theirs := []string{"log"}, log("# log\n", "# log\n- two\n"), "# log\n- one\n"
	shifted := side{map[string]string{"f": "0\n" + text(nil)},
		map[string]string{"f": "0\n" + text(map[int]string{10: "ten"})}}
	other := one("f", nil, map[int]string{10: "ten"})
	other.before["g"], other.after["g"] = "x", "x"
	for name, test := range map[string]struct {
		first, second side
		union         []string
		want          bool
	}{
		"at another place":   {change, shifted, nil, true},
		"beside other files": {change, other, nil, true},
		"other lines around it": {change,
			one("f", map[int]string{8: "eight"}, map[int]string{8: "eight", 10: "ten"}), nil, false},
		"another indentation":     {change, one("f", nil, map[int]string{10: "\tten"}), nil, false},
		"a part of it":            {change, one("f", map[int]string{10: "ten"}, map[int]string{10: "ten"}), nil, false},
		"more than it":            {change, one("f", nil, map[int]string{10: "ten", 20: "twenty"}), nil, false},
		"in another file":         {change, one("g", nil, map[int]string{10: "ten"}), nil, false},
		"the same bytes":          {binary("a", "b"), binary("a", "b"), nil, true},
		"other bytes":             {binary("a", "b"), binary("c", "b"), nil, false},
		"both sides of a log":     {mine, log(theirs, theirs+"- two\n"), union, true},
		"a log that others began": {log("", "# log\n- two\n"), log(theirs, theirs+"- two\n"), union, true},
		"a log without union":     {mine, log(theirs, theirs+"- two\n"), nil, false},
		"a log that got more":     {mine, log(theirs, theirs+"- two\n- three\n"), union, false},
		"a log that lost a line":  {mine, log(theirs, "# log\n- two\n"), union, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWork(t)
			trees := func(s side) (all [2]string) {
				for i, files := range []map[string]string{s.before, s.after} {
					for _, name := range []string{"f", "g", "b", "log"} {
						if files[name] == "" {
							os.Remove(filepath.Join(w.dir, name)) //nolint:errcheck // mostly there is none
						} else {
							w.write(name, files[name])
						}
					}
					all[i] = w.tree()
				}
				return all
			}
			got, err := w.SamePatch(t.Context(), trees(test.first), trees(test.second), test.union)
			if w.do(err); got != test.want {
				t.Errorf("the same patch: %v", got)
			}
		})
	}
}
