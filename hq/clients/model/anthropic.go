package model

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// messages answers the Anthropic Messages API, streaming.
func (s *Server) messages(w http.ResponseWriter, r *http.Request) {
	body, ok := decode(w, r)
	if !ok {
		return
	}
	c := readMessages(body)
	action := s.decide(c)
	out := newStream(w)
	usage := map[string]any{"input_tokens": 10, "output_tokens": 5}
	id := fmt.Sprintf("msg_%d", c.number())
	out.send("message_start", map[string]any{"message": map[string]any{
		"id": id, "type": "message", "role": "assistant", "model": str(body, "model"),
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": usage,
	}})
	block, delta, stop := anthropicBlock(id, action)
	out.send("content_block_start", map[string]any{"index": 0, "content_block": block})
	out.send("content_block_delta", map[string]any{"index": 0, "delta": delta})
	out.send("content_block_stop", map[string]any{"index": 0})
	out.send("message_delta", map[string]any{"delta": map[string]any{"stop_reason": stop, "stop_sequence": nil},
		"usage": usage})
	out.send("message_stop", map[string]any{})
}

func anthropicBlock(id string, a Action) (block, delta map[string]any, stop string) {
	if a.Tool.Name == "" {
		return map[string]any{"type": "text", "text": ""}, map[string]any{"type": "text_delta",
			"text": a.Text}, "end_turn"
	}
	block = map[string]any{"type": "tool_use", "id": "toolu_" + id, "name": a.Tool.Name, "input": map[string]any{}}
	return block, map[string]any{"type": "input_json_delta", "partial_json": encode(a.Args)}, "tool_use"
}

func readMessages(body map[string]any) Conversation {
	c := Conversation{Prompt: asString(body["system"]), Tools: map[string]Tool{}, Hidden: map[string]bool{}}
	for _, m := range list(body["messages"]) {
		user := str(m, "role") == "user"
		if s, ok := m["content"].(string); ok {
			c.hear(user, s)
		}
		for _, part := range list(m["content"]) {
			c.addPart(user, part)
		}
	}
	for _, t := range list(body["tools"]) {
		name := str(t, "name")
		if deferred, _ := t["defer_loading"].(bool); deferred && !c.referenced(name) {
			c.Hidden[name] = true
			continue
		}
		c.Tools[name] = Tool{Name: name}
	}
	return c
}

// hear takes a text of the user's, or leaves out what the model said itself.
func (c *Conversation) hear(user bool, text string) {
	if user {
		c.say(text)
	}
}

func (c *Conversation) addPart(user bool, part map[string]any) {
	switch str(part, "type") {
	case "text":
		c.hear(user, str(part, "text"))
	case "tool_use":
		args, _ := part["input"].(map[string]any)
		c.Turns = append(c.Turns, Turn{ID: str(part, "id"), Name: str(part, "name"), Args: args})
	case "tool_result":
		failed, _ := part["is_error"].(bool)
		c.answer(str(part, "tool_use_id"), asString(part["content"]), failed)
	}
}

// referenced reports whether a search's result brought a deferred tool in.
func (c *Conversation) referenced(name string) bool {
	for _, turn := range c.Turns {
		if turn.Name == "ToolSearch" && slices.Contains(strings.Fields(turn.Result), name) {
			return true
		}
	}
	return false
}
