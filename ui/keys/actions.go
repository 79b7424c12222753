package keys

// The actions that more than one component knows.
const (
	Help   Action = "help"
	Log    Action = "log"
	Diff   Action = "diff"
	Leave  Action = "leave"
	Quit   Action = "quit"
	Leader Action = "leader"
	// OpenEntry shows all of what is chosen: an entry of the journal, or the check.
	OpenEntry Action = "open"
)
