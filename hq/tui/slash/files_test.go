package slash

import (
	"strings"
	"testing"

	"ferrus/hq/core"
	"ferrus/ui/intent"
	"ferrus/ui/view"
)

// A text with an image is not sent to an agent that cannot read it and stays in the prompt; missing
// files that a text names are reported.
func TestFilesAreCheckedBeforeTheyAreSent(t *testing.T) {
	ask := view.Ask{Who: "executor"}
	for _, r := range []Request{message{"executor", "like @shot.png"}, task{Text: "like @shot.png"},
		task{Text: "like @shot.png", Now: true}, openSession{"plan", "supervisor", "like @shot.png"},
		Answer{intent.Answer{Ask: ask, Text: "like @shot.png"}}} {
		c, e := newCalls()
		_, err := r.Run(t.Context(), e)
		if err == nil || len(c.notes) != 0 || !strings.Contains(r.CommandLine(), "@shot.png") {
			t.Errorf("%#v: %v, %q", r, err, c.notes)
		}
	}
	c, e := newCalls()
	done, err := message{string(core.SlotExecutor), "see @gone x.go"}.Run(t.Context(), e)
	if err != nil || done.Text != "The message is left; not found, and sent as text: x.go" {
		t.Errorf("%+v, %v", done, err)
	}
	c.noted(t, "tell executor see @gone x.go")
}

// What a new task does not have is said when it is created, not once its agent misses it.
func TestFilesOfANewTaskAreChecked(t *testing.T) {
	for want, r := range map[string]Request{
		"A supervisor starts; not committed: mine": task{Text: "use @mine"},
		"Approved; not committed: mine":            task{Text: "use @mine", Now: true},
		"A supervisor starts":                      task{Text: "use @mine", Changes: true},
	} {
		_, e := newCalls()
		if done, err := r.Run(t.Context(), e); err != nil || done.Text != want {
			t.Errorf("%#v: %+v, %v; want %q", r, done, err, want)
		}
	}
}
