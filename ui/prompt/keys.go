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
		Help: "complete a command or its arguments; while the prompt is empty, talk to the next agent"},
	{Action: CompleteBack, In: keys.AtPrompt, Keys: []string{"shift+tab"}, Help: "previous completion"},
	{Action: Send, In: keys.AtPrompt, Keys: []string{"enter"},
		Help: "run the command, send the text, or answer the question"},
	{Action: Newline, In: keys.AtPrompt, Keys: []string{"shift+enter", "alt+enter", "ctrl+j"},
		Help: "a new line in the prompt"},
	{Action: "history", In: keys.AtPrompt, Fixed: true, Label: "Up, Down", Help: "earlier and later lines"},
	{Action: Search, In: keys.AtPrompt, Keys: []string{"ctrl+r"},
		Help: "search earlier lines; again for an older match"},
	{Action: Undo, In: keys.AtPrompt, Keys: []string{"ctrl+_", "ctrl+/"}, Help: "undo the last change to the prompt"},
}
