package advice

import (
	"strings"
	"time"
)

// HostAnswer is your answer about a host that a program in the sandbox wants to reach.
type HostAnswer string

// The answers.
const (
	HostTask   HostAnswer = "allow"  // for this task
	HostAlways HostAnswer = "always" // for every task of the project
	HostNo     HostAnswer = "no"     // not for this task, which does not ask again
)

// HostAnswers are what can be answered, in the order of the help.
var HostAnswers = []string{string(HostTask), string(HostAlways), string(HostNo)}

// Words say what the answer means.
func (a HostAnswer) Words() string {
	switch a {
	case HostTask:
		return "allowed for this task"
	case HostAlways:
		return "allowed for every task of this project"
	case HostNo:
		return "refused for this task"
	default:
		return "refused; you are asked"
	}
}

// AskedHost is a host that a program in the sandbox wanted to reach and that no rule names.
type AskedHost struct {
	Host   string     `json:"host"` // with a port unless it is 80 or 443
	Task   string     `json:"task"`
	By     string     `json:"by"` // executor:codex:1
	Since  time.Time  `json:"since"`
	Answer HostAnswer `json:"answer,omitempty"` // empty: none yet
}

// NoTask is the task of a host that a program asked for while no task was open.
const NoTask = "none"

// Words say what your answer for the host means.
func (a AskedHost) Words() string {
	if a.Task != NoTask {
		return a.Answer.Words()
	}
	return strings.ReplaceAll(a.Answer.Words(), "for this task", "while no task is open")
}

// hostItem asks for a host.
func hostItem(a AskedHost) []InboxItem {
	if a.Answer != "" {
		return nil
	}
	during := " (for this task), or always, or no"
	if a.Task == NoTask {
		during = " (while no task is open), or always, or no"
	}
	return []InboxItem{{
		Kind: ItemHost, ID: "host:" + a.Task + ":" + a.Host, Since: a.Since,
		Type: "/network ",
		Text: a.By + " wants to reach " + a.Host + ", which is not allowed in the sandbox",
		Do:   "/network allow " + a.Host + during,
		Run:  "ferrus network allow " + a.Host + during,

		Options: hostOptions(a.Host),
	}}
}

func hostOptions(host string) (all []string) {
	for _, answer := range HostAnswers {
		all = append(all, "ferrus network "+answer+" "+host)
	}
	return all
}
