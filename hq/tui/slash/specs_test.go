package slash

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/queue"
	"ferrus/hq/spec"
	"ferrus/store"
	"ferrus/ui/dialog"
	"ferrus/ui/intent"
)

// Tasks that a supervisor proposed are shown with what you can do about them.
func TestProposedTasksAreListed(t *testing.T) {
	calls, env := newCalls()
	got, err := listProposed{}.Run(t.Context(), env)
	if err != nil || !strings.HasPrefix(got.Text, "No task is proposed") {
		t.Errorf("without a plan: %+v, %v", got, err)
	}
	row := func(n int, title string, after ...int) queue.Row {
		return queue.Row{Item: queue.Item{N: n, Title: title, Held: "proposed", After: after}}
	}
	calls.view.Tasks = []queue.Row{{Item: queue.Item{N: 1, Title: "At work"}}, row(2, "Write it"), row(3, "Use it", 2)}
	got, err = listProposed{}.Run(t.Context(), env)
	l, ok := got.Dialog.(*dialog.List)
	if err != nil || !ok || len(l.Items) != 3 {
		t.Fatalf("%#v, %v", got, err)
	}
	last := l.Items[2]
	if l.Items[0].Intent != (proposal{Do: "approve"}) || last.Name != "#3 Use it" || last.Words != "after #2" {
		t.Errorf("it lists %+v", l.Items)
	}
	if edit := last.List.Items[1].Intent; edit != (intent.Prefill{Text: "/queue edit 3 # Text of 3"}) {
		t.Errorf("editing leads to %+v", edit)
	}
	calls.specs = []spec.Spec{{Path: "docs/specs/billing.md"}}
	for line, want := range map[string]string{
		"billing": "queue docs/specs/billing.md", "approve": "approve #0", "approve #3": "approve #3",
		"cancel 2": "cancel #2", "edit 2 # Other\n\ntext": "rewrite #2: # Other\n\ntext",
	} {
		request, err := parseQueue(nil, line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if _, err := request.(Request).Run(t.Context(), env); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		calls.noted(t, want)
	}
	for _, line := range []string{"edit", "edit 2", "cancel", "cancel x", "cancel 2 3", "approve x", "billing twice"} {
		if _, err := parseQueue(nil, line); err == nil {
			t.Errorf("/queue %s is accepted", line)
		}
	}
}

// Specs are named by path or by name; any other name is refused with the list of specs.
func TestSpecsAreNamed(t *testing.T) {
	calls, env := newCalls()
	calls.specs = []spec.Spec{{Path: "docs/specs/2026-11-20-cache.md"}, {Path: "docs/specs/billing.md"}}
	for _, name := range []string{"cache", "docs/specs/2026-11-20-cache.md"} {
		if got, err := (listMilestones{Spec: name}).Run(t.Context(), env); err != nil || got.Dialog == nil {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	want := `unknown spec "../../etc/passwd"; use one of: cache, billing`
	for _, r := range []Request{
		listMilestones{Spec: "../../etc/passwd"}, showSpec{Name: "../../etc/passwd"},
		selectMilestone{Spec: "../../etc/passwd", Milestone: "m1"},
	} {
		if _, err := r.Run(t.Context(), env); err == nil || err.Error() != want {
			t.Errorf("%#v: %v", r, err)
		}
	}
	calls.noted(t)
	calls.specs = nil
	for _, r := range []Request{listMilestones{}, showSpec{}} {
		if _, err := r.Run(t.Context(), env); !errors.Is(err, errNoSpec) {
			t.Errorf("%#v without specs: %v", r, err)
		}
	}
}

func TestMilestonesAreSelected(t *testing.T) {
	calls, env := newCalls()
	calls.specs = []spec.Spec{{Path: "docs/specs/cache.md"}}
	got, err := selectMilestone{Spec: "cache", Milestone: "m1", Draft: true}.Run(t.Context(), env)
	if err != nil || got.Text != "m1 of cache is selected. A supervisor starts" {
		t.Errorf("%+v, %v", got, err)
	}
	calls.noted(t, "choose docs/specs/cache.md m1", "want task supervisor manual=false")
	if got, err := (selectMilestone{}).Run(t.Context(), env); err != nil || got.Text != "Nothing is selected" {
		t.Errorf("%+v, %v", got, err)
	}
	calls.view = conductor.View{State: store.State[core.World]{World: core.World{
		Selection: core.Selection{SelectedSpec: "docs/specs/cache.md", SelectedMilestone: "m1"},
	}}}
	if got, err := (selectMilestone{}).Run(t.Context(), env); err != nil || got.Text != "No spec is selected" {
		t.Errorf("%+v, %v", got, err)
	}
	calls.noted(t, "choose")
}

func TestTextsAreShown(t *testing.T) {
	calls, env := newCalls()
	if got, err := (showTask{ID: "t-1"}).Run(t.Context(), env); err != nil || got.Page != (Page{"t-1", "# Its text"}) {
		t.Errorf("a task: %+v, %v", got, err)
	}
	if _, err := (showTask{ID: "t-2"}).Run(t.Context(), env); err == nil || err.Error() != "there is no task t-2" {
		t.Errorf("no task: %v", err)
	}
	calls.view.Project, calls.view.Spec = t.TempDir(), "cache.md"
	calls.specs = []spec.Spec{{Path: "cache.md"}}
	if err := os.WriteFile(filepath.Join(calls.view.Project, "cache.md"), []byte("# A cache"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := (showSpec{}).Run(t.Context(), env); err != nil || got.Page != (Page{"cache.md", "# A cache"}) {
		t.Errorf("the newest spec: %+v, %v", got, err)
	}
	if got, err := (work{}).Run(t.Context(), env); err != nil || got.Page != (Page{"workflow feature", "# Story"}) {
		t.Errorf("the workflow: %+v, %v", got, err)
	}
}
