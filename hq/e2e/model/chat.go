package model

import (
	"fmt"
	"net/http"
)

// chat answers the OpenAI Chat Completions API, streaming.
func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	body, ok := decode(w, r)
	if !ok {
		return
	}
	c := readChat(body)
	action := s.decide(c)
	id := fmt.Sprintf("chat_%d", len(c.Turns)+1)
	delta, finish := map[string]any{"role": "assistant", "content": action.Text}, "stop"
	if action.Tool.Name != "" {
		delta["content"] = nil
		delta["tool_calls"] = []any{map[string]any{"index": 0, "id": "call_" + id, "type": "function",
			"function": map[string]any{"name": action.Tool.Name, "arguments": encode(action.Args)}}}
		finish = "tool_calls"
	}
	out := newStream(w)
	chunk := func(delta map[string]any, finish any) {
		out.send("", map[string]any{"id": id, "object": "chat.completion.chunk", "created": 1, "model": str(body, "model"),
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}})
	}
	chunk(delta, nil)
	chunk(map[string]any{}, finish)
	out.send("", map[string]any{"id": id, "object": "chat.completion.chunk", "created": 1, "model": str(body, "model"), "choices": []any{},
		"usage": map[string]any{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}})
	fmt.Fprint(w, "data: [DONE]\n\n")
}

func readChat(body map[string]any) Conversation {
	c := Conversation{Tools: map[string]Tool{}, Loaded: map[string]bool{}, Hidden: map[string]string{}}
	for _, t := range list(body["tools"]) {
		function, _ := t["function"].(map[string]any)
		name := str(function, "name")
		c.Tools[name] = Tool{Name: name}
	}
	for _, m := range list(body["messages"]) {
		if str(m, "role") == "tool" {
			c.answer(str(m, "tool_call_id"), text(m["content"]), false)
			continue
		}
		c.Prompt += "\n" + text(m["content"])
		for _, call := range list(m["tool_calls"]) {
			function, _ := call["function"].(map[string]any)
			c.Turns = append(c.Turns, Turn{ID: str(call, "id"), Name: str(function, "name"), Args: object(str(function, "arguments"))})
		}
	}
	return c
}
