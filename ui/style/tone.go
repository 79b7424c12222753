package style

// Tone is the mood of a word, shown by its colour; without colour the word alone
// conveys it.
type Tone uint8

// The tones.
const (
	Plain Tone = iota
	Dim
	Busy // something runs
	Good
	Warn // the human may want to look
	Bad
)
