package conductor_test

import (
	"testing"

	"ferrus/hq/conductor"
)

// The first picture has the newest lines of a long journal, and soon all that are
// kept; at no time is there a gap, or another end.
func TestOlderLinesFollow(t *testing.T) {
	s := newFixture(t, "hang")
	const events = 130
	for n := range events {
		selectOn(t, s.p, n)
	}
	c := s.start()
	defer s.close(c, false)
	newest := c.View().State.Seq
	s.wait(c, "the whole journal", func(v conductor.View) bool {
		lines := v.Journal
		if len(lines) == 0 || lines[len(lines)-1].Seq != newest {
			t.Fatalf("%d lines that do not end with %d", len(lines), newest)
		}
		for i, line := range lines[1:] {
			if line.Seq != lines[i].Seq+1 {
				t.Fatalf("line %d follows %d", line.Seq, lines[i].Seq)
			}
		}
		return len(lines) >= events
	})
}
