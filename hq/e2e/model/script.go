package model

import (
	"fmt"
	"regexp"
	"strings"
)

// Story plays every role of one task: the executor's first version fails the
// gate, it consults, mends, submits; the reviewer rejects once; the executor asks
// the person, mends again and is approved. The task's text must name a file and a
// line in backticks; the review's notes name another line.
func Story(c Conversation) Action {
	switch {
	case c.named("wait_for_review"):
		return reviewer(c)
	case c.named("respond_consult"):
		return consultant(c)
	case c.named("wait_for_task"):
		return executor(c)
	case c.named("create_task"):
		return planner(c)
	}
	return Action{Text: "complaint: the prompt names no ferrus tool"}
}

var quoted = regexp.MustCompile("`([^`\n]+)`")

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

// address goes on where the task stands: the texts tell how far it came.
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
	return c.call("consult", map[string]any{"question": "## Problem\nThe check fails.\n\n## What I tried\nThe line I wrote.\n\n## Options (if any)\nNone.\n\n## Question\nWhich line is meant?\n"})
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

// extend adds the line of the review's notes, with the mark the person chose.
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

func planner(c Conversation) Action {
	turn, ok := c.newest()
	if ok && turn.refused() {
		return complain("%s was refused: %s", turn.Name, turn.Result)
	}
	if ok {
		return Action{Text: "The task is created."}
	}
	return c.call("create_task", map[string]any{"description": TaskText})
}

// TaskText is a task that Story can do.
const TaskText = "# Greet\n\nWrite the file `greeting.txt`; its first line is `hello ferrus`.\n"

func complain(format string, args ...any) Action {
	return Action{Text: "complaint: " + fmt.Sprintf(format, args...)}
}

// newest is the last turn that is no search for tools.
func (c Conversation) newest() (Turn, bool) {
	for i := len(c.Turns) - 1; i >= 0; i-- {
		switch c.Turns[i].Name {
		case "ToolSearch", "tool_search":
		default:
			return c.Turns[i], true
		}
	}
	return Turn{}, false
}

// refused reports a refusal by ferrus or by the client.
func (t Turn) refused() bool { return t.Done && (t.Failed || t.field("status") == "refused") }

// short is a tool's own name, without the prefix of its server.
func short(name string) string {
	if i := strings.LastIndex(name, "__"); i >= 0 {
		return name[i+2:]
	}
	return name
}

// prefix is what clients put before the names of ferrus's tools.
const prefix = "mcp__ferrus__"

// named reports whether the prompt names a tool in full.
func (c Conversation) named(name string) bool { return strings.Contains(c.Prompt, prefix+name) }

// call makes a ferrus tool call, searching for the tool first if it is deferred.
// The prompt must have named it in full.
func (c Conversation) call(name string, args map[string]any) Action {
	full := prefix + name
	if !c.named(name) {
		return complain("the prompt does not name %s", full)
	}
	if tool, ok := c.find(name); ok {
		return Action{Tool: tool, Args: args}
	}
	for _, search := range []string{"ToolSearch", "tool_search"} {
		if tool, ok := c.Tools[search]; ok && !c.searched(full) {
			return Action{Tool: tool, Args: map[string]any{"query": "select:" + full}}
		}
	}
	return complain("there is no tool %s", full)
}

func (c Conversation) searched(full string) bool {
	for _, turn := range c.Turns {
		if query, _ := turn.Args["query"].(string); strings.Contains(query, full) {
			return true
		}
	}
	return false
}

// again repeats a wait with the cursor it was given, so that no two calls are equal.
func (c Conversation) again(name string, turn Turn) Action {
	args := map[string]any{}
	if cursor := turn.field("cursor"); cursor != "" && strings.HasSuffix(turn.Name, name) {
		args["cursor"] = cursor
	}
	if name == "submit" {
		args["content"] = turn.Args["content"]
	}
	return c.call(name, args)
}

// shell runs a command with whatever tool the client has for it.
func (c Conversation) shell(command string) Action {
	for _, shape := range []struct {
		name string
		args map[string]any
	}{
		{"Bash", map[string]any{"command": command, "description": "write the file"}},
		{"exec_command", map[string]any{"cmd": command}},
		{"shell_command", map[string]any{"command": command}},
		{"shell", map[string]any{"command": []string{"sh", "-c", command}}},
		{"run_shell_command", map[string]any{"command": command, "is_background": false}},
	} {
		if tool, ok := c.Tools[shape.name]; ok {
			return Action{Tool: tool, Args: shape.args}
		}
	}
	return complain("there is no tool that runs a command")
}
