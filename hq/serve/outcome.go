package serve

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ferrus/hq/core"
	"ferrus/ui/text"
)

// outcome is what a tool answers: base is part of full, which is what is sent.
type outcome struct {
	base *core.Result
	full any
	text string // instead of the JSON of full, for clients that show text
}

// result returns the outcome that is a command's result and nothing more. An error ends
// the call; the result beside it does not count.
func result(r core.Result, err error) (*outcome, error) {
	if err != nil {
		return nil, err
	}
	return &outcome{base: &r, full: &r}, nil
}

// callResult returns a result in both forms: structured, and as text for clients that
// show nothing else: first one sentence, then everything.
func callResult(refused bool, words string, structured any, page string) (*mcp.CallToolResult, error) {
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(structured); err != nil {
		return nil, fmt.Errorf("encode the result: %w", err)
	}
	raw := []byte(text.Escape(strings.TrimSpace(data.String())))
	return &mcp.CallToolResult{
		IsError:           refused,
		StructuredContent: json.RawMessage(raw),
		Content: []mcp.Content{&mcp.TextContent{Text: words},
			&mcp.TextContent{Text: cmp.Or(page, string(raw))}},
	}, nil
}
