package project

import (
	"ferrus/hq/core"
	"ferrus/store"
)

// RuntimeFiles are the files beside the record of a task through which the conductor, the servers and
// the commands know of each other: sessions, presences, messages, directives, and what ended. They
// contain no state: what is lost with them is found again, or asked again.
type RuntimeFiles struct{ record *store.Dir[core.World] }
