package slash

import (
	"testing"

	"ferrus/ui"
	"ferrus/ui/intent"
	"ferrus/ui/view"
)

func TestQuitAsksWhileSessionsRun(t *testing.T) {
	b := openFixture(t, running())
	b.press("/quit", "enter")
	b.shows("1 session is running.", "y stop and quit", "l leave running", "cancel")
	b.press("n")
	b.wanted()
	b.press("/quit", "enter", "y")
	b.wanted(intent.Quit{})
	b.press("/quit", "enter", "l")
	b.wanted(intent.Quit{Leave: true})
	v := running()
	v.StopOnExit = true
	b = openFixture(t, v)
	b.press("/quit", "enter", "l")
	b.wanted()
	v.Panes[1].Living = false
	b = openFixture(t, v)
	b.press("/quit", "enter")
	b.wanted(intent.Quit{})
}

func TestStopAsksWhileSessionsRun(t *testing.T) {
	b := openFixture(t, running())
	b.press("/stop", "enter")
	b.shows("1 session is running.", "y stop it", "Stopping ends it")
	b.press("n")
	b.wanted()
	b.press("/stop", "enter", "y")
	b.wanted(stop{})
	v := running()
	v.Panes[1].Living = false
	b = openFixture(t, v)
	b.press("/stop", "enter")
	b.wanted(stop{})
}

// During a task the files would become a part of its change.
func TestRegisterAsksFirst(t *testing.T) {
	v := running()
	v.Disabled = map[string]string{"task": "the task is Executing"}
	b := openFixture(t, v)
	b.press("/register --supervisor codex", "enter")
	b.shows("Register during a task?", "y write the files")
	b.wanted()
	b.press("y")
	b.wanted(register{"--supervisor codex"})
	b = openFixture(t, idle())
	b.press("/register --supervisor codex", "enter")
	b.wanted(register{"--supervisor codex"})
}

func TestResetAsks(t *testing.T) {
	b := openFixture(t, running())
	b.press("/reset", "enter", "n")
	b.wanted()
	b.press("/reset", "enter", "y")
	b.wanted(reset)
}

func TestTaskFromASpec(t *testing.T) {
	v := idle()
	v.Spec = view.Spec{Last: "docs/specs/cache.md"}
	b := openFixture(t, v)
	b.press("/task", "enter")
	b.wanted()
	b.press("enter")
	b.wanted(task{Text: "The next task of the spec docs/specs/cache.md", Manual: true})
	v.Spec.Selected, v.Spec.Milestone = "docs/specs/cache.md", "M2"
	b.send(ui.ViewMsg{View: v})
	b.press("/task", "enter")
	b.shows("from milestone M2 of docs/specs/cache.md", "from another milestone",
		"from docs/specs/cache.md  ", "without a milestone")
	b.press("enter")
	b.wanted(task{})
	b.press("/task", "enter", "up", "enter")
	b.wanted(task{Manual: true})
	b.press("/task as I say", "enter")
	b.wanted(task{Text: "as I say"})
}

func TestWorkflowIsCancelledAfterAQuestion(t *testing.T) {
	b := openFixture(t, running())
	b.press("/workflow cancel no time", "enter")
	b.shows("Cancel the workflow?", "No commit is lost.", "y cancel it", "keep it")
	b.press("n", "/workflow cancel no time", "enter", "y")
	b.wanted(work{"cancel no time"})
}

func TestMilestoneList(t *testing.T) {
	milestones := []view.Milestone{
		{ID: "m1.0", Title: "#1.0 Read", Done: true}, {ID: "m1.1", Title: "#1.1 Add", On: "m1.0"},
		{ID: "m1.2", Title: "#1.2 Show", On: "m1.1", Waits: "m1.1"}, {Title: "#1.3 Nameless"},
	}
	billing := view.SpecFile{Path: "docs/specs/billing.md", Name: "billing", Progress: "1/3", Milestones: milestones}
	bad := view.SpecFile{Path: "docs/specs/bad.md", Name: "bad", Problem: "line 3: x; line 4: y"}
	b := openFixture(t, running())
	opens := func(specs ...view.SpecFile) { b.send(ui.OpenMsg{Dialog: specList(specs)}) }
	opens(billing, bad, view.SpecFile{Path: "e.md", Name: "empty"})
	b.shows("billing  1/3  docs/specs/billing.md", "bad      cannot be used")
	b.press("enter")
	b.shows("[x] #1.0 Read      m1.0", "▸ [ ] #1.1 Add       m1.1  ready, after m1.0", "m1.2  waits for m1.1", "no ID")
	b.press("enter", "enter")
	b.wanted(selectMilestone{Spec: billing.Path, Milestone: "m1.1"})
	opens(billing)
	b.press("down", "enter")
	b.shows("m1.2 #1.2 Show waits for m1.1")
	b.press("down", "enter")
	b.wanted(selectMilestone{Spec: billing.Path, Milestone: "m1.2", Draft: true})
	opens(billing)
	b.press("up", "up", "enter", "enter") // a line to read leads nowhere
	b.shows("#1.3 Nameless")
	b.press("down", "enter")
	b.shows("m1.0 #1.0 Read is done")
	b.press("esc")
	opens(bad)
	b.shows("docs/specs/bad.md cannot be used", "line 3: x", "line 4: y")
}

func TestModelList(t *testing.T) {
	b := openFixture(t, running())
	b.press("/model", "enter", "enter", "down", "enter")
	b.wanted(setModel{Role: "supervisor", Model: "sonnet"})
	b.press("/model", "enter", "down", "enter", "down", "down", "enter")
	b.shows("> /model executor")
}

func TestRunList(t *testing.T) {
	calls, env := newCalls()
	got, err := listRuns{}.Run(t.Context(), env)
	if err != nil {
		t.Fatal(err)
	}
	calls.noted(t)
	b := openFixture(t, running())
	b.send(ui.OpenMsg{Dialog: got.Dialog})
	b.shows("╭ pair runs", "p-2  running", "p-1  completed")
	b.press("down", "enter", "up", "enter")
	b.shows("> /pair --resume p-2")
}

func TestAttachGivesAPaneTheKeys(t *testing.T) {
	b := openFixture(t, running())
	b.press("/attach executor", "enter")
	b.shows("▸2 executor")
}

func TestShow(t *testing.T) {
	b := openFixture(t, running())
	b.press("/show submission", "enter")
	b.shows("╭ submission")
	b.press("esc", "/show spec", "enter")
	b.wanted(showSpec{})
}
