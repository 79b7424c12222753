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
)

// Keys holds the keys of pagers. While something is found, those of the search come
// before all others.
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
}
