package gate

import (
	"fmt"

	"ferrus/hq/project"
)

// NoProcess is what [WaitsFor] says of a gate that waits for nothing, but that no process runs.
const NoProcess = "has no process now; ferrus check, HQ or ferrus run starts one"

// WaitsFor says what a gate of a task waits for that has no verdict; empty: its commands run, or what it waits for
// cannot be told.
func WaitsFor(p *project.Task, ticket uint64) string {
	pid, held, err := p.Store.Holder(project.TaskGateLock)
	switch now, runs := runsNow(p); {
	case err != nil || held && (!runs || now.Ticket == ticket): // it has begun, or is just beginning
		return ""
	case held:
		return fmt.Sprintf("waits for the check before it to end (process %d)", pid)
	}
	for n := range lanes(p) {
		if pid, held, err = p.Files.Holder(laneLock(n)); err != nil || !held {
			break
		}
	}
	_, conducted, unknown := p.Main().Store.Holder(project.ConductorLock)
	switch {
	case err != nil || unknown != nil:
		return ""
	case held:
		return fmt.Sprintf("waits for another check of this project to end (process %d)", pid)
	case conducted:
		return "" // HQ starts it when its turn comes
	}
	return NoProcess
}
