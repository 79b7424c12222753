package dialog

import "ferrus/ui/keys"

// The actions of dialogs, besides pagers' actions.
const (
	Close    keys.Action = "close"
	CopyPage keys.Action = "copy-page"
	Viewed   keys.Action = "viewed"
	Fold     keys.Action = "fold"
	Reload   keys.Action = "reload"
	Choose   keys.Action = "choose"
	Snooze   keys.Action = "snooze"
	GoToPane keys.Action = "go-to-pane"
	ReadItem keys.Action = "read-item"
	Yes      keys.Action = "yes"
	Other    keys.Action = "other"
	No       keys.Action = "no"
	ShowDiff keys.Action = "show-diff"
	Send     keys.Action = "send-comments"
	Since    keys.Action = "since-round"
	EditLine keys.Action = "edit-line"
)

// Keys holds the keys of dialogs.
var Keys = keys.Map{
	{Action: CopyPage, In: keys.OnPage, Keys: []string{"y"}, Hint: "copy",
		Help: "copy a page as written; the mouse selects a part of it: drag, double click a word, triple click a row"},
	{Action: Viewed, In: keys.InDiff, Keys: []string{"v"}, Hint: "viewed",
		Help: "mark the file as viewed, which folds it, or unmark it"},
	{Action: Fold, In: keys.InDiff, Keys: []string{"o", "enter"}, Hint: "fold",
		Help: "fold the file, or unfold it: generated, lock and binary files are folded"},
	{Action: Reload, In: keys.InDiff, Keys: []string{"r"}, Hint: "reload", Help: "load the diff again"},
	{Action: Send, In: keys.InDiff, Keys: []string{"shift+s"}, Hint: "send",
		Help: "send the comments to the executor as one round; asks first"},
	{Action: Since, In: keys.InDiff, Keys: []string{"u"}, Hint: "since the round",
		Help: "show what changed since the newest round of comments, or everything again"},
	{Action: Choose, In: keys.InList | keys.InInbox, Keys: []string{"enter"}, Hint: "choose",
		Help: "select; in the inbox, answer"},
	{Action: GoToPane, In: keys.InInbox, Keys: []string{"g"}, Hint: "pane",
		Help: "go to the pane of an item"},
	{Action: ReadItem, In: keys.InInbox, Keys: []string{"r"}, Hint: "read all",
		Help: "read all of an item, on a page that scrolls"},
	{Action: Snooze, In: keys.InInbox, Keys: []string{"s"}, Hint: "snooze",
		Help: "snooze an item until HQ restarts, or wake it"},
	{Action: Yes, In: keys.InQuestion | keys.InLanding, Keys: []string{"y", "shift+y"}, Hint: "yes",
		Help: "yes: do it"},
	{Action: Other, In: keys.InQuestion, Keys: []string{"l", "shift+l"}, Hint: "other",
		Help: "take the other choice"},
	{Action: ShowDiff, In: keys.InQuestion, Keys: []string{"d", "shift+d", "f4"}, Hint: "diff",
		Help: "show the diff before you approve"},
	{Action: EditLine, In: keys.InLanding, Keys: []string{"e", "shift+e"}, Hint: "edit the message",
		Help: "edit the commit message"},
	{Action: No, In: keys.InQuestion | keys.InLanding, Keys: []string{"n", "shift+n", "esc", "q"}, Hint: "close",
		Help: "cancel"},
	{Action: keys.LineUp, In: keys.InPalette, Keys: []string{"up", "ctrl+p", "shift+tab"}, Hint: "move",
		Help: "the line above"},
	{Action: keys.LineDown, In: keys.InPalette, Keys: []string{"down", "ctrl+n", "tab"}, Hint: "move",
		Help: "the line below"},
	{Action: Choose, In: keys.InPalette, Keys: []string{"enter"}, Hint: "go there", Help: "open the selected entry"},
	{Action: Close, In: keys.InPalette, Keys: []string{"esc"}, Hint: "close", Help: "close the palette"},
	{Action: Close, In: keys.OnPage, Keys: []string{"esc", "q", "enter"}, Hint: "close",
		Help: "close the page or the dialog"},
	{Action: Close, In: keys.InLog | keys.InDiff | keys.InList | keys.InInbox, Keys: []string{"esc", "q"},
		Hint: "close", Help: "close the page or the dialog"},
}
