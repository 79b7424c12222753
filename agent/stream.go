package agent

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// streamRenderer renders the format that several clients call stream-json: first a system
// event, then messages of the assistant with text and tool calls, messages of the user with
// their results, and one result at the end.
type streamRenderer struct {
	transcriptWriter
	sessionFailure
	last  string // the last message; the result repeats it
	final string // the result
	used  Usage  // of the result
	seen  seenUsage
}

func newStreamRenderer(a limitPatterns) Renderer {
	return &streamRenderer{sessionFailure: sessionFailure{patterns: a}}
}

type streamEvent struct {
	Type, Subtype string
	SessionID     string `json:"session_id"`
	Model         string
	Servers       []struct{ Name, Status string } `json:"mcp_servers"`
	Message       json.RawMessage
	Error         json.RawMessage
	streamRetry
	streamResult
	RateLimit struct {
		Status   string
		ResetsAt int64 // seconds since 1970
	} `json:"rate_limit_info"`
}

// streamRetry reports that the model's server did not answer.
type streamRetry struct {
	Attempt     int
	MaxRetries  int     `json:"max_retries"`
	RetryDelay  float64 `json:"retry_delay_ms"`
	ErrorStatus int     `json:"error_status"`
}

type streamResult struct {
	IsError  bool `json:"is_error"`
	APIError int  `json:"api_error_status"`
	Result   string
	Errors   []string
	Duration float64  `json:"duration_ms"`
	Turns    int      `json:"num_turns"`
	Cost     *float64 `json:"total_cost_usd"`
	Denials  []struct {
		Tool string `json:"tool_name"`
	} `json:"permission_denials"`
	Usage *streamUsage
}

// streamUsage is the usage of a message, and in a result of the session.
type streamUsage struct {
	In      int `json:"input_tokens"`
	Created int `json:"cache_creation_input_tokens"`
	Read    int `json:"cache_read_input_tokens"`
	Out     int `json:"output_tokens"`
	Total   int `json:"total_tokens"`
}

type streamPart struct {
	Type, Text, Thinking string
	ID, Name             string
	Input                json.RawMessage
	ToolUse              string `json:"tool_use_id"`
	Content              json.RawMessage
	IsError              bool `json:"is_error"`
}

func (s *streamRenderer) Render(line []byte) []byte {
	var e streamEvent
	if parseObject(&s.transcriptWriter, line, &e) {
		s.event(e)
	}
	return s.flush()
}

func (s *streamRenderer) Close() []byte { return s.close() }

func (s *streamRenderer) event(e streamEvent) {
	switch e.Type {
	case "system":
		s.system(e)
	case "assistant", "user":
		s.showMessage(e)
	case "result":
		s.result(e)
	case "rate_limit_event":
		if s.reset = (time.Time{}); e.RateLimit.Status == "rejected" {
			s.reset = time.Unix(e.RateLimit.ResetsAt, 0)
		}
	default:
		s.say(red, errorText(e.Error))
	}
}

func (s *streamRenderer) system(e streamEvent) {
	switch e.Subtype {
	case "init", "session_start":
		s.busy = true
		s.say(faint, strings.TrimRight("session "+e.SessionID+"  "+e.Model, " "))
		for _, server := range e.Servers {
			if server.Status == "failed" || server.Status == "disconnected" {
				s.say(red, "the MCP server "+server.Name+" did not start")
			}
		}
	case "api_retry":
		why := errorText(e.Error)
		if e.ErrorStatus != 0 {
			why = strings.TrimSpace(fmt.Sprint(e.ErrorStatus, " ", why))
		}
		s.say(yellow,
			fmt.Sprintf(retrying+" (%s): try %d of %d in %.1f s", why, e.Attempt, e.MaxRetries, e.RetryDelay/1000))
	default:
		s.say(red, errorText(e.Error))
	}
}

// showMessage handles messages and calls of the assistant, and results, which come in the user's
// name.
func (s *streamRenderer) showMessage(e streamEvent) {
	s.busy = true
	var m struct {
		ID      string
		Usage   *streamUsage
		Content json.RawMessage
	}
	_ = json.Unmarshal(e.Message, &m) // without content there is nothing to show
	s.seen.note(m.ID, m.Usage)
	var parts []streamPart
	if json.Unmarshal(m.Content, &parts) != nil {
		parts = []streamPart{{Type: "text", Text: resultText(m.Content)}}
	}
	for _, part := range parts {
		switch part.Type {
		case "text":
			s.sayText(e.Type, part.Text)
		case "thinking":
			s.say(faint, oneLine(part.Thinking, maxDetailCells))
		case "tool_use":
			s.startCall(s.call(part))
		case "tool_result":
			s.outcome(part)
		}
	}
}

func (s *streamRenderer) sayText(from, text string) {
	if from == "user" {
		s.say(faint, oneLine(text, maxDetailCells))
		return
	}
	s.last = text
	color := ""
	if strings.HasPrefix(strings.TrimLeft(text, "["), "API Error") {
		color, text = red, unwrapMessage(text)
	}
	s.say(color, text)
}

// call returns the call of a part, even through a tool that calls others.
func (s *streamRenderer) call(part streamPart) call {
	var through struct {
		Name      string
		Arguments json.RawMessage
	}
	if part.Name == "tool_call" && json.Unmarshal(part.Input, &through) == nil && through.Name != "" {
		part.Name, part.Input = through.Name, through.Arguments
	}
	return call{part.ID, part.Name, callSubject(part.Name, part.Input)}
}

func (s *streamRenderer) outcome(part streamPart) {
	text := resultText(part.Content)
	c := call{id: part.ToolUse, name: "tool"}
	if !part.IsError {
		s.endCall(c, "", toolStatus(text))
		return
	}
	text = strings.NewReplacer("<tool_use_error>", "", "</tool_use_error>", "").Replace(text)
	text = cmp.Or(text, "no reason given")
	s.endCall(c, text, "")
	_, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	s.tail(rest)
}

func (s *streamRenderer) result(e streamEvent) {
	s.busy, s.final, s.message = false, e.Result, ""
	for len(s.calls) > 0 {
		s.endCall(s.calls[0], "no outcome", "")
	}
	if e.IsError {
		s.wrong(e)
	} else if strings.TrimSpace(e.Result) != strings.TrimSpace(s.last) {
		s.say("", e.Result)
	}
	var refused []string
	for _, denial := range e.Denials {
		refused = append(refused, denial.Tool)
	}
	if len(refused) > 0 {
		s.say(yellow, "refused: it lacks the permission: "+strings.Join(refused, ", "))
	}
	used := e.usage()
	if used.Known || used.Priced {
		s.used = used
	}
	if totals := e.totals(used); totals != "" {
		s.say(faint, totals)
	}
}

// wrong records why a session failed. A subtype of success does not mean success.
func (s *streamRenderer) wrong(e streamEvent) {
	why := append([]string{e.Result, errorText(e.Error)}, e.Errors...)
	text := strings.TrimSpace(strings.Join(why, "\n"))
	if text == "" {
		text = strings.ReplaceAll(e.Subtype, "_", " ")
	}
	s.message = unwrapMessage(text)
	s.say(red, "the session failed: "+s.message)
	switch e.APIError {
	case 0:
	case 401:
		s.say(yellow, "the model's server answered 401: the client is not logged in, or its key is not accepted")
	case 403:
		s.say(yellow, "the model's server answered 403: the account lacks the permission")
	case 429:
		s.say(yellow, "the model's server answered 429: too many requests, or the quota is used up")
	default:
		s.say(yellow, fmt.Sprintf("the model's server answered %d", e.APIError))
	}
}

// totals says what the session used, as far as that is known.
func (r streamResult) totals(used Usage) string {
	var words []string
	if used.Known {
		words = append(words, formatTokens(used.Input, used.Cached, used.Output))
	}
	if r.Turns > 0 {
		words = append(words, fmt.Sprintf("turns: %d", r.Turns))
	}
	if r.Duration > 0 {
		took := time.Duration(r.Duration * float64(time.Millisecond))
		words = append(words, took.Round(100*time.Millisecond).String())
	}
	if used.Cost > 0 {
		words = append(words, fmt.Sprintf("$%.4f", used.Cost))
	}
	return strings.Join(words, ", ")
}
