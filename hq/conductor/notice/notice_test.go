package notice

import (
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
