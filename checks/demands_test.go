package checks

import (
	"slices"
	"testing"

	"ferrus/checks/testnames"
)

func TestGone(t *testing.T) {
	t.Parallel()
	pass, skip := testnames.Passed, testnames.Skipped
	for name, c := range map[string]struct {
		before, now testnames.Set
		want        []string
	}{
		"nothing": {testnames.Set{"p TestA": pass}, testnames.Set{"p TestA": testnames.Failed}, nil},
		"gone": {testnames.Set{"p TestA": pass, "p TestB": pass}, testnames.Set{"p TestB": pass},
			[]string{"TestA"}},
		"skipped":       {testnames.Set{"m::test_a": pass}, testnames.Set{"m::test_a": skip}, []string{"test_a"}},
		"was skipped":   {testnames.Set{"m::test_a": skip}, testnames.Set{}, nil},
		"cases":         {testnames.Set{"p TestA/1": pass, "p TestA": pass}, testnames.Set{"p TestA": pass}, nil},
		"another order": {testnames.Set{"m::test_a[1]": pass}, testnames.Set{"m::test_a[2]": pass}, nil},
		"moved":         {testnames.Set{"p TestA": pass}, testnames.Set{"p/q TestA": pass}, nil},
		"moved and gone": {testnames.Set{"p TestA": pass, "q TestA": pass}, testnames.Set{"p/q TestA": pass},
			[]string{"TestA"}},
		"without names": {testnames.Set{"a.test.js > x": pass, "a.test.js": pass},
			testnames.Set{"a.test.js": pass}, nil},
	} {
		if got := Gone(c.before, c.now); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q; want %q", name, got, c.want)
		}
	}
}
