package appserver

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

// TestMain plays the program: it asks for a command, a change and a tool, and says what was decided.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "play" {
		play()
		return
	}
	os.Exit(m.Run())
}

func play() {
	in := bufio.NewScanner(os.Stdin)
	say := func(line string) { fmt.Println(line) }
	next := func() (m received) {
		if !in.Scan() {
			os.Exit(0)
		}
		_ = json.Unmarshal(in.Bytes(), &m)
		return m
	}
	for {
		switch m := next(); m.Method {
		case "initialize":
			say(`{"id":` + string(m.ID) + `,"result":{"userAgent":"player 1"}}`)
		case "thread/start", "thread/resume":
			say(`{"id":` + string(m.ID) + `,"result":{"thread":{"id":"t1","params":` + string(m.Params) + `}}}`)
		case "turn/start":
			say(`{"id":` + string(m.ID) + `,"result":{}}`)
			say(`{"method":"turn/started","params":{"turn":{"id":"u1"}}}`)
			if strings.Contains(string(m.Params), "die") {
				os.Exit(3)
			}
			if strings.Contains(string(m.Params), "fail") {
				say(`{"method":"error","params":{"error":{"message":"503"},"willRetry":true}}`)
				say(`{"method":"turn/completed","params":{"turn":{"status":"failed",` +
					`"error":{"message":"401 Unauthorized"}}}}`)
				continue
			}
			say("no message at all")
			say(`{"method":"item/started","params":{"item":{"type":"commandExecution","id":"c1",` +
				`"command":"/bin/bash -lc 'make all'","cwd":"/w"}}}`)
			say(`{"id":70,"method":"item/commandExecution/requestApproval",` +
				`"params":{"itemId":"c1","command":"/bin/bash -lc 'make all'","cwd":"/elsewhere"}}`)
			one := next()
			say(`{"method":"item/completed","params":{"item":{"type":"commandExecution","id":"c1",` +
				`"status":"completed","exitCode":0,"aggregatedOutput":` + string(encode(string(one.Result))) + `}}}`)
			say(`{"method":"item/started","params":{"item":{"type":"fileChange","id":"f1",` +
				`"changes":[{"path":"/etc/hosts","diff":"+x"}]}}}`)
			say(`{"id":"seventy-one","method":"item/fileChange/requestApproval","params":{"itemId":"f1","grantRoot":"/etc"}}`)
			two := next()
			say(`{"id":73,"method":"item/commandExecution/requestApproval","params":{"itemId":"c1",` +
				`"networkApprovalContext":{"host":"example.com","protocol":"https"}}}`)
			next()
			say(`{"id":72,"method":"nothing/known","params":{}}`)
			three := next()
			say(`{"method":"thread/tokenUsage/updated","params":{"tokenUsage":{"last":{"inputTokens":10,"outputTokens":5}}}}`)
			say(`{"method":"item/completed","params":{"item":{"type":"agentMessage","id":"m1","text":` +
				string(encode(string(two.ID)+string(two.Result)+fmt.Sprint(three.Error.Code))) + `}}}`)
			say(`{"method":"turn/completed","params":{"turn":{"status":"completed"}}}`)
		case "turn/interrupt":
			say(`{"method":"turn/completed","params":{"turn":{"status":"interrupted"}}}`)
		}
	}
}

// A program that cannot start says why in its own words, on either stream.
func TestAProgramThatFailsIsQuoted(t *testing.T) {
	for _, script := range []string{"echo 'the wrong release'; exit 1", "echo 'the wrong release' >&2; exit 1"} {
		in, out := io.Pipe()
		o := Options{Command: []string{"sh", "-c", script}, In: in, Out: io.Discard, Log: io.Discard}
		err := Run(t.Context(), o)
		if err == nil || err.Error() != "sh has ended: the wrong release" {
			t.Errorf("%s: %v, want that the release is wrong", script, err)
		}
		out.Close()
	}
}

// client is the other side of a conversation.
type client struct {
	t     *testing.T
	out   io.Writer
	lines *bufio.Scanner
	over  chan error
}

func talk(t *testing.T) *client {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	in, out := io.Pipe()
	from, to := io.Pipe()
	c := &client{t: t, out: out, lines: bufio.NewScanner(from), over: make(chan error, 1)}
	go func() {
		err := Run(t.Context(), Options{Command: []string{self, "play"}, Approval: "untrusted", Sandbox: "read-only",
			In: in, Out: to, Log: io.Discard})
		c.over <- err
		to.Close()
	}()
	t.Cleanup(func() { out.Close(); from.Close() })
	c.say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`)
	if got := c.until(`"id":1`); !strings.Contains(got, `"protocolVersion":1`) {
		t.Errorf("initialize returned %s, want protocol version 1", got)
	}
	c.say(`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}`)
	if got := c.until(`"id":2`); !strings.Contains(got, `"sessionId":"t1"`) {
		t.Errorf("session/new returned %s, want session t1", got)
	}
	return c
}

func (c *client) say(line string) { fmt.Fprintln(c.out, line) }

// until returns the next line with some words in it.
func (c *client) until(words string) string {
	c.t.Helper()
	for c.lines.Scan() {
		if strings.Contains(c.lines.Text(), words) {
			return c.lines.Text()
		}
	}
	c.t.Fatalf("nothing said %s: %v", words, <-c.over)
	return ""
}

// prompt begins a turn.
func (c *client) prompt(text string) {
	c.say(`{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"t1","prompt":[{"type":"text","text":"` +
		text + `"}]}}`)
}

func TestRequestsReachTheClient(t *testing.T) {
	t.Parallel()
	c := talk(t)
	c.prompt("work")
	ask := c.until("session/request_permission")
	for _, want := range []string{`"command":"make all"`, `"kind":"execute"`, `"kind":"allow_once"`, `"cwd":"/elsewhere"`} {
		if !strings.Contains(ask, want) {
			t.Errorf("the request %s lacks %s", ask, want)
		}
	}
	c.answer(ask, "allow")
	if got := c.until(`"tool_call_update"`); !strings.Contains(got, `\"decision\":\"accept\"`) {
		t.Errorf("the program got %s", got)
	}
	ask = c.until("session/request_permission")
	if !strings.Contains(ask, `"path":"/etc/hosts"`) || !strings.Contains(ask, `"kind":"edit"`) ||
		!strings.Contains(ask, `"path":"/etc"`) {
		t.Errorf("the request is %s, want an edit of /etc/hosts", ask)
	}
	c.answer(ask, "reject")
	ask = c.until("session/request_permission")
	if !strings.Contains(ask, `"url":"https://example.com"`) || !strings.Contains(ask, `"kind":"fetch"`) {
		t.Errorf("the request is %s, want a fetch of https://example.com", ask)
	}
	c.answer(ask, "reject")
	if got := c.until(`"inputTokens":10`); !strings.Contains(got, `"outputTokens":5`) {
		t.Errorf("the usage is %s, want 5 output tokens", got)
	}
	got := c.until(`seventy-one`)
	if !strings.Contains(got, `\"decision\":\"decline\"`) || !strings.Contains(got, "-32601") {
		t.Errorf("the program got %s", got)
	}
	if got := c.until(`"id":3`); !strings.Contains(got, `"stopReason":"end_turn"`) {
		t.Errorf("the turn: %s", got)
	}
}

func (c *client) answer(ask, option string) {
	c.t.Helper()
	var m received
	if err := json.Unmarshal([]byte(ask), &m); err != nil {
		c.t.Fatal(err)
	}
	c.say(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"outcome":{"outcome":"selected","optionId":"` +
		option + `"}}}`)
}

func TestFailuresAreReported(t *testing.T) {
	t.Parallel()
	c := talk(t)
	c.prompt("fail")
	if got := c.until("Reconnecting"); strings.HasPrefix(got, "{") {
		t.Errorf("a retry is said by %s", got)
	}
	if got := c.until(`"id":3`); !strings.Contains(got, "401 Unauthorized") || !strings.Contains(got, `"error"`) {
		t.Errorf("the turn: %s", got)
	}
	c.prompt("die")
	for c.lines.Scan() {
	}
	if err := <-c.over; err == nil {
		t.Error("the end of the program is no error")
	}
}

func TestCancelInterrupts(t *testing.T) {
	t.Parallel()
	c := talk(t)
	c.prompt("work")
	c.until("session/request_permission")
	c.say(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"t1"}}`)
	c.say(`{"jsonrpc":"2.0","id":9,"method":"nothing","params":{}}`)
	if got := c.until(`"id":9`); !strings.Contains(got, "-32601") {
		t.Errorf("an unknown request: %s", got)
	}
}
