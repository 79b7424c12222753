package ui

import (
	"slices"
	"strings"

	"ferrus/ui/dialog"
	"ferrus/ui/keys"
	"ferrus/ui/pager"
	"ferrus/ui/pane"
	"ferrus/ui/prompt"
)

// The actions of the screen.
const (
	leader      = keys.Leader
	zoom        = keys.Action("zoom")
	leaderZoom  = keys.Action("leader-zoom")
	pageUp      = keys.Action("page-up")
	pageDown    = keys.Action("page-down")
	redraw      = keys.Action("redraw")
	suspend     = keys.Action("suspend")
	focus       = keys.Action("focus")
	next        = keys.Action("next")
	read        = keys.Action("read")
	find        = keys.Action("find")
	takeOffer   = keys.Action("take")
	showPastes  = keys.Action("pastes")
	edit        = keys.Action("editor")
	narrower    = keys.Action("narrower")
	wider       = keys.Action("wider")
	higher      = keys.Action("higher")
	lower       = keys.Action("lower")
	usual       = keys.Action("usual")
	palette     = keys.Action("palette")
	ask         = keys.Action("ask")
	taskText    = keys.Action("task-text")
	leaderHelp  = keys.Action("leader-help")
	leaderLog   = keys.Action("leader-log")
	leaderDiff  = keys.Action("leader-diff")
	leaderFind  = keys.Action("leader-palette")
	listNotices = keys.Action("notices")
	nextSide    = keys.Action("side")
	tasks       = keys.Action("tasks")
	leaderTasks = keys.Action("leader-tasks")
	ownScreen   = keys.Action("own-screen")
)

// borders are where keys move borders.
const borders = keys.AfterLeader | keys.MovingBorder

// own holds the keys of the screen, the most useful first.
var own = keys.Map{
	{Action: leader, In: keys.Everywhere, Keys: []string{"ctrl+o"}, Hint: "more keys",
		Help: "the leader: press one of its keys next"},
	{Action: zoom, In: keys.Everywhere | keys.Pages, Keys: []string{"f2"}, Hint: "zoom",
		Help: "zoom the selected pane, or restore it"},
	{Action: keys.Log, In: keys.Everywhere | keys.Pages, Keys: []string{"f3"}, Hint: "log",
		Help: "the journal on the whole screen"},
	{Action: keys.Diff, In: keys.Everywhere | keys.Pages, Keys: []string{"f4"}, Hint: "diff",
		Help: "what the task changed, file by file"},
	{Action: tasks, In: keys.Everywhere, Keys: []string{"f5"}, Help: "hide or show the list of tasks"},
	{Action: keys.Help, In: keys.Everywhere | keys.Pages, Keys: []string{"f1"}, Hint: "help",
		Help: "commands, keys and the guide"},
	{Action: palette, In: keys.Everywhere, Keys: []string{"ctrl+p"}, Hint: "go to",
		Help: "go to a command, a pane, a file of the diff, a task, a spec or a guide topic by some of its letters"},
	{Action: ask, In: keys.AtPrompt, Fixed: true, Label: "?", Help: "help, while the prompt is empty"},
	{Action: pageUp, In: keys.AtPrompt, Keys: []string{"pgup"}, Help: "scroll the selected pane back"},
	{Action: pageDown, In: keys.AtPrompt, Keys: []string{"pgdown"}, Help: "scroll it forward"},
	{Action: redraw, In: keys.Everywhere, Keys: []string{"ctrl+l"}, Help: "redraw the screen"},
	{Action: suspend, In: keys.Everywhere, Keys: []string{"ctrl+z"},
		Help: "suspend HQ until `fg`; sessions keep running"},
	{Action: keys.Quit, In: keys.Everywhere, Keys: []string{"ctrl+c"}, Help: "twice: quit ferrus"},
	{Action: focus, In: keys.Everywhere, Fixed: true, Keys: altDigits(), Label: "Alt+1..9, click",
		Help: "focus a pane, as after the leader"},
	{Action: focus, In: keys.AfterLeader, Fixed: true, Keys: digits(), Label: "1..9", Hint: "focus",
		Help: "focus a pane; again folds one that has ended; 5 is the activity, 6 the check, 7 the tasks, 9 what " +
			"is next to a pane"},
	{Action: leaderZoom, In: keys.AfterLeader, Keys: []string{"z"}, Hint: "zoom",
		Help: "zoom the selected pane, or restore it"},
	{Action: leaderHelp, In: keys.AfterLeader, Keys: []string{"?"}, Hint: "help", Help: "commands, keys and the guide"},
	{Action: leaderTasks, In: keys.AfterLeader, Keys: []string{"l"}, Hint: "tasks",
		Help: "select another task in the list of tasks"},
	{Action: leaderLog, In: keys.AfterLeader, Keys: []string{"j"}, Hint: "log",
		Help: "the journal on the whole screen"},
	{Action: leaderDiff, In: keys.AfterLeader, Keys: []string{"d"}, Hint: "diff",
		Help: "what the task changed, file by file"},
	{Action: taskText, In: keys.AfterLeader, Keys: []string{"t"}, Hint: "task", Help: "the text of the task"},
	{Action: leaderFind, In: keys.AfterLeader, Keys: []string{"p"}, Hint: "go to",
		Help: "go to anything by some of its letters"},
	{Action: next, In: keys.AfterLeader, Keys: []string{"n"}, Hint: "next that needs you",
		Help: "the next item that needs you"},
	{Action: read, In: keys.AfterLeader, Keys: []string{"["}, Hint: "read",
		Help: "copy mode in the selected pane: move, select, copy; the mouse selects at any time: drag, double " +
			"click a word, triple click a line"},
	{Action: find, In: keys.AfterLeader, Keys: []string{"/"}, Hint: "find",
		Help: "search the selected pane and its scrollback"},
	{Action: takeOffer, In: keys.AfterLeader, Keys: []string{"y"},
		Help: "accept the text that an agent wants to copy to your clipboard"},
	{Action: ownScreen, In: keys.AfterLeader, Keys: []string{"s"}, Hint: "own screen",
		Help: "move the pane's session to its program's own screen, or back"},
	{Action: showPastes, In: keys.AfterLeader, Keys: []string{"v"}, Hint: "pastes",
		Help: "show what you pasted; Backspace at its mark removes it"},
	{Action: edit, In: keys.AfterLeader, Keys: []string{"e"}, Hint: "editor",
		Help: "edit the prompt in $VISUAL or $EDITOR"},
	{Action: edit, In: keys.AtPrompt, Fixed: true, Label: "Ctrl+X Ctrl+E",
		Help: "edit the prompt in $VISUAL or $EDITOR"},
	{Action: nextSide, In: keys.AfterLeader, Keys: []string{"b"}, Hint: "side",
		Help: "show the task, its diff or neither next to the pane (from 180 columns)"},
	{Action: listNotices, In: keys.AfterLeader, Keys: []string{"m"}, Hint: "notices",
		Help: "the notices since HQ started, newest first"},
	{Action: narrower, In: borders, Keys: []string{"<"}, Hint: "left",
		Help: "move the border between the panes left; again without the leader"},
	{Action: wider, In: borders, Keys: []string{">"}, Hint: "right", Help: "move the border between the panes right"},
	{Action: higher, In: borders, Keys: []string{"+"}, Hint: "up", Help: "more rows for activity and check"},
	{Action: lower, In: borders, Keys: []string{"-"}, Hint: "down", Help: "fewer rows for activity and check"},
	{Action: usual, In: borders, Keys: []string{"="}, Hint: "reset", Help: "reset the pane sizes"},
	{Action: keys.Leave, In: keys.InPane | keys.InView | keys.InCopyMode | keys.Pages | keys.InInbox,
		Keys: []string{"ctrl+]", "f12"},
		Hint: "back to the prompt", Help: "back to the prompt; in a pane, every other key is the agent's"},
	{Action: keys.OpenEntry, In: keys.InLog | keys.InView, Keys: []string{"enter"}, Hint: "open",
		Help: "open an entry of the journal, or the check"},
	{Action: dialog.Close, In: keys.InView, Keys: []string{"esc", "q"}, Help: "back to the prompt"},
}

// Keys is the one table of keys: the key line, the help and the generated documents are
// written from it, and [keys] of the configuration binds what it does not fix.
var Keys = slices.Concat(
	prompt.Keys[:1], own, prompt.Keys[1:], keys.Scrolling, pane.Keys, pager.Keys, dialog.Keys, keys.Searching,
).Labeled()

func digits() []string { return strings.Split("123456789", "") }

func altDigits() []string {
	names := digits()
	for i, d := range names {
		names[i] = "alt+" + d
	}
	return names
}
