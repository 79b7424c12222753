package checks

import (
	"fmt"
	"strings"
	"testing"

	"ferrus/checks/git"
)

// A change is the same on another base if git would call it the same patch, white space included.
func TestSamePatch(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
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
			w.tree() // makes the private directory
			trees := w.importTrees(test.first.before, test.first.after, test.second.before, test.second.after)
			got, err := w.SamePatch(t.Context(), [2]string(trees[:2]), [2]string(trees[2:]), test.union)
			if w.do(err); got != test.want {
				t.Errorf("the same patch: %v", got)
			}
		})
	}
}

// importTrees stores trees, given as the content of files, in two processes instead of seven for
// each.
func (w *work) importTrees(all ...map[string]string) []string {
	w.Helper()
	var stream strings.Builder
	for i, files := range all {
		fmt.Fprintf(&stream, "commit refs/trees/%d\ncommitter a <a@b> 0 +0000\ndata 0\ndeleteall\n", i)
		for name, text := range files {
			fmt.Fprintf(&stream, "M 100644 inline %s\ndata %d\n%s\n", name, len(text), text)
		}
	}
	fast := git.In(w.dir).Command(w.Context(), "fast-import", "--quiet")
	fast.Stdin = strings.NewReader(stream.String())
	w.do(fast.Run())
	refs := []string{"rev-parse"}
	for i := range all {
		refs = append(refs, fmt.Sprintf("refs/trees/%d^{tree}", i))
	}
	return strings.Fields(w.git(refs...))
}
