package acp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// The test binary is the agent: PLAY says how it behaves.
func TestMain(m *testing.M) {
	if part := os.Getenv("PLAY"); part != "" {
		(&scripted{part: part, in: bufio.NewScanner(os.Stdin)}).run()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// scripted is an agent that answers by its part.
type scripted struct {
	part  string
	in    *bufio.Scanner
	asked json.RawMessage // id of the newest prompt

	prompts int
}

func (a *scripted) send(format string, args ...any) { fmt.Printf(format+"\n", args...) }

// update sends an update of the session.
func (a *scripted) update(update string) {
	a.send(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":%s}}`, update)
}

// read returns the next message with a method, or the answer with an id.
func (a *scripted) read() (m message) {
	if !a.in.Scan() {
		os.Exit(0)
	}
	_ = json.Unmarshal(a.in.Bytes(), &m)
	return m
}

func (a *scripted) run() {
	a.in.Buffer(nil, 64<<20)
	for {
		m := a.read()
		fmt.Fprintln(os.Stderr, "got", m.Method, string(m.Params))
		switch m.Method {
		case "initialize":
			a.hello(m)
		case "session/new":
			a.newSession(m)
		case "session/load":
			a.load(m)
		case "session/prompt":
			a.asked = m.ID
			a.prompt(m)
		case "session/cancel":
			if a.part == "cancelled" {
				a.send(`{"jsonrpc":"2.0","id":%s,"result":{"stopReason":"cancelled"}}`, a.asked)
			}
		default:
			a.send(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
		}
	}
}

func (a *scripted) hello(m message) {
	switch a.part {
	case "mute":
		time.Sleep(time.Hour) // until it is killed
	case "version 2":
		a.send(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":2}}`, m.ID)
	default:
		a.send(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":1,"agentInfo":{"name":"scripted","version":"7"},`+
			`"agentCapabilities":{"loadSession":%t},"authMethods":[{"id":"x","name":"Log in with X"}]}}`,
			m.ID, a.part != "no load")
	}
}

func (a *scripted) newSession(m message) {
	if a.part == "signed out" {
		a.send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"Authentication required"}}`, m.ID)
		return
	}
	a.send(`{"jsonrpc":"2.0","id":%s,"result":{"sessionId":"s1","models":{"availableModels":[{"modelId":"big"}]}}}`, m.ID)
}

func (a *scripted) load(m message) {
	if a.part == "load fails" {
		a.send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"no such session"}}`, m.ID)
		return
	}
	a.update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"what was said long ago"}}`)
	a.send(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
}

// prompt plays a turn.
func (a *scripted) prompt(m message) {
	switch a.part {
	case "dies":
		a.update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"I begin and"}}`)
		fmt.Fprintln(os.Stderr, "out of memory")
		os.Exit(9)
	case "silent", "cancelled":
		return
	case "error":
		a.send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"Internal error","data":{"details":"401 no key"}}}`,
			m.ID)
		return
	case "refusal":
		a.send(`{"jsonrpc":"2.0","id":%s,"result":{"stopReason":"refusal"}}`, m.ID)
		return
	case "malformed":
		a.malformed()
	case "huge":
		a.huge(m)
		return
	case "asks":
		a.asks()
	case "floods":
		a.floods()
	case "stops":
		a.prompts++
		if a.prompts < 3 {
			a.asks()
			a.send(`{"jsonrpc":"2.0","id":%s,"result":{"stopReason":"cancelled","usage":{"inputTokens":30}}}`, m.ID)
			return
		}
		a.update(fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%q}}`,
			"then "+string(m.Params)+"\n"))
	}
	a.work(m)
}

// malformed sends what is no message of the protocol.
func (a *scripted) malformed() {
	for _, line := range []string{
		"plain words", `{"jsonrpc":"2.0","method":`, `[1,2,3]`, `{"id":{}}`, `{"jsonrpc":"2.0","id":99,"result":{}}`,
		`{"jsonrpc":"2.0","method":"session/update","params":7}`, `{"jsonrpc":"2.0","method":5}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"tool_call","content":5}}}`,
		`{"jsonrpc":"2.0","id":70,"method":"session/request_permission","params":[]}`,
		`{"jsonrpc":"2.0","id":71,"method":"fs/read_text_file","params":{"path":"/etc/passwd"}}`, "\x00\x1b]0;x\x07", "",
	} {
		a.send("%s", line)
	}
}

// huge sends an update, a request and an answer of 100 MB each.
func (a *scripted) huge(m message) {
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	flood := func(head, tail string) {
		out.WriteString(head)
		block := bytes.Repeat([]byte("x"), 1<<20)
		for range 100 {
			out.Write(block)
		}
		out.WriteString(tail + "\n")
	}
	flood(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":`+
		`"agent_message_chunk","content":{"type":"text","text":"`, `"}}}}`)
	out.Flush()
	a.update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"still here"}}`)
	flood(`{"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"text":"`, `"}}`)
	out.Flush()
	if m := a.read(); m.Error == nil {
		os.Exit(4)
	}
	flood(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"text":"`, m.ID), `"}}`)
	out.Flush()
}

// asks asks for a permission and says what it got.
func (a *scripted) asks() {
	a.send(`{"jsonrpc":"2.0","id":8,"method":"session/request_permission","params":{"sessionId":"s1","toolCall":` +
		`{"toolCallId":"c9","title":"rm -rf build","kind":"execute","rawInput":{"command":"rm -rf build"}},"options":[` +
		`{"optionId":"always","name":"a","kind":"allow_always"},{"optionId":"yes","name":"y","kind":"allow_once"},` +
		`{"optionId":"no","name":"n","kind":"reject_once"}]}}`)
	m := a.read()
	if a.part == "stops" {
		return
	}
	a.update(fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%q}}`,
		"got "+string(m.Result)+"\n"))
}

// flood is how many requests for permission an agent sends that floods ferrus with them.
const flood = 10_000

// floods asks without waiting for an answer, reads them all, and says how many there were of each sort.
func (a *scripted) floods() {
	counts := make(chan map[string]int)
	go func() {
		sorts := map[string]int{}
		for range flood {
			answer := string(a.read().Result)
			for _, sort := range []string{`"yes"`, `"no"`} {
				if strings.Contains(answer, sort) {
					sorts[sort]++
				}
			}
		}
		counts <- sorts
	}()
	out := bufio.NewWriter(os.Stdout)
	for i := range flood {
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%d,"method":"session/request_permission","params":{"sessionId":"s1",`+
			`"toolCall":{"toolCallId":"c%d","title":"make %d","kind":"execute"},"options":[`+
			`{"optionId":"yes","name":"y","kind":"allow_once"},{"optionId":"no","name":"n","kind":"reject_once"}]}}`+"\n",
			1000+i, i, i)
	}
	out.Flush()
	a.update(fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%q}}`,
		fmt.Sprint(<-counts)+"\n"))
}

// work is a turn that goes well.
func (a *scripted) work(m message) {
	for _, update := range []string{
		`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"Hm."}}`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"First "}}`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"words.\nMore"}}`,
		`{"sessionUpdate":"plan","entries":[{"content":"write","priority":"high","status":"in_progress"}]}`,
		`{"sessionUpdate":"plan","entries":[{"content":"write","priority":"high","status":"in_progress"}]}`,
		`{"sessionUpdate":"tool_call","toolCallId":"c1","title":"edit","kind":"edit","status":"pending",` +
			`"locations":[{"path":"/w/a.go"}]}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed","content":[{"type":"diff",` +
			`"path":"/w/a.go","oldText":"a\nb\nc\n","newText":"a\nB\nc\n"},{"type":"content","content":{"type":"text",` +
			`"text":"written"}}]}`,
		`{"sessionUpdate":"usage_update","used":5,"size":9,"cost":{"amount":0.25,"currency":"USD"}}`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Done."}}`,
	} {
		a.update(update)
	}
	a.send(`{"jsonrpc":"2.0","id":%s,"result":{"stopReason":"end_turn","usage":{"inputTokens":70,"outputTokens":8,`+
		`"cachedReadTokens":20}}}`, m.ID)
}

// result is a run and its events.
type result struct {
	events []Event
	err    error
}

// play runs a session with an agent of a part.
func play(t *testing.T, ctx context.Context, part string, change func(*Options)) result {
	t.Helper()
	t.Setenv("PLAY", part)
	var out bytes.Buffer
	o := Options{
		Command: []string{os.Args[0]}, Dir: t.TempDir(), Prompt: "Do it.", Out: &out,
		Permit:   func(context.Context, Request) (Answer, error) { return Answer{Allow: true}, nil },
		Patience: Patience{Start: 30 * time.Second, Stop: 10 * time.Second},
	}
	if change != nil {
		change(&o)
	}
	r := result{err: Run(ctx, o)}
	for line := range strings.Lines(out.String()) {
		var e Event
		if err := json.Unmarshal([]byte(line), &e); err != nil || len(line) > 2*maxText {
			t.Fatalf("no event: %v %.200q", err, line)
		}
		r.events = append(r.events, e)
	}
	return r
}

// of returns the events of a kind as text, without the log of the scripted agent.
func (r result) of(kind string) string {
	var all []string
	for _, e := range r.events {
		if e.Kind == kind {
			all = append(all, strings.Trim(strings.Join([]string{e.ID, e.Title, e.Status, e.Text}, "|"), "|"))
		}
	}
	return strings.Join(all, "; ")
}
