// Package run names the states of a run of a pair as its manifest and its lists
// spell them. They are the states of the loop under the names that people who
// look at runs expect; package pair maps them both ways.
package run

// State is what the manifest of a run says of it.
type State string

// The states.
const (
	StateSubmitted State = "submitted"
	StateWorking   State = "working"
	StateReviewing State = "reviewing"
	StateCompleted State = "completed"
	StateFailed    State = "failed"
)
