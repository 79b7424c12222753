package cli

import "testing"

// TestEachCommandOfALineNamesTheTask checks the lines that the inbox prints for a task of the queue.
func TestEachCommandOfALineNamesTheTask(t *testing.T) {
	for line, want := range map[string]string{
		"ferrus answer <text>": "ferrus answer --task 2 <text>",
		"ferrus status, then ferrus approve or ferrus reject <notes>": "ferrus status --task 2, " +
			"then ferrus approve --task 2 or ferrus reject --task 2 <notes>",
		"ferrus resume --take": "ferrus resume --task 2 --take",
		"ferrus doctor":        "ferrus doctor",
		"":                     "",
	} {
		if got := forTask(line, 2); got != want {
			t.Errorf("%q becomes %q; want %q", line, got, want)
		}
	}
}
