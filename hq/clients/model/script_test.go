//go:build e2e

package model

import (
	"strings"
	"testing"
)

// ferrusTools are what an executor is offered, beside its client's own.
var ferrusTools = []string{prefix + "wait_for_task", prefix + "check", prefix + "submit", prefix + "consult",
	prefix + "wait_for_consult", prefix + "ask_human", prefix + "wait_for_answer"}

const claimed = `a sentence {"status":"claimed","state":"Executing","task":"# Greet\nWrite ` +
	"`hello.txt` with `good day`" + `","next":"check","cursor":"w1"}`

func first() Turn { return Turn{ID: "1", Name: prefix + "wait_for_task", Result: claimed} }

// The same conversation leads to the same action in every format.
func TestExecutorInEveryFormat(t *testing.T) {
	shell := func(command string) func(Action) bool {
		return func(a Action) bool {
			return a.Args["command"] == command || a.Args["cmd"] == command
		}
	}
	tool := func(name string) func(Action) bool {
		return func(a Action) bool { return a.Tool.Name == prefix+name }
	}
	cases := []struct {
		name, prompt string
		turns        []Turn
		want         func(Action) bool
		complains    bool
	}{
		{"begins", workPrompt, nil, tool("wait_for_task"), false},
		{"writes what the task names", workPrompt, []Turn{first()},
			shell(`printf '%s\n' 'mistake' > 'hello.txt'`), false},
		{"polls with the cursor", workPrompt, []Turn{{ID: "1", Name: prefix + "wait_for_task",
			Result: `{"status":"timeout","state":"Idle","cursor":"w7"}`}},
			func(a Action) bool { return a.Tool.Name == prefix+"wait_for_task" && a.Args["cursor"] == "w7" }, false},
		{"submits what passed", workPrompt, []Turn{first(), {ID: "2", Name: prefix + "check",
			Result: `{"status":"passed"}`}}, tool("submit"), false},
		{"stops", workPrompt, []Turn{first(), {ID: "2", Name: prefix + "submit", Result: `{"status":"submitted"}`}},
			func(a Action) bool { return a.Tool.Name == "" && a.Text == "Submitted." }, false},
		{"does nothing with an unnamed tool", strings.ReplaceAll(workPrompt, prefix+"submit", "submit"),
			[]Turn{first(), {ID: "2", Name: prefix + "check", Result: `{"status":"passed"}`}}, func(a Action) bool {
				return a.Tool.Name == ""
			}, true},
		{"does nothing without any name", "Do the task.", nil, func(a Action) bool { return a.Tool.Name == "" }, true},
		{"does nothing without the task's text", workPrompt,
			[]Turn{{ID: "1", Name: prefix + "wait_for_task", Result: `{"status":"claimed","state":"Executing"}`}},
			func(a Action) bool { return a.Tool.Name == "" }, true},
		{"stops at a refusal", workPrompt, []Turn{{ID: "1", Name: prefix + "wait_for_task",
			Result: `{"status":"refused","code":"STALE"}`}},
			func(a Action) bool { return a.Tool.Name == "" }, true},
		{"says what the human asks for", "Say `cold tea`, please.", nil, func(a Action) bool {
			return a.Text == "You want cold tea."
		}, false},
	}
	for _, f := range formats {
		for _, c := range cases {
			t.Run(f.name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				s := start(t, LoopScript)
				got := f.ask(t, s, f.body(c.prompt, append([]string{f.shell}, ferrusTools...), c.turns))
				if !c.want(got) {
					t.Errorf("acts %+v", got)
				}
				if complains := len(s.Complaints()) > 0; complains != c.complains {
					t.Errorf("complaints %q", s.Complaints())
				}
			})
		}
	}
}

func TestMissingToolsAreComplaints(t *testing.T) {
	for _, f := range formats {
		s := start(t, LoopScript)
		f.ask(t, s, f.body(workPrompt, []string{f.shell}, nil))
		f.ask(t, s, f.body(workPrompt, ferrusTools, []Turn{first()}))
		want := "there is no tool mcp__ferrus__wait_for_task; there is no tool that runs a command"
		if got := strings.Join(s.Complaints(), "; "); got != want {
			t.Errorf("%s: %s; want %v", f.name, got, want)
		}
	}
}

func TestSideRequestsAreAnswered(t *testing.T) {
	for _, f := range formats {
		s := start(t, LoopScript)
		if got := f.ask(t, s, f.body("Give this conversation a title.", nil, nil)); got.Text != "ok" ||
			got.Tool.Name != "" {
			t.Errorf("%s acts %+v", f.name, got)
		}
		if len(s.Requests()) != 1 || len(s.Complaints()) != 0 {
			t.Errorf("%s: %q %q", f.name, s.Requests(), s.Complaints())
		}
	}
}

func TestPlannerWaitsForTheRequest(t *testing.T) {
	prompt := "Call mcp__ferrus__create_task when the human approves."
	c := Conversation{Tools: map[string]Tool{prefix + "create_task": {Name: prefix + "create_task"}}}
	c.say(prompt)
	if a := LoopScript(c); a.Tool.Name != "" || a.Text != "What is the task?" {
		t.Errorf("acts %+v", a)
	}
	c.say("Greet the users")
	if a := LoopScript(c); a.Tool.Name != prefix+"create_task" || a.Args["description"] != "Greet the users" {
		t.Errorf("acts %+v", a)
	}
	asked := Conversation{Tools: c.Tools}
	asked.say(prompt + "\n<request>\nGreet them\n</request>\n")
	if a := LoopScript(asked); a.Args["description"] != "Greet them" {
		t.Errorf("acts %+v", a)
	}
}

func TestALateServerIsWaitedFor(t *testing.T) {
	for _, f := range formats {
		s := start(t, LoopScript)
		prompt := workPrompt + " If a tool is not listed, wait a moment and look again."
		got := f.ask(t, s, f.body(prompt, []string{f.shell}, nil))
		if got.Tool.Name != f.shell {
			t.Fatalf("%s acts %+v", f.name, got)
		}
		waited := []Turn{{ID: "1", Name: f.shell, Args: got.Args}}
		if got := f.ask(t, s, f.body(prompt, append([]string{f.shell}, ferrusTools...), waited)); got.Tool.Name !=
			prefix+"wait_for_task" {
			t.Errorf("%s acts %+v", f.name, got)
		}
	}
}
