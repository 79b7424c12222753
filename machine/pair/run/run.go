// Package run names the states of a pair run as its manifest and `ferrus pair list`
// spell them. They are the loop's states under names from job queues; package pair
// maps them both ways. It is a package of its own because the name run.State is
// part of the interface that was specified for pairs.
package run

// State is the state of a run in its manifest.
type State string

// The states.
const (
	StateSubmitted State = "submitted"
	StateWorking   State = "working"
	StateReviewing State = "reviewing"
	StateCompleted State = "completed"
	StateFailed    State = "failed"
)
