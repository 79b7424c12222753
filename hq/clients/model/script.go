//go:build e2e

package model

import (
	"fmt"
	"strings"

	"ferrus/ui/text/lazyregexp"
)

// LoopScript plays every role of one task: the executor's first version fails the
// gate, it consults, fixes, submits; the reviewer rejects once; the executor asks
// the human, fixes it again and is approved. The task's text must name a file and a
// line in backticks; the review's notes name another line.
func LoopScript(c Conversation) Action {
	if action, ok := aside(c); ok {
		return action
	}
	switch {
	case c.named("wait_for_review"):
		return reviewer(c)
	case c.named("respond_consult"):
		return consultant(c)
	case c.named("wait_for_task"):
		return executor(c)
	case c.named("create_task"):
		return planner(c)
	case c.named("create_spec"):
		return Action{Text: "What is wanted?"}
	}
	return Action{Text: "complaint: the prompt names no ferrus tool"}
}

var quoted = lazyregexp.New("`([^`\n]+)`")

func executor(c Conversation) Action {
	turn, ok := c.newest()
	if !ok {
		return c.call("wait_for_task", nil)
	}
	if turn.refused() {
		return complain("%s was refused: %s", turn.Name, turn.Result)
	}
	switch name := short(turn.Name); name {
	case "wait_for_task":
		return afterTask(c, turn)
	case "consult", "wait_for_consult":
		if name == "wait_for_consult" && turn.field("status") == "answered" {
			return write(c, turn.field("response"))
		}
		return c.again("wait_for_consult", turn)
	case "ask_human", "wait_for_answer":
		if name == "wait_for_answer" && turn.field("status") == "answered" {
			return extend(c, turn.field("answer"))
		}
		return c.again("wait_for_answer", turn)
	case "check":
		return afterCheck(c, turn)
	case "submit":
		return afterSubmit(c, turn)
	}
	return c.call("check", nil) // the shell has written the file
}

func afterTask(c Conversation, turn Turn) Action {
	if strings.Contains(turn.field("next"), "wait_for_answer") {
		return c.call("wait_for_answer", nil) // an answer came while no session lived
	}
	switch turn.field("state") {
	case "Consultation":
		return c.again("wait_for_consult", turn)
	case "AwaitingHuman":
		return c.again("wait_for_answer", turn)
	case "Checking":
		return c.call("check", nil)
	case "Executing":
		return write(c, "`mistake`")
	case "Addressing":
		return address(c, turn)
	}
	return c.again("wait_for_task", turn)
}

// address continues where the task is: the texts tell how far it came.
func address(c Conversation, turn Turn) Action {
	if turn.field("review") != "" {
		if answer, ok := exchanged(turn, "answers"); ok {
			return extend(c, answer)
		}
		return c.call("ask_human", map[string]any{"question": "Which mark ends the last line?"})
	}
	if response, ok := exchanged(turn, "consults"); ok {
		return write(c, response)
	}
	return c.call("consult", map[string]any{"question": "## Problem\nThe check fails.\n\n## What I tried\nThe line " +
		"I wrote.\n\n## Options (if any)\nNone.\n\n## Question\nWhich line is meant?\n"})
}

func exchanged(turn Turn, key string) (string, bool) {
	for _, exchange := range list(turn.fields()[key]) {
		if answer := str(exchange, "answer"); answer != "" {
			return answer, true
		}
	}
	return "", false
}

func afterCheck(c Conversation, turn Turn) Action {
	switch turn.field("status") {
	case "passed":
		return c.call("submit", map[string]any{"content": "## Summary\nWrote the file.\n"})
	case "running":
		return c.again("check", turn)
	case "failed":
		if answered, ok := c.last("wait_for_consult"); ok && answered.field("status") == "answered" {
			return complain("the check fails after the fix: %s", turn.Result)
		}
		return address(c, turn)
	}
	return complain("check says %s", turn.Result)
}

func afterSubmit(c Conversation, turn Turn) Action {
	switch turn.field("status") {
	case "submitted":
		return Action{Text: "Submitted."}
	case "running":
		return c.again("submit", turn)
	}
	return complain("submit says %s", turn.Result)
}

// write makes the file that the task names with the line that source quotes.
func write(c Conversation, source string) Action {
	file, line, ok := wanted(c)
	if !ok {
		return complain("the task did not come back from wait_for_task")
	}
	if q := quoted.FindStringSubmatch(source); q != nil {
		line = q[1]
	}
	return c.shell(fmt.Sprintf("printf '%%s\\n' '%s' > '%s'", line, file))
}

// extend adds the line of the review's notes, with the mark that the human chose.
func extend(c Conversation, mark string) Action {
	file, _, ok := wanted(c)
	task, _ := c.last("wait_for_task")
	q := quoted.FindStringSubmatch(task.field("review"))
	if !ok || q == nil {
		return complain("the review's notes did not come back from wait_for_task")
	}
	return c.shell(fmt.Sprintf("printf '%%s%%s\\n' '%s' '%s' >> '%s'", q[1], strings.TrimSpace(mark), file))
}

func wanted(c Conversation) (file, line string, ok bool) {
	task, _ := c.last("wait_for_task")
	q := quoted.FindAllStringSubmatch(task.field("task"), 2)
	if len(q) < 2 {
		return "", "", false
	}
	return q[0][1], q[1][1], true
}

func reviewer(c Conversation) Action {
	turn, ok := c.newest()
	switch {
	case !ok:
		return c.call("wait_for_review", nil)
	case turn.refused():
		return complain("%s was refused: %s", turn.Name, turn.Result)
	}
	switch short(turn.Name) {
	case "wait_for_review":
		if turn.field("status") != "claimed" {
			return c.again("wait_for_review", turn)
		}
		return c.call("review_pending", nil)
	case "review_pending":
		claimed, _ := c.last("wait_for_review")
		if used, _ := claimed.fields()["review_cycles_used"].(float64); used == 0 {
			return c.call("reject", map[string]any{"notes": "Add the line `goodbye` at the end."})
		}
		return c.call("approve", nil)
	}
	return Action{Text: "Reviewed."}
}

func consultant(c Conversation) Action {
	turn, ok := c.newest()
	switch {
	case !ok || short(turn.Name) != "respond_consult" && !turn.Failed:
		return c.call("respond_consult", map[string]any{"response": "The line is `hello ferrus`."})
	case turn.refused():
		return complain("%s was refused: %s", turn.Name, turn.Result)
	}
	return Action{Text: "Answered."}
}

// planner makes a task of what the human asks for, in words of theirs.
func planner(c Conversation) Action {
	turn, ok := c.newest()
	switch request := c.request(); {
	case ok && turn.refused():
		return complain("%s was refused: %s", turn.Name, turn.Result)
	case ok:
		return Action{Text: "The task is created."}
	case request == "":
		return Action{Text: "What is the task?"}
	default:
		return c.call("create_task", map[string]any{"description": request})
	}
}

var requested = lazyregexp.New(`(?s)<request>\n(.*)\n</request>`)

// request returns what the human typed after the prompt, or what the prompt says that
// they asked for.
func (c Conversation) request() string {
	if n := len(c.User); n > 0 && !ours(c.User[n-1]) {
		return c.User[n-1]
	}
	if m := requested.FindStringSubmatch(c.Prompt); m != nil {
		return m[1]
	}
	return ""
}

// TaskText is a task that Story can do.
const TaskText = "# Greet\n\nWrite the file `greeting.txt`; its first line is `hello ferrus`.\n"

// named reports whether the prompt names a tool in full.
func (c Conversation) named(name string) bool { return c.full(name) != "" }

// last returns the newest turn of a tool, by the end of its name.
func (c Conversation) last(suffix string) (Turn, bool) {
	for i := len(c.Turns) - 1; i >= 0; i-- {
		if strings.HasSuffix(c.Turns[i].Name, suffix) {
			return c.Turns[i], true
		}
	}
	return Turn{}, false
}
