package pane

import "ferrus/ui/keys"

// The actions of copy mode, besides scrolling.
const (
	Left        keys.Action = "left"
	Right       keys.Action = "right"
	LineStart   keys.Action = "line-start"
	LineEnd     keys.Action = "line-end"
	Find        keys.Action = "find-text"
	Older       keys.Action = "older"
	Newer       keys.Action = "newer"
	PromptAbove keys.Action = "prompt-above"
	PromptBelow keys.Action = "prompt-below"
	Select      keys.Action = "mark"
	SelectLines keys.Action = "mark-lines"
	Copy        keys.Action = "copy"
	Exit        keys.Action = "unread"
)

// Keys holds the keys of copy mode.
var Keys = keys.Map{
	{Action: Left, In: keys.InCopyMode, Keys: []string{"left", "h"}, Help: "a cell to the left"},
	{Action: Right, In: keys.InCopyMode, Keys: []string{"right", "l"}, Help: "a cell to the right"},
	{Action: LineStart, In: keys.InCopyMode, Keys: []string{"home", "0"}, Help: "to the beginning of the line"},
	{Action: LineEnd, In: keys.InCopyMode, Keys: []string{"end", "$", "shift+4"}, Label: "End or $",
		Help: "to the end of the line"},
	{Action: Find, In: keys.InCopyMode, Keys: []string{"/"}, Hint: "find",
		Help: "search upward from the cursor; lower case matches capitals, too"},
	{Action: Older, In: keys.InCopyMode, Keys: []string{"n"}, Hint: "older", Help: "previous match"},
	{Action: Newer, In: keys.InCopyMode, Keys: []string{"shift+n"}, Hint: "newer", Help: "next match"},
	{Action: PromptAbove, In: keys.InCopyMode, Keys: []string{"["},
		Help: "the shell prompt above, if the shell marks its prompts"},
	{Action: PromptBelow, In: keys.InCopyMode, Keys: []string{"]"}, Help: "the shell prompt below"},
	{Action: Select, In: keys.InCopyMode, Keys: []string{"space", "v"}, Hint: "select", Help: "start selecting"},
	{Action: SelectLines, In: keys.InCopyMode, Keys: []string{"shift+v"}, Help: "start selecting whole lines"},
	{Action: Copy, In: keys.InCopyMode, Keys: []string{"enter", "y"}, Hint: "copy",
		Help: "copy the selection to the clipboard, and for Ctrl+Y at the prompt"},
	{Action: Exit, In: keys.InCopyMode, Keys: []string{"esc", "q"}, Hint: "back",
		Help: "end the selection, then the search, then copy mode"},
}
