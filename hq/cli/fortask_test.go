package cli

import (
	"reflect"
	"testing"
)

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

// What a refusal advises about a task that was named is about that task.
func TestHintsNameTheTask(t *testing.T) {
	refused := failure("cannot approve", "you can run: ferrus check, ferrus reset", "ferrus help loop")
	want := failure("cannot approve", "you can run: ferrus check --task 14, ferrus reset --task 14", "ferrus help loop")
	if got := withTask(refused, queueNumber("#14")); !reflect.DeepEqual(got, error(want)) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for name, err := range map[string]*exitError{"": refused, "14": misuse("no text", "run: ferrus tell --help")} {
		if got := withTask(err, name); got != error(err) {
			t.Errorf("for %q: %+v, want %+v", name, got, err)
		}
	}
	if got := queueNumber("t-20261120-101500-4f2a"); got != "" {
		t.Errorf("the name of a task is the number %q", got)
	}
}
