package turn

import "testing"

// While a merge has another gate soon, the gates of others do not take all turns: what is approved lands as it comes.
func TestLandingsKeepUp(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limit    int
		expected bool
		want     string // the gates that begin until the merge has its next one: m, with the others
	}{
		"one at a time":        {1, true, "sm"},
		"two at a time":        {2, true, "ssm"},
		"no merge is expected": {1, false, "sssm"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var line Gates
			line.SetLimit(c.limit)
			first := line.Join(Merge, func(int) {})
			var submitted []*Place
			for range 3 {
				submitted = append(submitted, line.Join(Submit, func(int) {}))
			}
			line.Expect(c.expected)
			line.Leave(first)
			begun := ""
			for _, p := range submitted { // the merge takes its steps meanwhile, and joins late
				if p.has {
					begun += "s"
					line.Leave(p)
				}
			}
			merge := line.Join(Merge, func(int) {})
			if merge.has {
				begun += "m"
			}
			if begun != c.want {
				t.Errorf("they began in the order %s; want %s", begun, c.want)
			}
		})
	}
}

// A merge that is expected and does not come keeps the others waiting no longer once that is known.
func TestAMergeThatDoesNotComeIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	var line Gates
	first := line.Join(Merge, func(int) {})
	one, two := line.Join(Submit, func(int) {}), line.Join(Submit, func(int) {})
	line.Expect(true)
	line.Leave(first)
	line.Leave(one)
	if !one.has || two.has {
		t.Fatalf("they have begun: %v, %v; want only the first", one.has, two.has)
	}
	line.Expect(false)
	if !two.has {
		t.Error("the second waits for a merge that does not come")
	}
}
