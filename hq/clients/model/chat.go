package model

import (
	"fmt"
	"net/http"

	"ferrus/ui/text/lazyregexp"
)

// chat answers the OpenAI Chat Completions API, streaming.
func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	body, ok := decode(w, r)
	if !ok {
		return
	}
	c := readChat(body)
	action := s.decide(c)
	id := fmt.Sprintf("chat_%d", c.number())
	delta, finish := map[string]any{"role": "assistant", "content": action.Text}, "stop"
	if action.Tool.Name != "" {
		delta["content"] = nil
		delta["tool_calls"] = []any{map[string]any{"index": 0, "id": "call_" + id, "type": "function",
			"function": map[string]any{"name": action.Tool.Name, "arguments": encode(action.Args)}}}
		finish = "tool_calls"
	}
	out := newStream(w)
	chunk := func(delta map[string]any, finish any) {
		out.send("", map[string]any{"id": id, "object": "chat.completion.chunk", "created": 1,
			"model":   str(body, "model"),
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}})
	}
	chunk(delta, nil)
	chunk(map[string]any{}, finish)
	out.send("", map[string]any{"id": id, "object": "chat.completion.chunk", "created": 1, "model": str(body, "model"),
		"choices": []any{},
		"usage":   map[string]any{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}})
	fmt.Fprint(w, "data: [DONE]\n\n")
}

func readChat(body map[string]any) Conversation {
	c := Conversation{Tools: map[string]Tool{}, Shown: map[string]bool{}}
	for _, t := range list(body["tools"]) {
		function, _ := t["function"].(map[string]any)
		name := str(function, "name")
		c.Tools[name] = Tool{Name: name}
	}
	for _, m := range list(body["messages"]) {
		switch str(m, "role") {
		case "tool":
			c.answer(str(m, "tool_call_id"), asString(m["content"]), false)
		case "user":
			c.hearChat(m["content"])
		case "assistant":
			c.calls(list(m["tool_calls"]))
		default:
			c.Prompt += "\n" + asString(m["content"])
		}
	}
	c.show()
	return c
}

func (c *Conversation) hearChat(content any) {
	if s, ok := content.(string); ok {
		c.say(s)
	}
	for _, part := range list(content) {
		c.say(asString(part))
	}
}

// calls takes the calls of one message. One through the bridge counts as a call
// of the tool behind it.
func (c *Conversation) calls(calls []map[string]any) {
	for _, call := range calls {
		function, _ := call["function"].(map[string]any)
		turn := Turn{ID: str(call, "id"), Name: str(function, "name"), Args: object(str(function, "arguments"))}
		if turn.Name == bridge {
			turn.Name = str(turn.Args, "name")
			turn.Args, _ = turn.Args["arguments"].(map[string]any)
		}
		c.Turns = append(c.Turns, turn)
	}
}

// declared is how a search shows a tool that is not in the list.
var declared = lazyregexp.New(`<function>\{"name":"([^"]+)"`)

func (c *Conversation) show() {
	for _, turn := range c.Turns {
		for _, found := range declared.FindAllStringSubmatch(turn.Result, -1) {
			c.Shown[found[1]] = true
		}
	}
}
