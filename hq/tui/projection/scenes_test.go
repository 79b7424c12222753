package projection

import (
	"context"
	"errors"
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ferrus/agent"
	"ferrus/checks"
	"ferrus/hq/adopt"
	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/land"
	"ferrus/hq/queue"
	"ferrus/hq/spec"
	"ferrus/hq/tui/slash"
	"ferrus/store"
	"ferrus/ui"
	"ferrus/ui/dialog"
	"ferrus/ui/view"
)

// frameCase is what lies over the panes, or what the human did to them.
type frameCase struct {
	name, state string // of the fixture under it
	over        dialog.Kind
	keys        []string
	msg         tea.Msg  // what was read from the disk meanwhile
	runs        string   // a command whose dialog opens
	then        []string // keys after it
	mouse       []tea.Msg
}

// frameCases are all dialogs, and everything else that keys change on the screen.
func dialogScenes(t *testing.T) []frameCase {
	change := ui.DiffMsg{Diff: Diff(fixtureChange(), fixtureNow)}
	return []frameCase{
		{name: "help", state: "executing", over: dialog.KindHelp, keys: []string{"f1"}},
		{name: "help-question-mark", state: "executing", over: dialog.KindHelp, keys: []string{"?"}},
		{name: "help-in-log", state: "executing", over: dialog.KindHelp, keys: []string{"f3", "f1"}},
		{name: "palette", state: "executing", over: dialog.KindPalette, keys: []string{"ctrl+o", "p"}, msg: change},
		{name: "palette-found", state: "executing", over: dialog.KindPalette, keys: []string{"ctrl+o", "p"},
			msg: change, then: []string{"fet"}},
		{name: "help-end", state: "executing", over: dialog.KindHelp, keys: []string{"f1", "end"}},
		{name: "help-found", state: "executing", over: dialog.KindHelp, keys: []string{"f1", "/milestone", "enter"}},
		{name: "status", state: "addressing", over: dialog.KindStatus, keys: []string{"/status", "enter"}},
		{name: "status-alarmed", state: "alarmed", over: dialog.KindStatus, keys: []string{"/status", "enter"}},
		{name: "status-all", state: "addressing", over: dialog.KindStatus, keys: []string{"/status --all", "enter"}},
		{name: "status-used", state: "complete", over: dialog.KindStatus, keys: []string{"/status --all", "enter"}},
		{name: "asked", state: "question", over: dialog.KindAsked, keys: []string{"ctrl+o", "n"}},
		{name: "inbox", state: "several", over: dialog.KindInbox, keys: []string{"/inbox", "enter", "down"}},
		{name: "inbox-snoozed", state: "several", over: dialog.KindInbox,
			keys: []string{"/inbox", "enter", "s", "down"}},
		{name: "inbox-question", state: "question", over: dialog.KindInbox, keys: []string{"/inbox", "enter"}},
		{name: "inbox-empty", state: "executing", over: dialog.KindInbox, keys: []string{"/inbox", "enter"}},
		{name: "inbox-next", state: "several", over: dialog.KindInbox, keys: []string{"ctrl+o", "n"}},
		{name: "log", state: "addressing", over: dialog.KindLog, keys: []string{"f3"}},
		{name: "log-found", state: "addressing", over: dialog.KindLog, keys: []string{"f3", "/FAIL", "enter"}},
		{name: "log-seeking", state: "addressing", over: dialog.KindLog, keys: []string{"f3", "/nowhere"}},
		{name: "story", state: "addressing", over: dialog.KindEntry, keys: []string{"f3"}, msg: createdPage(t)},
		{name: "story-check", state: "addressing", over: dialog.KindEntry, keys: []string{"f3"}, msg: checkedPage(t)},
		{name: "story-selected", state: "addressing", over: dialog.KindEntry, keys: []string{"f3"}, msg: createdPage(t),
			mouse: []tea.Msg{
				tea.MouseClickMsg{X: 10, Y: 4, Button: tea.MouseLeft},
				tea.MouseMotionMsg{X: 20, Y: 6, Button: tea.MouseLeft},
			}},
		{name: "story-gone", state: "addressing", over: dialog.KindEntry, keys: []string{"f3"}, msg: gonePage(t)},
		{name: "log-refused", state: "refused", over: dialog.KindLog, keys: []string{"f3", "up"}},
		{name: "story-refused", state: "refused", over: dialog.KindEntry, keys: []string{"f3"}, msg: refusalPage(t)},
		{name: "activity-refused", state: "refused", keys: []string{"ctrl+o", "5"}},
		{name: "spec", state: "specified", over: dialog.KindEntry, keys: []string{"/show spec", "enter"},
			msg: ui.PageMsg{Title: "docs/specs/2026-11-20-a-cache-for-the-fetcher.md", Text: specText}},
		{name: "document", state: "reviewing", over: dialog.KindDocument, keys: []string{"/show submission", "enter"}},
		{name: "diff", state: "addressing", over: dialog.KindDiff, keys: []string{"f4"}, msg: change},
		{name: "diff-viewed", state: "addressing", over: dialog.KindDiff, keys: []string{"f4"}, msg: change,
			then: []string{"v", "tab"}},
		{name: "diff-found", state: "addressing", over: dialog.KindDiff, keys: []string{"f4"}, msg: change,
			then: []string{"/", "once"}},
		{name: "diff-same", state: "addressing", over: dialog.KindDiff, keys: []string{"f4"}, msg: ui.DiffMsg{}},
		{name: "diff-reading", state: "addressing", over: dialog.KindDiff, keys: []string{"f4"}},
		{name: "diff-comments", state: "addressing", over: dialog.KindDiff, keys: []string{"f4"},
			msg: commentedChange(), then: []string{"c", "down"}},
		{name: "diff-comment", state: "addressing", over: dialog.KindDiff, keys: []string{"f4"},
			msg: commentedChange(), then: []string{"c", "down", "c", "Say why."}},
		{name: "diff-answered", state: "addressing", over: dialog.KindDiff, keys: []string{"f4"},
			msg: commentedChange(), then: []string{"x"}},
		{name: "diff-list", state: "addressing", over: dialog.KindDiff, keys: []string{"f4"},
			msg: commentedChange(), then: []string{"l", "down"}},
		{name: "comments", state: "addressing", over: dialog.KindComments, keys: []string{"f4"},
			msg: commentedChange(), then: []string{"S"}},
		{name: "check", state: "addressing", over: dialog.KindCheck, keys: []string{"ctrl+o", "6", "enter"}},
		{name: "check-running", state: "checking", over: dialog.KindCheck, keys: []string{"ctrl+o", "6", "enter"}},
		{name: "roles", state: "executing", over: dialog.KindRoles, keys: []string{"/model", "enter"}},
		{name: "models", state: "executing", over: dialog.KindModels,
			keys: []string{"/model", "enter", "enter", "down"}},
		{name: "task", state: "specified", over: dialog.KindTask, keys: []string{"/task", "enter"}},
		{name: "specs", state: "specified", over: dialog.KindSpecs, runs: "/milestones"},
		{name: "milestones", state: "specified", over: dialog.KindMilestones, runs: "/milestones",
			then: []string{"enter"}},
		{name: "milestone", state: "specified", over: dialog.KindMilestone, runs: "/milestones",
			then: []string{"enter", "down", "enter"}},
		{name: "spec-problem", state: "specified", over: dialog.KindSpecProblem, runs: "/milestones",
			then: []string{"down", "enter"}},
		{name: "runs", state: "complete", over: dialog.KindRuns, runs: "/pair --list"},
		{name: "projects", state: "complete", over: dialog.KindProjects, runs: "/projects", then: []string{"down"}},
		{name: "help-command", state: "executing", over: dialog.KindHelp, keys: []string{"/help pair", "enter"}},
		{name: "proposed", state: "complete", over: dialog.KindProposed, runs: "/queue", then: []string{"down"}},
		{name: "land", state: "complete", over: dialog.KindLand, runs: "/land"},
		{name: "adopt", state: "complete", over: dialog.KindAdopt, runs: "/adopt ../fetch-retry"},
		{name: "approve", state: "alarmed", over: dialog.KindApprove, keys: []string{"/approve", "enter"}},
		{name: "approving", state: "alarmed", keys: []string{"/appr"}},
		{name: "diff-alarms", state: "alarmed", over: dialog.KindDiff, keys: []string{"f4"}, msg: alarmedChange(),
			then: []string{"a"}},
		{name: "cancel", state: "executing", over: dialog.KindCancel, keys: []string{"/workflow cancel", "enter"}},
		{name: "reset", state: "addressing", over: dialog.KindReset, keys: []string{"/reset", "enter"}},
		{name: "stop", state: "consultation", over: dialog.KindStop, keys: []string{"/stop", "enter"}},
		{name: "register", state: "executing", over: dialog.KindRegister,
			keys: []string{"/register --executor codex", "enter"}},
		{name: "quit", state: "consultation", over: dialog.KindQuit, keys: []string{"/quit", "enter"}},
		{name: "commands", state: "executing", keys: []string{"/"}},
		{name: "commands-picked", state: "executing", keys: []string{"/re", "tab", "tab", "tab"}},
		{name: "arguments", state: "executing", keys: []string{"/check ", "tab"}},
		{name: "suggestions", state: "idle", keys: []string{"/milestones "},
			msg: ui.FoundMsg{Found: view.Completions{Specs: specFiles()}}},
		{name: "lines", state: "awaiting", keys: []string{"only for GET", "ctrl+j", "and at most 5"}},
		{name: "searching", state: "executing", keys: []string{"ctrl+r", "cache"}},
		{name: "searching-lost", state: "executing", keys: []string{"/check", "ctrl+r", "xyz"}},
		{name: "leader", state: "awaiting", keys: []string{"ctrl+o"}},
		{name: "moving", state: "executing", keys: []string{"ctrl+o", ">"}},
		{name: "pane", state: "consultation", keys: []string{"ctrl+o", "2"}},
		{name: "pane-ended", state: "consultation", keys: []string{"ctrl+o", "1"}},
		{name: "pane-shown", state: "consultation", keys: []string{"ctrl+o", "3"}},
		{name: "zoom", state: "consultation", keys: []string{"ctrl+o", "2", "f2"}},
		{name: "zoomed", state: "consultation", keys: []string{"f2"}},
		{name: "activity", state: "addressing", keys: []string{"ctrl+o", "5", "up"}},
		{name: "check-pane", state: "addressing", keys: []string{"ctrl+o", "6"}},
		{name: "reading", state: "executing", keys: []string{"ctrl+o", "["}},
		{name: "selecting", state: "executing", keys: []string{"ctrl+o", "[", "v", "up"}},
		{name: "seeking", state: "executing", keys: []string{"ctrl+o", "/", "re"}},
		{name: "seeking-found", state: "executing", keys: []string{"ctrl+o", "/", "re", "enter"}},
		{name: "seeking-lost", state: "executing", keys: []string{"ctrl+o", "/", "nowhere"}},
		{name: "notices", state: "executing", over: dialog.KindNotices, msg: ui.DoneMsg{Error: true, Text: longRefusal},
			keys: []string{"/approve", "enter", "ctrl+u"}, then: []string{"ctrl+o", "m"}},
		{name: "notice-over-dialog", state: "executing", over: dialog.KindHelp, keys: []string{"f1"},
			msg: ui.DoneMsg{Text: "the check ran; no state was changed"}},
		{name: "tasks", state: "queue", over: dialog.KindTasks, keys: []string{"/tasks", "enter", "down"}},
		{name: "interrupt", state: "executing", keys: []string{"ctrl+c"}},
		{name: "refused", state: "executing", keys: []string{"/approve", "enter"}},
		{name: "told", state: "executing", msg: ui.DoneMsg{Text: "the check ran; no state was changed"}},
		{name: "told-long", state: "executing", msg: ui.DoneMsg{Error: true, Text: longRefusal}},
	}
}

const longRefusal = "GUARD_FAILED: submit needs Checking (passed), and the tree has changed since the pass: " +
	"fetch.go, fetch_test.go, docs/fetcher.md. " +
	"Run check again; it proves the current tree. The executor may, and so may you while the lease is free: /check."

const specText = "# A cache for the fetcher\n\nWhat was fetched is kept for a while.\n\n## Milestones\n\n- [x] #1.0 " +
	"Keep what was fetched\n  ID: m1.0\n- [ ] #1.1 Forget what is old\n  ID: m1.1\n  Depends on: m1.0\n\n> Nothing " +
	"is written to the disk.\n\n1. first\n2. second\n"

// dialogOf returns the message that opens the dialog of a command. It is another one each
// time, because dialogs change.
func dialogOf(t *testing.T, line string) tea.Msg {
	t.Helper()
	wanted, err := slash.Table.Parse(&view.View{}, line)
	if err != nil {
		t.Fatal(err)
	}
	result, err := wanted.(slash.Request).Run(t.Context(), &slash.Env{
		Viewer: selected{}, Specs: specs{}, Project: runs{}, Landing: landable{}, Queue: requests{},
		Adopter: begun{},
	})
	if err != nil {
		t.Fatal(err)
	}
	return ui.OpenMsg{Dialog: result.Dialog, Later: result.Later}
}

// specs are one that can be used and one that cannot.
type specs struct{}

func (specs) Specs() ([]spec.Spec, error) {
	return []spec.Spec{
		spec.Parse("docs/specs/2026-11-20-a-cache-for-the-fetcher.md", `# A cache for the fetcher

- [x] #1.0 Keep what was fetched
  ID: m1.0
- [ ] #1.1 Forget what is old
  ID: m1.1
  Depends on: m1.0
- [ ] #1.2 Tell how often it helped, for each host that was asked and for all of them
  ID: m1.2
  Depends on: m1.1
- [ ] #1.3 Has no name yet
`),
		spec.Parse("docs/specs/2026-11-18-retries.md", "# Retries\n\n- [ ] #2.0 Try again\n  ID: m 2\n- [ ] #2.1 "+
			"Give up\n  ID: m2.1\n  Depends on: m9.9\n"),
	}, nil
}

// SelectMilestone is never asked.
func (specs) SelectMilestone(context.Context, string, string) error { return errors.ErrUnsupported }

// selected is a View in which a milestone is selected.
type selected struct{}

func (selected) View() conductor.View {
	w := core.World{Selection: core.Selection{
		SelectedSpec: "docs/specs/2026-11-20-a-cache-for-the-fetcher.md", SelectedMilestone: "m1.1",
	}}
	return conductor.View{State: store.State[core.World]{World: w}, Tasks: []queue.Row{
		{Item: queue.Item{N: 4, Title: "Write the cache", Held: "proposed"}},
		{Item: queue.Item{N: 5, Title: "Use it in the fetcher", Held: "proposed", After: []int{4}}},
	}}
}

// specFiles returns the specs as they complete a command.
func specFiles() []view.SpecFile {
	all, _ := specs{}.Specs()
	return (&slash.Env{Viewer: selected{}}).SpecFiles(all)
}

// runs are those of two pairs.
type runs struct{ slash.Project }

func (runs) Completions() view.Completions {
	return view.Completions{Runs: []view.PairRun{
		{ID: "p-20261120-101500-4f2a", Status: "failed 3/20  Write the parser"},
		{ID: "p-20261119-093012-77c0", Status: "completed 1/20  Add retry", Over: true},
	}}
}

func (runs) Projects(context.Context) ([]view.Project, error) {
	return []view.Project{
		{Name: "website", Words: "Executing    HQ open  needs you: question    12.3k tok $0.42    Add a search  " +
			"in ~/src"},
		{Name: "acme-api", Words: "Complete     HQ open                         310k tok $1.20     Add retry to " +
			"the fetcher  in ~/src", Here: true},
		{Name: "tools", Words: "Idle  in /srv"},
	}, nil
}

// landable is approved work.
type landable struct{ slash.Landing }

func (landable) LandPlan(context.Context, land.Options) (land.Plan, error) {
	return land.Plan{
		Task: "t-20261120-140158-4f2a", Title: "Add retry to the fetcher", Onto: "main", Own: true, Behind: 2, Added: 3,
		Removed: 1, Verdict: checks.Pass, Message: "Add retry to the fetcher\n",
		Files: []checks.FilePatch{{Path: "fetch.go", Added: 3, Removed: 1}, {Path: "fetch_test.go", Added: 1}},
	}, nil
}

// begun is work that you began by hand.
type begun struct{ slash.Adopter }

func (begun) LookAt(context.Context, string, adopt.Options) (adopt.Found, error) {
	return adopt.Found{
		Dir: "/home/you/src/fetch-retry", Branch: "fetch-retry", Target: "main", Commits: 2, Changes: 3,
		Base: "0123456789abcdef0123456789abcdef01234567", Text: "Have fetch try again\n\nThree times, with a pause.",
		Conversation: &agent.Conversation{Agent: "codex", ID: "01a20ad8-0cbf-7bd1-8ee3-1384d08b56a4"},
	}, nil
}

// requests are the texts of tasks that have not started.
type requests struct{ slash.Queue }

func (requests) Request(n int) (string, error) { return fmt.Sprintf("# Task %d", n), nil }
