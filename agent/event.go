package agent

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ferrus/ui/text/lazyregexp"
)

// terminalCodes matches what a program tells the terminal before a line, as Claude Code does when it is interrupted.
var terminalCodes = lazyregexp.New(
	"^(\x1b\\[[0-?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(\x07|\x1b\\\\)|\x1b[ -/]*[0-Z\\^-~]|[\x00-\x1a])+")

// parseObject decodes a line as one JSON object. Other text is written as it is; broken
// JSON, or JSON of another kind, is only mentioned.
func parseObject(p *transcriptWriter, line []byte, into any) bool {
	line = bytes.TrimSpace(line)
	if start := terminalCodes.FindIndex(line); start != nil && bytes.HasPrefix(line[start[1]:], []byte("{")) {
		line = line[start[1]:]
	}
	if len(line) == 0 {
		return false
	}
	if line[0] != '{' {
		p.say("", string(line))
		return false
	}
	if !json.Valid(line) {
		p.say(faint, "(an unreadable event; it is in the log)")
		return false
	}
	_ = json.Unmarshal(line, into) // a field of another shape than expected stays empty
	return true
}

// resultText returns the text of a tool's result: a string, or the text parts of a
// list.
func resultText(raw json.RawMessage) string {
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

// toolStatus returns the status in the JSON result of a tool of ferrus.
func toolStatus(text string) string {
	var result struct{ Status string }
	if json.Unmarshal([]byte(text), &result) != nil {
		return ""
	}
	return result.Status
}

// unwrapMessage replaces JSON inside a text by its message: errors contain the
// response of a server.
func unwrapMessage(text string) string {
	if len(text) > maxSayBytes {
		text = text[:maxSayBytes]
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
		message := text[start:end]
		if decoder.Decode(&value) == nil {
			end = start + int(decoder.InputOffset())
			message = findMessage(value)
		}
		out.WriteString(text[:start] + message)
		text = text[end:]
	}
	return strings.TrimSpace(strings.TrimLeft(out.String()+text, ": "))
}

// findMessage returns the first message in a JSON value, at any depth.
func findMessage(value any) string {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range []string{"message", "text"} {
			if text, ok := v[key].(string); ok {
				return text
			}
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if text := findMessage(v[key]); text != "" {
				return text
			}
		}
	case []any:
		for _, element := range v {
			if text := findMessage(element); text != "" {
				return text
			}
		}
	}
	return ""
}

// errorText returns the text of an error: a string, or an object with a message.
func errorText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return unwrapMessage(text)
	}
	var object struct{ Message string }
	_ = json.Unmarshal(raw, &object) // of another shape: no words
	return unwrapMessage(object.Message)
}

// withStatus prefixes the reason of a failure with the HTTP status of the model's server,
// if there was one.
func withStatus(status int, why string) string {
	why = unwrapMessage(why)
	if code := strconv.Itoa(status); status != 0 && !strings.HasPrefix(why, code) {
		why = code + " " + why
	}
	return why
}

// statusIn returns the status of a server's answer in a text that has the answer as JSON; 0: there is none.
func statusIn(text string) int {
	start := strings.IndexByte(text, '{')
	if start < 0 {
		return 0
	}
	var value any
	part := text[start:min(len(text), start+maxSayBytes)]
	_ = json.NewDecoder(strings.NewReader(part)).Decode(&value) // another text has none
	return findStatus(value)
}

// findStatus returns the first status of an error in a JSON value, at any depth.
func findStatus(value any) int {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range []string{"code", "status", "statusCode"} {
			if code, ok := v[key].(float64); ok && code >= 400 && code < 600 {
				return int(code)
			}
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if code := findStatus(v[key]); code != 0 {
				return code
			}
		}
	case []any:
		for _, one := range v {
			if code := findStatus(one); code != 0 {
				return code
			}
		}
	}
	return 0
}

// callSubject returns what a call is about, from its arguments. Those of ferrus's own tools
// are long and shown elsewhere.
func callSubject(name string, input json.RawMessage) string {
	if strings.HasPrefix(name, "mcp__ferrus__") {
		return ""
	}
	var arguments map[string]any
	_ = json.Unmarshal(input, &arguments) // of another shape: nothing to pick
	for _, key := range []string{"command", "file_path", "absolute_path", "notebook_path", "path", "pattern", "query",
		"url", "description"} {
		if text, ok := arguments[key].(string); ok && text != "" {
			return text
		}
	}
	return ""
}
