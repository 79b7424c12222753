package keys

import "unicode/utf8"

// The actions of a field that a text to search for is typed into. Its keys are fixed,
// as those are that edit the prompt.
const (
	Accept Action = "accept"
	Cancel Action = "cancel"
	Erase  Action = "erase"
	Clear  Action = "clear"
)

// Searching holds the keys of fields.
var Searching = Map{
	{Action: Accept, In: InSearch, Fixed: true, Keys: []string{"enter"}, Hint: "accept",
		Help: "accept the search text"},
	{Action: Cancel, In: InSearch, Fixed: true, Keys: []string{"esc", "ctrl+g"}, Hint: "cancel",
		Help: "end the search"},
	{Action: Erase, In: InSearch, Fixed: true, Keys: []string{"backspace"}, Help: "delete a character"},
	{Action: Clear, In: InSearch, Fixed: true, Keys: []string{"ctrl+u"}, Help: "delete the whole text"},
}

// Field is a text that is typed to search for it.
type Field string

// maxField bounds it, in bytes.
const maxField = 256

// Edit handles a key that edits the field, such as a typed letter, and reports whether it was
// one.
func (f *Field) Edit(a Action, typed string) bool {
	switch {
	case a == Erase:
		_, size := utf8.DecodeLastRuneInString(string(*f))
		*f = (*f)[:len(*f)-size]
	case a == Clear:
		*f = ""
	case a == "" && typed != "":
		if len(*f)+len(typed) <= maxField {
			*f += Field(typed)
		}
	default:
		return false
	}
	return true
}

// Tail returns the end of the field, so many characters at most: what is typed now.
func (f Field) Tail(n int) string {
	runes := []rune(string(f))
	return string(runes[max(len(runes)-n, 0):])
}
