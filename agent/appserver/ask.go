package appserver

import (
	"encoding/json"
	"strconv"
)

// The options of a request for permission.
const (
	optionAllow  = "allow"
	optionReject = "reject"
)

// ask passes a request of the program on to the client. What the client cannot be shown is declined.
func (b *bridge) ask(m received) {
	var r struct {
		ItemID, Command, Cwd, Reason string
		ServerName, Message          string

		GrantRoot              string
		NetworkApprovalContext *struct{ Host, Protocol string }
	}
	_ = json.Unmarshal(m.Params, &r) // another shape names nothing, which the client shows
	switch m.Method {
	case "item/commandExecution/requestApproval":
		call := item{ID: r.ItemID, Type: "commandExecution", Command: r.Command}
		if r.Command == "" {
			call.Command = b.items[r.ItemID].Command
		}
		if call.Cwd = r.Cwd; r.Cwd == "" {
			call.Cwd = b.items[r.ItemID].Cwd
		}
		shown := call.call()
		if n := r.NetworkApprovalContext; n != nil { // it is about what the command reaches
			shown["kind"], shown["rawInput"] = "fetch", map[string]any{"url": n.Protocol + "://" + n.Host}
		}
		if r.Reason != "" {
			shown["title"] = r.Reason
		}
		b.put(m.ID, shown, decision)
	case "item/fileChange/requestApproval":
		call := b.items[r.ItemID]
		call.ID, call.Type = r.ItemID, "fileChange"
		shown := call.call()
		if r.GrantRoot != "" { // all below it, not these files alone
			shown["locations"] = append(shown["locations"].([]map[string]any), map[string]any{"path": r.GrantRoot})
		}
		b.put(m.ID, shown, decision)
	case "mcpServer/elicitation/request":
		b.put(m.ID, b.toolOf(r.ServerName, r.Message), func(allow bool) any {
			if allow {
				return map[string]any{"action": "accept", "content": map[string]any{}}
			}
			return map[string]any{"action": "decline"}
		})
	default:
		send(b.program, message{ID: m.ID, Error: &rpcError{noMethod, "no method " + m.Method}})
	}
}

// decision returns the result for a command or a change. After a refusal the program continues its
// turn.
func decision(allow bool) any {
	if allow {
		return map[string]any{"decision": "accept"}
	}
	return map[string]any{"decision": "decline"}
}

// toolOf returns the call of a tool of a server that the program asks about: the newest that runs there.
func (b *bridge) toolOf(server, words string) map[string]any {
	for _, i := range b.items {
		if i.Type == "mcpToolCall" && i.Server == server && i.Status == "inProgress" {
			return i.call()
		}
	}
	return map[string]any{"toolCallId": "mcp__" + server, "title": words, "kind": "other",
		"_meta": map[string]any{"toolName": "mcp__" + server}}
}

// put asks the client.
func (b *bridge) put(id json.RawMessage, call map[string]any, decided func(allow bool) any) {
	b.last++
	key := strconv.Itoa(b.last)
	b.asked[key] = question{id, decided}
	send(b.Out, message{JSONRPC: "2.0", ID: json.RawMessage(key), Method: "session/request_permission",
		Params: encode(map[string]any{"sessionId": b.thread, "toolCall": call, "options": []map[string]any{
			{"optionId": optionAllow, "kind": "allow_once", "name": "Allow once"},
			{"optionId": optionReject, "kind": "reject_once", "name": "Decline"},
		}})})
}

// decide takes the client's answer to the program.
func (b *bridge) decide(m received) {
	q, ok := b.asked[string(m.ID)]
	if !ok {
		return
	}
	delete(b.asked, string(m.ID))
	var r struct {
		Outcome struct{ Outcome, OptionID string }
	}
	_ = json.Unmarshal(m.Result, &r) // an error allows nothing
	allowed := r.Outcome.Outcome == "selected" && r.Outcome.OptionID == optionAllow
	send(b.program, message{ID: q.id, Result: q.decided(allowed)})
}
