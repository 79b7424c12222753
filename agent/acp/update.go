package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"sync"
)

// handle returns what handles the messages of the agent. Updates are handled at once, in their
// order; a request may wait, until ctx ends.
func (s *session) handle(ctx context.Context) func(*conn, message) {
	t := &turn{session: s, titles: map[string]string{}, shown: map[string]bool{}}
	asking := make(chan struct{}, maxQueued)
	return func(c *conn, m message) {
		switch {
		case m.Method == "session/update":
			var n SessionNotification
			if json.Unmarshal(m.Params, &n) != nil {
				s.note("(an update that cannot be read)")
			} else if !s.loads.Load() {
				t.update(n.Update)
			}
		case m.Method == "session/request_permission" && len(m.ID) > 0:
			var r RequestPermissionRequest
			if err := json.Unmarshal(m.Params, &r); err != nil {
				c.send(message{ID: m.ID, Error: &Error{Code: codeBadParams, Message: err.Error()}})
				return
			}
			t.diffs(r.ToolCall)
			title := t.asked(r)
			asking <- struct{}{}
			go func() { s.permission(ctx, c, m.ID, r, title); <-asking }()
		case len(m.ID) > 0:
			text := "ferrus has no method " + clip(m.Method, maxStep)
			c.send(message{ID: m.ID, Error: &Error{Code: codeNoMethod, Message: text}})
		}
	}
}

// turn records what was shown of a turn. Only the goroutine that reads the connection
// uses it.
type turn struct {
	*session
	titles map[string]string // of calls, by their id
	shown  map[string]bool   // diffs
	plan   []PlanEntry
}

// maxCalls bounds what is remembered of calls.
const maxCalls = 10_000

func (t *turn) update(u sessionUpdate) {
	switch u.SessionUpdate {
	case "agent_message_chunk":
		t.stream(KindText, blockText(u.Content))
		if u.Meta.Usage != nil {
			t.request(*u.Meta.Usage)
		}
	case "agent_thought_chunk":
		t.stream(KindThought, blockText(u.Content))
	case "tool_call":
		t.refused.clear()
		if _, shown := t.titles[u.ToolCallID]; !shown {
			t.call(u.ToolCallUpdate)
		}
		t.progress(u.ToolCallUpdate)
	case "tool_call_update":
		if t.titles[u.ToolCallID] == "" && u.Title != "" {
			t.call(u.ToolCallUpdate)
		}
		t.progress(u.ToolCallUpdate)
	case "plan":
		if !slices.Equal(u.Entries, t.plan) {
			t.plan = u.Entries
			t.emit(Event{Kind: KindPlan, Plan: slices.Clone(u.Entries)})
		}
	case "usage_update":
		if u.Cost != nil && u.Cost.Currency == "USD" && u.Cost.Amount >= 0 && u.Cost.Amount < math.MaxInt32 {
			t.cost(u.Cost.Amount)
		}
	}
}

// call shows the beginning of a call.
func (t *turn) call(c ToolCallUpdate) {
	if len(t.titles) >= maxCalls {
		clear(t.titles)
	}
	t.titles[c.ToolCallID] = c.Title
	t.emit(Event{Kind: KindCall, ID: c.ToolCallID, Title: c.Title, Text: c.subject().Text})
}

// asked shows a call that begins with its request for permission, and returns its title.
func (t *turn) asked(r RequestPermissionRequest) string {
	c := r.ToolCall
	if strings.HasPrefix(c.Title, "{") { // only the arguments
		c.Title = strings.TrimSpace(r.toolName() + " " + c.Title)
	}
	if _, shown := t.titles[c.ToolCallID]; !shown && c.Title != "" {
		t.call(c)
	}
	return t.title(c)
}

// title returns the title of a call that a message may leave out.
func (t *turn) title(c ToolCallUpdate) string {
	c.Title = cmp.Or(c.Title, t.titles[c.ToolCallID])
	return c.Title
}

// progress shows the diffs of a call, and its end.
func (t *turn) progress(c ToolCallUpdate) {
	t.diffs(c)
	if c.Status == "completed" || c.Status == "failed" {
		t.emit(Event{Kind: KindResult, ID: c.ToolCallID, Title: t.title(c), Status: c.Status, Text: c.output()})
		delete(t.titles, c.ToolCallID)
	}
}

// diffs shows each diff of a call once.
func (t *turn) diffs(c ToolCallUpdate) {
	for _, part := range c.parts() {
		key := c.ToolCallID + "\x00" + part.Path
		if part.Type != "diff" || t.shown[key] {
			continue
		}
		if len(t.shown) >= maxCalls {
			clear(t.shown)
		}
		t.shown[key] = true
		if text := diff(part.OldText, part.NewText); text != "" {
			t.emit(Event{Kind: KindDiff, ID: c.ToolCallID, Title: part.Path, Text: text})
		}
	}
}

// request reports what one request of the turn used.
func (s *session) request(u usage) { s.used(u, func(now, more Usage) Usage { return now.plus(more) }) }

// turnUsed reports the total usage of the turn: at least the sum of its requests. Some agents report
// only the last request.
func (s *session) turnUsed(u usage) {
	s.used(u, func(now, all Usage) Usage {
		if s.Cumulative {
			past := s.spent.past
			all = all.plus(Usage{Input: -past.Input, Cached: -past.Cached, Output: -past.Output})
		}
		return Usage{Input: max(now.Input, all.Input), Cached: max(now.Cached, all.Cached),
			Output: max(now.Output, all.Output)}
	})
}

// used reports what was used, once a report is joined with what is known of the turn.
func (s *session) used(u usage, join func(now, report Usage) Usage) {
	if u == (usage{}) {
		return
	}
	all := s.spent.note(Usage{
		Input: u.InputTokens, Cached: max(u.CachedReadTokens, u.CachedTokens), Output: u.OutputTokens,
	}, join)
	s.emit(Event{Kind: KindUsage, Usage: &all})
}

// plus returns the sum of two usages.
func (u Usage) plus(other Usage) Usage {
	return Usage{Input: u.Input + other.Input, Cached: u.Cached + other.Cached, Output: u.Output + other.Output}
}

// spending is what the turns of a session used.
type spending struct {
	mu        sync.Mutex // guards the rest
	past, now Usage      // of the turns before, and of this one
}

// note joins a report with what the turn has used so far, and returns the sum of all.
func (s *spending) note(report Usage, join func(now, report Usage) Usage) Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = join(s.now, report)
	return s.past.plus(s.now)
}

func (s *spending) endTurn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.past, s.now = s.past.plus(s.now), Usage{}
}

// cost reports what the conversation has cost.
func (s *session) cost(amount float64) {
	s.emit(Event{Kind: KindUsage, Usage: &Usage{Cost: &amount}})
}

// blockText returns the text of a block of content.
func blockText(raw json.RawMessage) string {
	var block ContentBlock
	_ = json.Unmarshal(raw, &block) // another kind has no text
	return block.Text
}

// parts returns the content of a call.
func (c ToolCallUpdate) parts() (parts []toolCallContent) {
	_ = json.Unmarshal(c.Content, &parts) // of another shape: nothing to show
	return parts
}

// output returns what came back from a call.
func (c ToolCallUpdate) output() string {
	var all []string
	for _, part := range c.parts() {
		if part.Type == "content" && part.Content.Text != "" {
			all = append(all, part.Content.Text)
		}
	}
	return strings.Join(all, "\n")
}

// Subject is what a call is about: a command, a file or an address.
type Subject struct {
	Text    string // as long as it is; empty: the call names none
	Path    bool   // it names a file
	Pattern bool   // it is a pattern of files or of their text
}

// subject returns what a call is about.
func (c ToolCallUpdate) subject() Subject {
	var input map[string]any
	_ = json.Unmarshal(c.RawInput, &input) // of another shape: nothing to pick
	for _, key := range []string{"command", "file_path", "filePath", "filepath", "absolute_path", "path", "url",
		"pattern", "query"} {
		text, ok := input[key].(string)
		if !ok || strings.TrimSpace(text) == "" {
			continue
		}
		switch key {
		case "command", "url", "query":
			return Subject{Text: text}
		case "pattern":
			return Subject{Text: text, Pattern: true}
		}
		return Subject{Text: text, Path: true}
	}
	if len(c.Locations) > 0 {
		return Subject{Text: c.Locations[0].Path, Path: true}
	}
	return Subject{}
}
