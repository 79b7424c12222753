package model

import (
	"fmt"
	"net/http"
)

// responses answers the OpenAI Responses API, streaming.
func (s *Server) responses(w http.ResponseWriter, r *http.Request) {
	body, ok := decode(w, r)
	if !ok {
		return
	}
	c := readResponses(body)
	action := s.decide(c)
	out := newStream(w)
	id := fmt.Sprintf("resp_%d", c.number())
	out.send("response.created", map[string]any{"response": map[string]any{"id": id}})
	out.send("response.output_item.done", map[string]any{"output_index": 0, "item": responsesItem(id, action)})
	out.send("response.completed", map[string]any{"response": map[string]any{
		"id": id, "usage": map[string]any{"input_tokens": 10, "output_tokens": 5, "total_tokens": 15},
	}})
}

func responsesItem(id string, a Action) map[string]any {
	item := map[string]any{"id": "item_" + id, "call_id": "call_" + id, "name": a.Tool.Name}
	switch {
	case a.Tool.Name == "":
		return map[string]any{"type": "message", "role": "assistant", "id": "msg_" + id,
			"content": []any{map[string]any{"type": "output_text", "text": a.Text}}}
	case a.Tool.Kind == Searching:
		return map[string]any{"type": "tool_search_call", "call_id": "call_" + id, "execution": "client",
			"arguments": a.Args}
	case a.Tool.Kind == Code:
		item["type"], item["input"] = "custom_tool_call", a.Program
	default:
		item["type"], item["arguments"] = "function_call", encode(a.Args)
	}
	if a.Tool.Namespace != "" {
		item["namespace"] = a.Tool.Namespace
	}
	return item
}

func readResponses(body map[string]any) Conversation {
	c := Conversation{Prompt: str(body, "instructions"), Tools: map[string]Tool{}}
	c.offer(list(body["tools"]))
	for _, item := range list(body["input"]) {
		c.addItem(item)
	}
	return c
}

// offer takes a list of tools: the request's own, one that an item adds, or one
// that a search brought.
func (c *Conversation) offer(tools []map[string]any) {
	for _, t := range tools {
		kind, name := str(t, "type"), str(t, "name")
		switch kind {
		case "namespace":
			for _, inner := range list(t["tools"]) {
				c.add(Tool{Namespace: name, Name: str(inner, "name"), Kind: kindOf(str(inner, "type"))})
			}
		case string(Searching):
			c.add(Tool{Name: kind, Kind: Searching})
		default:
			c.add(Tool{Name: name, Kind: kindOf(kind)})
		}
	}
}

// own are namespaces whose tools a model calls by their names alone.
const own = "functions"

func (c *Conversation) add(t Tool) {
	if t.Namespace == own {
		t.Namespace = ""
	}
	c.Tools[joined(t.Namespace, t.Name)] = t
}

func kindOf(kind string) Kind {
	if kind == string(Code) {
		return Code
	}
	return ""
}

func joined(space, name string) string {
	if space == "" || space == own {
		return name
	}
	return space + "__" + name
}

func (c *Conversation) addItem(item map[string]any) {
	id := str(item, "call_id")
	switch str(item, "type") {
	case "message", "":
		c.addMessage(item)
	case "additional_tools":
		c.offer(list(item["tools"]))
	case "function_call":
		c.addTurn(Turn{ID: id, Name: joined(str(item, "namespace"), str(item, "name")),
			Args: object(str(item, "arguments"))})
	case "custom_tool_call":
		c.addTurn(called(id, str(item, "name"), str(item, "input")))
	case "tool_search_call":
		args, _ := item["arguments"].(map[string]any)
		c.addTurn(Turn{ID: id, Name: string(Searching), Args: args})
	case "tool_search_output":
		c.offer(list(item["tools"]))
		c.answer(id, encode(item), false)
	case "function_call_output", "custom_tool_call_output":
		c.came(id, asString(item["output"]))
	}
}

func (c *Conversation) addMessage(item map[string]any) {
	for _, part := range list(item["content"]) {
		switch str(item, "role") {
		case "user":
			c.say(asString(part))
		case "developer", "system":
			c.Prompt += "\n" + asString(part)
		}
	}
}
