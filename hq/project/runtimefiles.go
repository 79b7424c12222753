package project

import (
	"ferrus/hq/core"
	"ferrus/store"
)

// RuntimeFiles are the files beside the record of a task by which the conductor, the servers and the
// commands know of each other: sessions, presences, messages, directives, and what ended. No state is
// in them: what is lost with them is found out anew, or asked again.
type RuntimeFiles struct{ record *store.Dir[core.World] }
