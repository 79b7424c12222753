package store_test

import (
	"testing"

	"ferrus/store/longtest"
)

// The demo's scenario runs once for each write that it makes, and is stopped before that write. The
// next process finds the state from before or after the write, complete, and continues to the same
// end.
func TestStoryStopsBeforeEachWrite(t *testing.T) {
	t.Parallel()
	skipInShort(t)
	every := 151 // a sample; FERRUS_LONG has them all
	if longtest.On() {
		every = 1
	}
	s := newScenario(t)
	stops := 0
	for e := range scenarioSteps {
		before := s.saveFiles()
		for at := 1; ; at++ {
			skip := (at+e)%every != 0 && every > 1
			if skip {
				if s.steps[e] == 0 {
					s.steps[e] = s.count(e, before)
				}
				if at <= s.steps[e] {
					continue
				}
			}
			s.restore(before)
			if !s.stop(e, at) {
				break
			}
			stops++
			if stops%7 == 0 || every == 1 && stops%5 == 0 {
				s.end(e)
			}
		}
	}
	s.end(len(scenarioSteps) - 1)
	t.Logf("%d acts, stopped %d times", len(scenarioSteps), stops)
}

// skipInShort skips a test that runs a task again and again.
func skipInShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("short: it plays a task from its beginning to its end again and again")
	}
}
