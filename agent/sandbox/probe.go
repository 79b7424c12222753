package sandbox

// The findings of the probe: what is tried from inside, and what must come of it.
const (
	findWrite    = "a writable tree can be written"
	findOutside  = "nothing else can be written"
	findRead     = "what is not named cannot be read"
	findSignal   = "no signal reaches a process outside"
	findSocket   = "no socket outside can be reached"
	findAbstract = "no abstract socket outside can be reached"
	findLoopback = "without network your loopback cannot be reached"
	findProxy    = "the proxy reaches what is named"
	findRefused  = "the proxy reaches nothing else"
	findVsock    = "no socket of another kind can be made"
	findCalls    = "system calls are filtered"
	findRename   = "a protected path cannot be moved"
	findParent   = "the directory of a protected path cannot be moved"
	findTerminal = "a terminal can be made"
)
