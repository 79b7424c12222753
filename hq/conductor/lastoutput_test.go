package conductor_test

import (
	"strings"
	"testing"

	"ferrus/hq/conductor"
)

// What a program said before it failed reaches the human without a screen.
func TestLastOutput(t *testing.T) {
	s := newFixture(t, "crash once")
	s.task()
	c := s.start()
	defer s.close(c, false)
	v := s.wait(c, "Complete", complete)
	if !hasNotice(v, "the executor (actor) ended without progress (exit 1); its last output: crash") {
		t.Errorf("the notices are %+v, want no progress with the last output", v.Notices)
	}
}

// Without output the sentence ends with the exit.
func TestNoLastOutput(t *testing.T) {
	s := newFixture(t, "idle")
	s.task()
	c := s.start()
	defer s.close(c, false)
	v := s.wait(c, "the notice", func(v conductor.View) bool { return hasNotice(v, "ended without progress") })
	for _, n := range v.Notices {
		if strings.Contains(n.Text, "without progress") && !strings.HasSuffix(n.Text, "ended without progress (done)") {
			t.Errorf("the notice is %q", n.Text)
		}
	}
}

func hasNotice(v conductor.View, words string) bool {
	for _, n := range v.Notices {
		if strings.Contains(n.Text, words) {
			return true
		}
	}
	return false
}
