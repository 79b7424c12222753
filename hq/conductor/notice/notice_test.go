package notice

import (
	"errors"
	"testing"
	"time"
)

// A notice is new to the screen by its number, also after the clock was set back by a day.
func TestNoticesAreNewThoughTheClockWasSet(t *testing.T) {
	t.Parallel()
	var project, task List
	now := time.Now()
	project.put(Notice{At: now, Text: "first"})
	task.put(Notice{At: now.Add(-24 * time.Hour), Text: "second"})
	project.put(Notice{At: now.Add(-24*time.Hour + time.Second), Text: "third"})
	if a, b, c := project.All[0].Number, task.All[0].Number, project.All[1].Number; a <= 0 || b <= a || c <= b {
		t.Errorf("the numbers are %d, %d and %d", a, b, c)
	}
}

// Joined errors are one notice in one sentence, and the same ones are not repeated.
func TestAProblemIsOneSentence(t *testing.T) {
	t.Parallel()
	var l List
	joined := errors.Join(errors.New("write the state: no space"), errors.New("write the head: no space"))
	l.AddErrorOnce(joined)
	l.AddErrorOnce(joined)
	if len(l.All) != 1 || l.All[0].Text != "write the state: no space; write the head: no space" {
		t.Errorf("the notices are %+v, want one sentence", l.All)
	}
}
