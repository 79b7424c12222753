package core

import "strings"

// summaries say what a status means to the human whose command led to it.
var summaries = map[Status]string{
	StatusCreated: "Created", StatusRunning: "Check started", StatusRecorded: "Answered", StatusApproved: "Approved",
	StatusRejected: "Sent back", StatusLimit: "Sent back, for the last time", StatusRetried: "Retrying",
	StatusReset: "Archived",
}

// Summary says what a command of the human led to. The state is not part of it: it moves on
// while the words are still shown.
func (r Result) Summary() string {
	if r.Status == StatusQueued {
		return r.Message
	}
	outcome, ok := summaries[r.Status]
	if !ok && r.Status != "" {
		outcome = strings.ToUpper(string(r.Status[:1])) + string(r.Status[1:])
	}
	return outcome
}
