package merge

import (
	"ferrus/machine"
	"ferrus/machine/queue"
)

// The states of an item that a merger looks at.
const (
	itemQueued  = queue.StateQueued
	itemRunning = queue.StateRunning
	itemParked  = queue.StateParked
	itemStaged  = queue.StateStaged
	itemLanded  = queue.StateLanded
	itemNotHeld = queue.NotHeld
)

// stageEvent stages an item whose work was found to be approved.
func stageEvent(byHuman bool) queue.Stage { return queue.Stage{Auto: !byHuman} }

// landedEvent reports that the branch contains the work of an item.
func landedEvent() machine.Event { return queue.Landed{Contained: true} }

// landedByPull reports that the forge has merged the pull request, and that git has the commit.
func landedByPull() machine.Event { return queue.Landed{Contained: true, ByPull: true, Merged: true} }

// returnedEvent says that the task of an item continues.
func returnedEvent() machine.Event { return queue.Returned{Task: queue.Task{Moved: true}} }
