package pager

import "ferrus/ui/keys"

// The actions of pagers, besides scrolling.
const (
	Search        keys.Action = "page-search"
	NextMatch     keys.Action = "next-match"
	PreviousMatch keys.Action = "previous-match"
	EndSearch     keys.Action = "end-search"
	NextFile      keys.Action = "next-file"
	PreviousFile  keys.Action = "previous-file"
	NextHunk      keys.Action = "next-hunk"
	PreviousHunk  keys.Action = "previous-hunk"
	NextAlarm     keys.Action = "next-alarm"

	WriteComment  keys.Action = "comment"
	EditComment   keys.Action = "edit-comment"
	DeleteComment keys.Action = "delete-comment"
	ListComments  keys.Action = "list-comments"
	ShowResolved  keys.Action = "show-resolved"
	ExtendUp      keys.Action = "extend-up"
	ExtendDown    keys.Action = "extend-down"
	OtherSide     keys.Action = "other-side"
	NewLine       keys.Action = "new-line"
)

// Keys holds the keys of pagers. While something is found, the search's keys take
// precedence.
var Keys = keys.Map{
	{Action: Search, In: keys.Pages, Keys: []string{"/"}, Hint: "search", Help: "search a page"},
	{Action: NextMatch, In: keys.InMatches, Keys: []string{"n"}, Hint: "next", Help: "the next line that matches"},
	{Action: PreviousMatch, In: keys.InMatches, Keys: []string{"shift+n", "p"},
		Hint: "previous", Help: "the previous line that matches"},
	{Action: EndSearch, In: keys.InMatches, Keys: []string{"esc"}, Hint: "end search", Help: "end the search"},
	{Action: PreviousFile, In: keys.InDiff, Keys: []string{"[", "shift+tab"}, Hint: "files", Help: "the previous file"},
	{Action: NextFile, In: keys.InDiff, Keys: []string{"]", "tab"}, Hint: "files", Help: "the next file"},
	{Action: PreviousHunk, In: keys.InDiff, Keys: []string{"{", "shift+n"}, Hint: "hunks", Help: "the previous hunk"},
	{Action: NextHunk, In: keys.InDiff, Keys: []string{"}", "n"}, Hint: "hunks", Help: "the next hunk"},
	{Action: NextAlarm, In: keys.InDiff, Keys: []string{"a"}, Hint: "alarms", Help: "the next alarm"},
	{Action: WriteComment, In: keys.InDiff, Keys: []string{"c"}, Hint: "comment",
		Help: "choose a line of the diff with up and down, then comment on it; a click chooses one as well"},
	{Action: ExtendUp, In: keys.InDiff, Keys: []string{"shift+up", "shift+k"}, Help: "comment on the line above, too"},
	{Action: ExtendDown, In: keys.InDiff, Keys: []string{"shift+down", "shift+j"},
		Help: "comment on the line below, too"},
	{Action: OtherSide, In: keys.InDiff, Keys: []string{"left", "right"},
		Help: "comment on the other side of the line, if both are next to each other"},
	{Action: EditComment, In: keys.InDiff, Keys: []string{"e"}, Hint: "edit", Help: "edit an unsent comment"},
	{Action: DeleteComment, In: keys.InDiff, Keys: []string{"d", "delete"}, Hint: "delete",
		Help: "delete an unsent comment; twice, to be sure"},
	{Action: ListComments, In: keys.InDiff, Keys: []string{"l"}, Hint: "list", Help: "list all comments, by round"},
	{Action: ShowResolved, In: keys.InDiff, Keys: []string{"x"}, Hint: "resolved",
		Help: "unfold the comments that the executor has answered, or fold them"},
	{Action: keys.Accept, In: keys.InComment, Fixed: true, Keys: []string{"enter"}, Hint: "keep",
		Help: "keep the comment"},
	{Action: keys.Cancel, In: keys.InComment, Fixed: true, Keys: []string{"esc", "ctrl+g"}, Hint: "cancel",
		Help: "leave the comment unchanged"},
	{Action: NewLine, In: keys.InComment, Fixed: true, Keys: []string{"ctrl+j", "alt+enter", "shift+enter"},
		Hint: "new line", Help: "a new line in the comment"},
}
