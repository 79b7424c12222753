package prompt

import "ferrus/ui/keys"

// The actions of the prompt.
const (
	Complete     keys.Action = "complete"
	CompleteBack keys.Action = "back"
	Send         keys.Action = "send"
	Newline      keys.Action = "newline"
	Search       keys.Action = "search"
	Undo         keys.Action = "undo"
)

// Keys holds the keys of the prompt. Every other key edits the text.
var Keys = keys.Map{
	{Action: Complete, In: keys.AtPrompt, Keys: []string{"tab"}, Hint: "complete",
		Help: "complete a command or its arguments"},
	{Action: CompleteBack, In: keys.AtPrompt, Keys: []string{"shift+tab"}, Help: "previous completion"},
	{Action: Send, In: keys.AtPrompt, Keys: []string{"enter"}, Help: "send: a command, or the answer to what is asked"},
	{Action: Newline, In: keys.AtPrompt, Keys: []string{"shift+enter", "alt+enter", "ctrl+j"},
		Help: "a new line in the prompt"},
	{Action: "history", In: keys.AtPrompt, Fixed: true, Label: "Up, Down", Help: "lines typed before"},
	{Action: Search, In: keys.AtPrompt, Keys: []string{"ctrl+r"},
		Help: "search the lines typed before; again for an older one"},
	{Action: Undo, In: keys.AtPrompt, Keys: []string{"ctrl+_", "ctrl+/"}, Help: "undo the last change of the prompt"},
}
