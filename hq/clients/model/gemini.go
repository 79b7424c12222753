package model

import (
	"fmt"
	"net/http"
	"strings"
)

// gemini answers the API of Gemini models: generateContent, streaming or not, and
// countTokens.
func (s *Server) gemini(w http.ResponseWriter, r *http.Request) {
	body, ok := decode(w, r)
	if !ok {
		return
	}
	switch {
	case strings.HasSuffix(r.URL.Path, ":countTokens"):
		fmt.Fprint(w, `{"totalTokens":1}`)
		return
	case !strings.HasSuffix(r.URL.Path, ":streamGenerateContent"):
		fmt.Fprint(w, encode(geminiAnswer(Action{Text: "ok"})))
		return
	}
	newStream(w).send("", geminiAnswer(s.decide(readGemini(body))))
}

func geminiAnswer(a Action) map[string]any {
	part := map[string]any{"text": a.Text}
	if a.Tool.Name != "" {
		args := a.Args
		if args == nil {
			args = map[string]any{}
		}
		part = map[string]any{"functionCall": map[string]any{"name": a.Tool.Name, "args": args}}
	}
	return map[string]any{
		"candidates": []any{map[string]any{"index": 0, "finishReason": "STOP",
			"content": map[string]any{"role": "model", "parts": []any{part}}}},
		"usageMetadata": map[string]any{"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
	}
}

func readGemini(body map[string]any) Conversation {
	c := Conversation{Tools: map[string]Tool{}, Shown: map[string]bool{}}
	system, _ := body["systemInstruction"].(map[string]any)
	c.Prompt = asString(system["parts"])
	for _, t := range list(body["tools"]) {
		for _, f := range list(t["functionDeclarations"]) {
			c.Tools[str(f, "name")] = Tool{Name: str(f, "name")}
		}
	}
	for _, m := range list(body["contents"]) {
		for _, part := range list(m["parts"]) {
			c.hearGemini(str(m, "role"), part)
		}
	}
	return c
}

// hearGemini takes one part of a message. A result belongs to the first call of its
// name that has none: there need be no ids.
func (c *Conversation) hearGemini(role string, part map[string]any) {
	if called, ok := part["functionCall"].(map[string]any); ok {
		args, _ := called["args"].(map[string]any)
		c.Turns = append(c.Turns, Turn{ID: fmt.Sprint(len(c.Turns)), Name: str(called, "name"), Args: args})
		return
	}
	if result, ok := part["functionResponse"].(map[string]any); ok {
		for _, turn := range c.Turns {
			if !turn.Done && turn.Name == str(result, "name") {
				response, _ := result["response"].(map[string]any)
				c.answer(turn.ID, asString(response), response["error"] != nil)
				return
			}
		}
		return
	}
	if role == "user" {
		c.say(asString(part))
	}
}
