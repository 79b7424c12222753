package conductor_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"ferrus/hq/conductor/journal"
	"ferrus/hq/scheduler"
)

// Every entry of a whole task has a detail: its texts, its gate and what was judged.
func TestEntries(t *testing.T) {
	s := newFixture(t, "work")
	s.task()
	c := s.schedule()
	defer s.close(c, true)
	v := s.wait(c, "Complete", complete)
	details := map[string]journal.Detail{}
	for _, line := range v.Journal {
		detail, err := c.ReadEntry(line.Seq)
		if err != nil || detail.Line.Event != line.Event {
			t.Fatalf("the detail of %d, %s: %+v, %v", line.Seq, line.Event, detail, err)
		}
		details[line.Event] = detail
	}
	for event, name := range map[string]string{"create_task": "TASK.md", "submit": "SUBMISSION.md"} {
		if !slices.ContainsFunc(details[event].Texts, func(text journal.EntryText) bool {
			return text.Name == name && text.Text != "" && !text.Gone
		}) {
			t.Errorf("%s has the texts %+v", event, details[event].Texts)
		}
	}
	if g := details["checked"].Gate; g == nil || g.Verdict != "PASS" || len(g.Rows) == 0 {
		t.Errorf("the gate is %+v", g)
	}
	if _, err := c.ReadEntry(v.State.Seq + 5); !errors.Is(err, journal.ErrNone) {
		t.Errorf("an entry that is not there: %v", err)
	}
	change, err := scheduler.Select(c).Diff(t.Context(), 0)
	if err != nil || change.Base.Tree == "" {
		t.Fatalf("the change is %+v, %v", change, err)
	}
	for _, f := range change.Files {
		if f.Added+f.Removed > 0 && !strings.HasPrefix(f.Patch, "@@") {
			t.Errorf("%s has the patch %q, want one that starts with a hunk", f.Path, f.Patch)
		}
	}
}
