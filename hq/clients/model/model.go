// Package model is a model server that needs no account: it speaks the wire formats of the
// vendors' APIs on loopback and plays a script instead of a language model. ferrus doctor
// --agents and tests try the vendors' clients with it.
//
// It uses only what a real model would know, and remembers nothing between two
// requests: the tools come from the request, the role from the prompt's text, and
// the task, file names and notes from tool results. If something that a model would
// need is missing, the script says so and ends its turn, and [Server.Complaints]
// has the sentence.
package model

import (
	"encoding/json"
	"strings"

	"ferrus/ui/text/lazyregexp"
)

// Conversation is one request in the terms that every wire format shares.
type Conversation struct {
	Prompt string          // what the user and the system said, joined
	User   []string        // what the user said, in order, without the client's reminders
	Before []string        // what the user had said before a session of ferrus continued it
	Tools  map[string]Tool // what may be called now, by the name the model would call
	Hidden map[string]bool // deferred tools that may be searched for
	Shown  map[string]bool // tools that a search has shown and only a bridge can call
	Turns  []Turn          // tool calls in order, with their results

	earlier int // turns before that
}

// number counts the answers: no two of a conversation have one, also where sessions of ferrus continue it.
func (c Conversation) number() int { return c.earlier + len(c.Turns) + 1 }

// Kind is how a tool is called on the wire.
type Kind string

// The kinds of tools; a function's kind is empty.
const (
	Searching Kind = "tool_search" // an item of its own in the Responses format
	Code      Kind = "custom"      // its input is a program, not arguments
)

// Tool is a tool that may be called now. Namespace is of the Responses format.
type Tool struct {
	Namespace, Name string
	Kind            Kind
}

// Turn is one tool call with what came back. A call through a bridge or from a
// program has the name and the arguments of what it called.
type Turn struct {
	ID, Name string
	Args     map[string]any
	Result   string
	Cell     string // of a program that still runs
	Done     bool   // a result came
	Failed   bool
}

// Action is what the script does next: a tool call, or words that end the turn.
type Action struct {
	Tool    Tool
	Args    map[string]any
	Program string // of a tool of kind Code, instead of Args
	Text    string
}

// dated is what a client puts before the user's own words.
var dated = lazyregexp.New(`^<current_datetime>[^<]*</current_datetime>`)

// say takes a text of the user's.
func (c *Conversation) say(text string) {
	if ours(text) && strings.Contains(text, "You are the ") { // a session of ferrus that continues another
		c.Before, c.earlier = append(c.Before, c.User...), c.earlier+len(c.Turns)
		c.Prompt, c.User, c.Turns = "", nil, nil
	}
	c.Prompt += "\n" + text
	if t := strings.TrimSpace(dated.ReplaceAllString(text, "")); t != "" && !strings.HasPrefix(t, "<") &&
		t != "Tool loaded." {
		c.User = append(c.User, t)
	}
}

// answer puts a result to its call.
func (c *Conversation) answer(id, result string, failed bool) {
	for i := range c.Turns {
		if c.Turns[i].ID == id {
			c.Turns[i].Result, c.Turns[i].Done, c.Turns[i].Failed = result, true, failed
		}
	}
}

// fields decodes the JSON object in a tool's result; clients wrap it in words,
// so the first brace that starts a valid object counts.
func (t Turn) fields() map[string]any {
	for i := strings.IndexByte(t.Result, '{'); i >= 0; {
		var m map[string]any
		if json.NewDecoder(strings.NewReader(t.Result[i:])).Decode(&m) == nil {
			return m
		}
		next := strings.IndexByte(t.Result[i+1:], '{')
		if next < 0 {
			break
		}
		i += next + 1
	}
	return nil
}

func (t Turn) field(name string) string {
	s, _ := t.fields()[name].(string)
	return s
}

// asString flattens the shapes in which the formats carry text.
func asString(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var parts []string
		for _, item := range v {
			parts = append(parts, asString(item))
		}
		return strings.Join(parts, "\n")
	case map[string]any:
		for _, key := range []string{"text", "content", "output", "tool_name"} {
			if s, ok := v[key]; ok {
				return asString(s)
			}
		}
	}
	return ""
}
