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
	id := fmt.Sprintf("resp_%d", len(c.Turns)+1)
	out.send("response.created", map[string]any{"response": map[string]any{"id": id}})
	out.send("response.output_item.done", map[string]any{"output_index": 0, "item": responsesItem(id, action)})
	out.send("response.completed", map[string]any{"response": map[string]any{
		"id": id, "usage": map[string]any{"input_tokens": 10, "output_tokens": 5, "total_tokens": 15},
	}})
}

func responsesItem(id string, a Action) map[string]any {
	if a.Tool.Name == "" {
		return map[string]any{"type": "message", "role": "assistant", "id": "msg_" + id,
			"content": []any{map[string]any{"type": "output_text", "text": a.Text}}}
	}
	item := map[string]any{"type": "function_call", "id": "fc_" + id, "call_id": "call_" + id, "name": a.Tool.Name, "arguments": encode(a.Args)}
	if a.Tool.Namespace != "" {
		item["namespace"] = a.Tool.Namespace
	}
	return item
}

func readResponses(body map[string]any) Conversation {
	c := Conversation{Prompt: str(body, "instructions"), Tools: map[string]Tool{}, Loaded: map[string]bool{}, Hidden: map[string]string{}}
	for _, t := range list(body["tools"]) {
		name := str(t, "name")
		if str(t, "type") != "namespace" {
			c.Tools[name] = Tool{Name: name}
			continue
		}
		for _, inner := range list(t["tools"]) {
			c.Tools[name+"__"+str(inner, "name")] = Tool{Namespace: name, Name: str(inner, "name")}
		}
	}
	for _, item := range list(body["input"]) {
		switch str(item, "type") {
		case "message", "":
			c.Prompt += "\n" + text(item["content"])
		case "function_call":
			name := str(item, "name")
			if space := str(item, "namespace"); space != "" {
				name = space + "__" + name
			}
			c.Turns = append(c.Turns, Turn{ID: str(item, "call_id"), Name: name, Args: object(str(item, "arguments"))})
		case "function_call_output":
			c.answer(str(item, "call_id"), text(item["output"]), false)
		}
	}
	return c
}
