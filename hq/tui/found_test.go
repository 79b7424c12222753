package tui

import (
	"context"
	"errors"
	"testing"

	"ferrus/hq/spec"
	"ferrus/ui"
	"ferrus/ui/view"
)

// finder is a deck over two specifications, with a run and a task.
func finder() *deck {
	s := &stage{changed: make(chan struct{}, 1), specs: []spec.Spec{{Path: "docs/specs/2026-11-20-cache.md"}, {Path: "docs/specs/billing.md"}}}
	return &deck{engine: s, ctx: context.Background(), options: Options{
		Found: func() view.Completions { return view.Completions{Runs: []view.PairRun{{ID: "p-1"}}} },
		Texts: func(id string) (string, error) {
			if id != "t-1" {
				return "", errors.New("there is no task " + id)
			}
			return "# Its text", nil
		},
	}}
}

// TestWhatIsFound has what the shell around HQ knows and what its engine does.
func TestWhatIsFound(t *testing.T) {
	t.Parallel()
	d := finder()
	if f := d.found(); len(f.Runs) != 1 || len(f.Specs) != 2 || f.Specs[0].Name != "cache" {
		t.Errorf("found %+v", f)
	}
	if got, ok := d.runs().(ui.RunsMsg); !ok || len(got.Runs) != 1 {
		t.Errorf("the runs: %+v", got)
	}
	d.options.Found = nil
	if got, ok := d.runs().(ui.DoneMsg); !ok || got.Text != "no pair has run in this project: /pair <task> begins one" {
		t.Errorf("without one: %+v", got)
	}
	if got, ok := d.old("t-1").(ui.PageMsg); !ok || got.Title != "t-1" || got.Text != "# Its text" {
		t.Errorf("a task: %+v", got)
	}
	if got, ok := d.old("t-2").(ui.DoneMsg); !ok || !got.Error || got.Text != "there is no task t-2" {
		t.Errorf("no task: %+v", got)
	}
}

// TestSpecificationsAreNamed by path or name; another is refused with those there are.
func TestSpecificationsAreNamed(t *testing.T) {
	t.Parallel()
	d := finder()
	for _, name := range []string{"cache", "docs/specs/2026-11-20-cache.md"} {
		if got, ok := d.specs(name).(ui.SpecsMsg); !ok || len(got.Specs) != 1 || got.Specs[0].Name != "cache" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	want := `there is no specification "../../etc/passwd": there is cache, billing`
	if got, ok := d.specs("../../etc/passwd").(ui.DoneMsg); !ok || got.Text != want {
		t.Errorf("%+v", got)
	}
	if got, ok := d.spec("../../etc/passwd").(ui.DoneMsg); !ok || got.Text != want {
		t.Errorf("%+v", got)
	}
	if _, err := d.choose(ui.SelectMilestone{Spec: "nowhere", Milestone: "m1"}); err == nil {
		t.Error("a milestone of nothing was chosen")
	}
}
