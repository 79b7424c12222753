package style

// Tone says how a word should feel; without colour the word alone has to do.
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
