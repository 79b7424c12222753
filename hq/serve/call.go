package serve

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/store"
)

// textLimit bounds one argument; what is longer belongs into a file.
const textLimit = 4 << 20

// call is one use of a tool.
type call struct {
	context.Context
	tool      tool
	arguments map[string]string
	value     any // the arguments, where the tool has a struct of them
	by        core.Actor
	id        store.Call
	tell      func(message string) // shows progress to the client, if it wants any
}

// outcome is what a tool answers: base is part of full, which is what is sent.
type outcome struct {
	base *core.Result
	full any
	text string // instead of the JSON of full, for who reads text
}

func result(r core.Result) *outcome { return &outcome{base: &r, full: &r} }

// command is a tool that is a command of the table and nothing more.
func command(kind machine.Kind, text string) func(*server, *call) (*outcome, error) {
	return func(s *server, c *call) (*outcome, error) {
		r, err := s.do(c, core.Command{Kind: kind, Text: c.arguments[text]})
		if err != nil {
			return nil, err
		}
		return result(r), nil
	}
}

// do gives a command in the name of the caller.
func (s *server) do(c *call, command core.Command) (core.Result, error) {
	command.By = c.by
	return s.project.Do(c, c.id, command)
}

// recovering turns a fault in a handler into an error of that one call.
func (s *server) recovering(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (result mcp.Result, err error) {
		defer func() {
			if fault := recover(); fault != nil {
				s.log.Error("fault", "method", method, "fault", fault, "stack", string(debug.Stack()))
				result, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError,
					Message: fmt.Sprintf("a fault in ferrus: %v", fault)}
			}
		}()
		return next(ctx, method, request)
	}
}

func (s *server) handler(t tool) mcp.ToolHandler {
	return func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		end := s.presence.startCall(t.name)
		var seq uint64
		defer func() { end(seq) }()
		out, err := s.use(ctx, t, request)
		if ctx.Err() != nil {
			return nil, ctx.Err() // The client has cancelled the call.
		}
		if err != nil {
			return s.refused(t.name, err)
		}
		seq = out.base.Seq
		return s.answered(t, out)
	}
}

func (s *server) use(ctx context.Context, t tool, request *mcp.CallToolRequest) (*outcome, error) {
	arguments, value, err := t.given(request.Params.Arguments)
	if err != nil {
		return nil, err
	}
	by, err := s.actor()
	if err != nil {
		return nil, err
	}
	if err := s.outsider(t, by); err != nil {
		return nil, err
	}
	c := &call{Context: ctx, tool: t, arguments: arguments, value: value, by: by, id: s.call(requestName(request)),
		tell: progressFunc(ctx, request)}
	if t.once {
		c.id.Key = key(c.id.Session, t.name, arguments)
	}
	out, err := t.run(s, c)
	if err == nil {
		s.handOver(out.base)
	}
	return out, err
}

// requestName is the id that the client gave the request.
func requestName(request *mcp.CallToolRequest) string {
	if request.Extra == nil {
		return ""
	}
	return request.Extra.Header.Get(requestID)
}

// key is the same for calls that ask the same.
func key(session, tool string, arguments map[string]string) string {
	data, _ := json.Marshal(arguments) // Strings always can be; keys come sorted.
	sum := sha256.Sum256(append([]byte(session+" "+tool+" "), data...))
	return session + " " + tool + " " + hex.EncodeToString(sum[:16])
}

// given reads the arguments, as the tool takes them.
func (t tool) given(data json.RawMessage) (map[string]string, any, error) {
	if t.accepts != nil {
		value, arguments, err := t.bindTyped(data)
		return arguments, value, err
	}
	arguments, err := t.bind(data)
	return arguments, nil, err
}

// bind reads arguments by name. All are strings; a number is taken for its digits.
func (t tool) bind(data json.RawMessage) (map[string]string, error) {
	given := map[string]any{}
	if len(bytes.TrimSpace(data)) > 0 {
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.UseNumber()
		if err := decoder.Decode(&given); err != nil {
			return nil, t.misuse("the arguments are not a JSON object", "an object with the parameters by name")
		}
	}
	arguments := map[string]string{}
	for _, p := range t.params {
		value, ok := given[p.name]
		delete(given, p.name)
		switch value := value.(type) {
		case string:
			if len(value) > textLimit {
				return nil, t.misuse(fmt.Sprintf("%s is longer than 4 MiB", p.name),
					"a shorter text; put what is long into a file")
			}
			arguments[p.name] = value
		case json.Number:
			arguments[p.name] = value.String()
		case nil:
			if !p.optional {
				return nil, t.misuse(fmt.Sprintf("the argument %s is missing", p.name), p.name+": "+p.about)
			}
		default:
			if ok {
				return nil, t.misuse(fmt.Sprintf("the argument %s is not a string", p.name), p.name+": "+p.about)
			}
		}
	}
	for name := range given {
		return nil, t.misuse(fmt.Sprintf("there is no argument %q", name), t.usage())
	}
	return arguments, nil
}

func (t tool) usage() string {
	if len(t.params) == 0 {
		return "no arguments"
	}
	words := "only"
	for _, p := range t.params {
		words += " " + p.name
	}
	return words
}

func (s *server) answered(t tool, out *outcome) (*mcp.CallToolResult, error) {
	return callResult(false, sentence(t.name, out.base), out.full, out.text)
}

// callResult is a result in both forms: structured, and as text for clients that show
// nothing else: first one sentence, then everything.
func callResult(refused bool, words string, structured any, text string) (*mcp.CallToolResult, error) {
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(structured); err != nil {
		return nil, fmt.Errorf("encode the result: %w", err)
	}
	raw := bytes.TrimSpace(data.Bytes())
	return &mcp.CallToolResult{
		IsError:           refused,
		StructuredContent: json.RawMessage(raw),
		Content: []mcp.Content{&mcp.TextContent{Text: words},
			&mcp.TextContent{Text: cmp.Or(text, string(raw))}},
	}, nil
}

// progressFunc sends progress notifications, if the client gave a token for them.
func progressFunc(ctx context.Context, request *mcp.CallToolRequest) func(string) {
	token := request.Params.GetProgressToken()
	if token == nil {
		return func(string) {}
	}
	var step float64
	return func(message string) {
		step++
		// A client that cannot be told any more will end the call itself.
		_ = request.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: step,
			Message: message})
	}
}

// handOver tells the caller what HQ left for this session, if anything.
func (s *server) handOver(r *core.Result) {
	h, ok, err := s.project.TakeDirective(s.who.session)
	if err != nil {
		s.log.Warn("handover", "error", err)
	}
	if !ok || err != nil {
		return
	}
	r.Message = h.Text
	switch h.Kind {
	case project.DirectivePark:
		r.Next = parked
	case project.DirectiveEnd:
		r.Next = ended
	}
}
