package model

import (
	"fmt"

	"ferrus/ui/text/lazyregexp"
)

var sayRequest = lazyregexp.New("^Say `([^`\n]+)`")

// aside answers what is not about the task: a judge of the client's own, an
// unfinished program, and a human who asks for some words.
func aside(c Conversation) (Action, bool) {
	if judge, ok := c.Tools["respond_in_schema"]; ok {
		return Action{Tool: judge, Args: map[string]any{"shouldBlock": false}}, true
	}
	if turn, ok := c.newest(); ok && turn.Cell != "" {
		return Action{Tool: c.Tools["wait"], Args: map[string]any{"cell_id": turn.Cell, "yield_time_ms": patience}},
			true
	}
	if n := len(c.User); n > 0 {
		if m := sayRequest.FindStringSubmatch(c.User[n-1]); m != nil {
			return Action{Text: "You want " + m[1] + "."}, true
		}
	}
	return Action{}, false
}

// complain ends the turn with what the script misses.
func complain(format string, args ...any) Action {
	return Action{Text: "complaint: " + fmt.Sprintf(format, args...)}
}
