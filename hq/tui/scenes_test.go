package tui

import (
	"context"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ferrus/checks"
	"ferrus/hq/land"
	"ferrus/ui"
	"ferrus/ui/view"
)

// scene is what lies over the panes, or what a person did to them.
type scene struct {
	name, state string // of the fixture under it
	over        ui.Dialog
	keys        []string
	msg         tea.Msg  // what was read from the disk meanwhile
	then        []string // keys after it
	mouse       []tea.Msg
}

// scenes are all dialogs, and everything else that keys change on the screen.
func dialogScenes(t *testing.T) []scene {
	change := ui.DiffMsg{Change: changed(fixtureChange(), fixtureNow)}
	return []scene{
		{name: "help", state: "executing", over: ui.DialogHelp, keys: []string{"f1"}},
		{name: "help-end", state: "executing", over: ui.DialogHelp, keys: []string{"f1", "end"}},
		{name: "help-found", state: "executing", over: ui.DialogHelp, keys: []string{"f1", "/milestone", "enter"}},
		{name: "status", state: "addressing", over: ui.DialogStatus, keys: []string{"/status", "enter"}},
		{name: "status-used", state: "complete", over: ui.DialogStatus, keys: []string{"/status", "enter"}},
		{name: "asked", state: "question", over: ui.DialogAsked, keys: []string{"ctrl+o", "n"}},
		{name: "inbox", state: "several", over: ui.DialogInbox, keys: []string{"/inbox", "enter", "down"}},
		{name: "inbox-snoozed", state: "several", over: ui.DialogInbox, keys: []string{"/inbox", "enter", "s", "down"}},
		{name: "inbox-question", state: "question", over: ui.DialogInbox, keys: []string{"/inbox", "enter"}},
		{name: "inbox-empty", state: "executing", over: ui.DialogInbox, keys: []string{"/inbox", "enter"}},
		{name: "inbox-next", state: "several", over: ui.DialogInbox, keys: []string{"ctrl+o", "n"}},
		{name: "log", state: "addressing", over: ui.DialogLog, keys: []string{"f3"}},
		{name: "log-found", state: "addressing", over: ui.DialogLog, keys: []string{"f3", "/FAIL", "enter"}},
		{name: "log-seeking", state: "addressing", over: ui.DialogLog, keys: []string{"f3", "/nowhere"}},
		{name: "story", state: "addressing", over: ui.DialogStory, keys: []string{"f3"}, msg: toldCreated(t)},
		{name: "story-check", state: "addressing", over: ui.DialogStory, keys: []string{"f3"}, msg: toldChecked(t)},
		{name: "story-selected", state: "addressing", over: ui.DialogStory, keys: []string{"f3"}, msg: toldCreated(t), mouse: []tea.Msg{
			tea.MouseClickMsg{X: 10, Y: 4, Button: tea.MouseLeft}, tea.MouseMotionMsg{X: 20, Y: 6, Button: tea.MouseLeft},
		}},
		{name: "story-gone", state: "addressing", over: ui.DialogStory, keys: []string{"f3"}, msg: toldGone(t)},
		{name: "log-refused", state: "refused", over: ui.DialogLog, keys: []string{"f3", "up"}},
		{name: "story-refused", state: "refused", over: ui.DialogStory, keys: []string{"f3"}, msg: toldRefused(t)},
		{name: "activity-refused", state: "refused", keys: []string{"ctrl+o", "5"}},
		{name: "spec", state: "specified", over: ui.DialogStory, keys: []string{"/show spec", "enter"}, msg: ui.PageMsg{Title: "docs/specs/2026-11-20-a-cache-for-the-fetcher.md", Text: specText}},
		{name: "sheet", state: "reviewing", over: ui.DialogSheet, keys: []string{"/show submission", "enter"}},
		{name: "diff", state: "addressing", over: ui.DialogDiff, keys: []string{"f4"}, msg: change},
		{name: "diff-viewed", state: "addressing", over: ui.DialogDiff, keys: []string{"f4"}, msg: change, then: []string{"v", "tab"}},
		{name: "diff-found", state: "addressing", over: ui.DialogDiff, keys: []string{"f4"}, msg: change, then: []string{"/", "once"}},
		{name: "diff-same", state: "addressing", over: ui.DialogDiff, keys: []string{"f4"}, msg: ui.DiffMsg{}},
		{name: "diff-reading", state: "addressing", over: ui.DialogDiff, keys: []string{"f4"}},
		{name: "check", state: "addressing", over: ui.DialogCheck, keys: []string{"ctrl+o", "6", "enter"}},
		{name: "check-running", state: "checking", over: ui.DialogCheck, keys: []string{"ctrl+o", "6", "enter"}},
		{name: "roles", state: "executing", over: ui.DialogRoles, keys: []string{"/model", "enter"}},
		{name: "models", state: "executing", over: ui.DialogModels, keys: []string{"/model", "enter", "enter", "down"}},
		{name: "task", state: "specified", over: ui.DialogTask, keys: []string{"/task", "enter"}},
		{name: "specs", state: "specified", over: ui.DialogSpecs, msg: ui.SpecsMsg{Specs: specFiles()}},
		{name: "milestones", state: "specified", over: ui.DialogMilestones, msg: ui.SpecsMsg{Specs: specFiles()}, then: []string{"enter"}},
		{name: "milestone", state: "specified", over: ui.DialogMilestone, msg: ui.SpecsMsg{Specs: specFiles()}, then: []string{"enter", "down", "enter"}},
		{name: "spec-problem", state: "specified", over: ui.DialogSpecProblem, msg: ui.SpecsMsg{Specs: specFiles()}, then: []string{"down", "enter"}},
		{name: "runs", state: "complete", over: ui.DialogRuns, msg: ui.RunsMsg{Runs: pairRuns}},
		{name: "help-command", state: "executing", over: ui.DialogHelp, keys: []string{"/help pair", "enter"}},
		{name: "land", state: "complete", over: ui.DialogLand, msg: landing(t)},
		{name: "cancel", state: "executing", over: ui.DialogCancel, keys: []string{"/workflow cancel", "enter"}},
		{name: "reset", state: "addressing", over: ui.DialogReset, keys: []string{"/reset", "enter"}},
		{name: "quit", state: "consultation", over: ui.DialogQuit, keys: []string{"/quit", "enter"}},
		{name: "commands", state: "executing", keys: []string{"/"}},
		{name: "commands-picked", state: "executing", keys: []string{"/re", "tab", "tab", "tab"}},
		{name: "arguments", state: "executing", keys: []string{"/check ", "tab"}},
		{name: "suggestions", state: "idle", keys: []string{"/milestones "}, msg: ui.FoundMsg{Found: view.Completions{Specs: specFiles()}}},
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
		{name: "interrupt", state: "executing", keys: []string{"ctrl+c"}},
		{name: "refused", state: "executing", keys: []string{"/approve", "enter"}},
		{name: "told", state: "executing", msg: ui.DoneMsg{Text: "the check ran; no state was changed"}},
		{name: "told-long", state: "executing", msg: ui.DoneMsg{Error: true, Text: longRefusal}},
	}
}

var pairRuns = []view.PairRun{
	{ID: "p-20261120-101500-4f2a", Status: "failed 3/20  Write the parser"}, {ID: "p-20261119-093012-77c0", Status: "completed 1/20  Add retry", Over: true},
}

const longRefusal = "GUARD_FAILED: submit needs Checking (passed), and the tree has changed since the pass: fetch.go, fetch_test.go, docs/fetcher.md. " +
	"Run check again; it proves the tree as it is now. The executor may, and so may you while nobody holds the lease: /check."

const specText = "# A cache for the fetcher\n\nWhat was fetched is kept for a while.\n\n## Milestones\n\n- [x] #1.0 Keep what was fetched\n  ID: m1.0\n- [ ] #1.1 Forget what is old\n  ID: m1.1\n  Depends: m1.0\n\n> Nothing is written to the disk.\n\n1. first\n2. second\n"

// specFiles are one that can be used and one that cannot.
func specFiles() []view.SpecFile {
	return []view.SpecFile{
		{Path: "docs/specs/2026-11-20-a-cache-for-the-fetcher.md", Name: "A cache for the fetcher", Progress: "1/4", Milestones: []view.Milestone{
			{ID: "m1.0", Title: "#1.0 Keep what was fetched", Done: true},
			{ID: "m1.1", Title: "#1.1 Forget what is old", On: "m1.0", Chosen: true},
			{ID: "m1.2", Title: "#1.2 Tell how often it helped, for each host that was asked and for all of them", On: "m1.1", Waits: "m1.1"},
			{Title: "#1.3 Has no name yet"},
		}},
		{Path: "docs/specs/2026-11-18-retries.md", Name: "Retries", Problem: "line 14: a milestone has no ID: write ID: m2.0 below it; line 20: m2.1 depends on m9.9, which is not there"},
	}
}

// landing is what would land.
func landing(t *testing.T) tea.Msg {
	t.Helper()
	s := &stage{plan: land.Plan{Task: "t-20261120-140158-4f2a", Title: "Add retry to the fetcher", Onto: "main", Own: true, Behind: 2, Added: 3, Removed: 1, Verdict: checks.Pass, Message: "Add retry to the fetcher\n",
		Files: []checks.FilePatch{{Path: "fetch.go", Added: 3, Removed: 1}, {Path: "fetch_test.go", Added: 1}}}}
	d := &deck{engine: s, ctx: context.Background()}
	return d.carry(ui.Land{})
}
