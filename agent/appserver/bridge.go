package appserver

import (
	"cmp"
	"encoding/json"
	"strconv"
)

// bridge is the conversation. One goroutine uses it.
type bridge struct {
	Options
	program interface{ Write([]byte) (int, error) }
	last    int                                         // of our requests, to both sides
	waiting map[string]func(json.RawMessage, *rpcError) // for answers of the program, by id
	asked   map[string]question                         // the client, by id
	items   map[string]item                             // of the turn, by id
	thread  string
	turn    string
	prompt  json.RawMessage // id of the client's request that the turn answers; nil: no turn runs
}

// question is a request of the program that the client answers.
type question struct {
	id      json.RawMessage
	decided func(allow bool) any // the result for the program
}

func (b *bridge) handle(m received) {
	switch {
	case m.fromProgram && m.Method == "":
		answered := b.waiting[string(m.ID)]
		delete(b.waiting, string(m.ID))
		if answered != nil {
			answered(m.Result, m.Error)
		}
	case m.fromProgram && len(m.ID) > 0:
		b.ask(m)
	case m.fromProgram:
		b.notice(m.Method, m.Params)
	case m.Method == "":
		b.decide(m)
	default:
		b.serve(m)
	}
}

// request sends a request to the program.
func (b *bridge) request(method string, params any, answered func(json.RawMessage, *rpcError)) {
	b.last++
	id := strconv.Itoa(b.last)
	b.waiting[id] = answered
	send(b.program, message{ID: json.RawMessage(id), Method: method, Params: encode(params)})
}

// reply answers a request of the client.
func (b *bridge) reply(id json.RawMessage, result any, failed *rpcError) {
	if failed != nil {
		result = nil
	}
	send(b.Out, message{JSONRPC: "2.0", ID: id, Result: result, Error: failed})
}

// update reports something of the turn to the client.
func (b *bridge) update(kind string, fields map[string]any) {
	fields["sessionUpdate"] = kind
	send(b.Out, message{JSONRPC: "2.0", Method: "session/update",
		Params: encode(map[string]any{"sessionId": b.thread, "update": fields})})
}

func encode(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // texts, numbers and what was decoded
	}
	return data
}

// serve handles a message of the client.
func (b *bridge) serve(m received) {
	switch m.Method {
	case "initialize":
		b.initialize(m.ID)
	case "session/new":
		b.open(m, "thread/start")
	case "session/load":
		b.open(m, "thread/resume")
	case "session/prompt":
		b.startTurn(m)
	case "session/cancel":
		if b.turn != "" {
			b.request("turn/interrupt", map[string]any{"threadId": b.thread, "turnId": b.turn}, ignore)
		}
	default:
		if len(m.ID) > 0 {
			b.reply(m.ID, nil, &rpcError{noMethod, "no method " + m.Method})
		}
	}
}

func ignore(json.RawMessage, *rpcError) {}

func (b *bridge) initialize(id json.RawMessage) {
	client := map[string]any{"name": "ferrus", "title": "ferrus", "version": cmp.Or(b.Version, "0")}
	b.request("initialize", map[string]any{"clientInfo": client}, func(result json.RawMessage, failed *rpcError) {
		var hello struct{ UserAgent string }
		_ = json.Unmarshal(result, &hello) // another shape says nothing
		send(b.program, message{Method: "initialized"})
		b.reply(id, map[string]any{
			"protocolVersion": 1, "agentCapabilities": map[string]any{"loadSession": true},
			"agentInfo": map[string]any{"name": hello.UserAgent}, "authMethods": []any{},
		}, failed)
	})
}

// open begins or continues a thread.
func (b *bridge) open(m received, method string) {
	var asked struct{ Cwd, SessionID string }
	_ = json.Unmarshal(m.Params, &asked) // without a directory the program refuses
	params := map[string]any{"cwd": asked.Cwd, "approvalPolicy": b.Approval, "sandbox": b.Sandbox}
	if method == "thread/resume" {
		params["threadId"] = asked.SessionID
	}
	if b.Model != "" {
		params["model"] = b.Model
	}
	b.request(method, params, func(result json.RawMessage, failed *rpcError) {
		var opened struct{ Thread struct{ ID string } }
		_ = json.Unmarshal(result, &opened) // without an id the client says so
		b.thread = opened.Thread.ID
		b.reply(m.ID, map[string]any{"sessionId": b.thread}, failed)
	})
}

// startTurn begins a turn. Its end answers the client.
func (b *bridge) startTurn(m received) {
	var asked struct {
		Prompt []struct{ Type, Text string }
	}
	_ = json.Unmarshal(m.Params, &asked) // without a text the program refuses
	input := []map[string]any{}
	for _, block := range asked.Prompt {
		input = append(input, map[string]any{"type": "text", "text": block.Text})
	}
	b.prompt = m.ID
	b.request("turn/start", map[string]any{"threadId": b.thread, "input": input},
		func(result json.RawMessage, failed *rpcError) {
			if failed != nil {
				b.end("", failed)
			}
		})
}

// end answers the client's prompt.
func (b *bridge) end(reason string, failed *rpcError) {
	if b.prompt != nil {
		b.reply(b.prompt, map[string]any{"stopReason": reason}, failed)
	}
	b.prompt, b.turn = nil, ""
	clear(b.items)
}
