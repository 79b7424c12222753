package agent

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// object reads a line as one JSON object. A line that is none is written as it
// is, one that is broken or of another kind of JSON is only mentioned.
func object(p *transcriptWriter, line []byte, into any) bool {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return false
	}
	if line[0] != '{' {
		p.say("", string(line))
		return false
	}
	if !json.Valid(line) {
		p.say(faint, "(an event that cannot be read; it is in the log)")
		return false
	}
	_ = json.Unmarshal(line, into) // a field of another shape than expected stays empty
	return true
}

// content is the text of a tool's result: a string, or parts of which some are
// text.
func content(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts []struct{ Text string }
	_ = json.Unmarshal(raw, &parts) // of another shape: nothing to show
	var all []string
	for _, part := range parts {
		if part.Text != "" {
			all = append(all, part.Text)
		}
	}
	return strings.Join(all, "\n")
}

// status is what a tool of ferrus says of itself, in a result that is JSON.
func status(text string) string {
	var result struct{ Status string }
	if json.Unmarshal([]byte(text), &result) != nil {
		return ""
	}
	return result.Status
}

// worded puts the message of JSON that a text holds in its place: errors carry
// what a server answered.
func worded(text string) string {
	if len(text) > longText {
		text = text[:longText]
	}
	var out strings.Builder
	for range 16 { // a text of brackets is not worth more
		start := strings.IndexAny(text, "{[")
		if start < 0 {
			break
		}
		var value any
		decoder := json.NewDecoder(strings.NewReader(text[start:]))
		end := start + 1
		said := text[start:end]
		if decoder.Decode(&value) == nil {
			end = start + int(decoder.InputOffset())
			said = message(value)
		}
		out.WriteString(text[:start] + said)
		text = text[end:]
	}
	return strings.TrimSpace(strings.TrimLeft(out.String()+text, ": "))
}

// message is the first text under a name for it, at the top or further down.
func message(value any) string {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range []string{"message", "text"} {
			if text, ok := v[key].(string); ok {
				return text
			}
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if text := message(v[key]); text != "" {
				return text
			}
		}
	case []any:
		for _, element := range v {
			if text := message(element); text != "" {
				return text
			}
		}
	}
	return ""
}

// failure is an error of an event: a string, or an object with a message.
func failure(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return worded(text)
	}
	var object struct{ Message string }
	_ = json.Unmarshal(raw, &object) // of another shape: no words
	return worded(object.Message)
}

// coded puts the status of the model's server, if there was one, before why a
// session failed.
func coded(status int, why string) string {
	why = worded(why)
	if code := strconv.Itoa(status); status != 0 && !strings.HasPrefix(why, code) {
		why = code + " " + why
	}
	return why
}

// about picks what a call is about from its arguments. What ferrus is told is
// long and shown elsewhere.
func about(name string, input json.RawMessage) string {
	if strings.HasPrefix(name, "mcp__ferrus__") {
		return ""
	}
	var arguments map[string]any
	_ = json.Unmarshal(input, &arguments) // of another shape: nothing to pick
	for _, key := range []string{"command", "file_path", "absolute_path", "notebook_path", "path", "pattern", "query", "url", "description"} {
		if text, ok := arguments[key].(string); ok && text != "" {
			return text
		}
	}
	return ""
}
