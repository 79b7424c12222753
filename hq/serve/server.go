package serve

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ferrus/hq/core"
	"ferrus/hq/serve/stdio"
	"ferrus/machine"
)

// server answers what one connection asks.
type server struct {
	*conn
	presence *presence
	version  string
	asks     Asks
}

// mcp returns the server with everything this session may use.
func (s *server) mcp() *mcp.Server {
	m := mcp.NewServer(&mcp.Implementation{Name: "ferrus", Title: "ferrus", Version: cmp.Or(s.version, "dev")},
		&mcp.ServerOptions{
			Instructions: instructions(s.who.role) + s.heartbeats(),
			Logger:       s.log,
			Capabilities: &mcp.ServerCapabilities{
				Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{},
				Prompts: &mcp.PromptCapabilities{},
			},
		})
	m.AddReceivingMiddleware(s.recovering)
	for _, t := range offeredTools(s.conn) {
		m.AddTool(t.describe(), s.answer(t))
	}
	if s.asks != AsksNothing {
		m.AddTool(describePermission(), s.permission)
	}
	addResources(m, s.conn)
	addPrompts(m, s.conn)
	return m
}

func instructions(role machine.Role) string {
	if role == machine.Executor {
		return "ferrus drives this work. Call wait_for_task first; every result names the next tool in `next`. " +
			"Only the check tool proves the work. When the work is done, call submit, then stop."
	}
	return "ferrus drives this work. Every result names the next tool in `next`. " +
		"Claim work that waits for review with wait_for_review."
}

// heartbeats says how often a holder of the lease shows that it works.
func (s *server) heartbeats() string {
	config, err := s.project.Config()
	if err != nil {
		return "" // the first call says what is wrong
	}
	return fmt.Sprintf(" While you hold work and call no other ferrus tool, call heartbeat every %d seconds.",
		config.Lease.HeartbeatIntervalSecs)
}

// recovering turns a panic in a handler into an error of that one call.
func (s *server) recovering(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (result mcp.Result, err error) {
		defer func() {
			if fault := recover(); fault != nil {
				s.log.Error("fault", "method", method, "fault", fault, "stack", string(debug.Stack()))
				result, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError,
					Message: fmt.Sprintf("a fault in ferrus: %v", fault)}
			}
		}()
		if s.asks != AsksNothing && isForAgent(method, request) {
			s.presence.announce()
		}
		result, err = next(ctx, method, request)
		if read, is := result.(*mcp.ReadResourceResult); is && err == nil {
			return withTexts{read}, nil
		}
		return result, err
	}
}

// isForAgent reports whether a request shows that an agent uses this connection. Over one that only
// asks for permission, a client asks beside the agent's: it is no sign of life of the agent's own.
func isForAgent(method string, request mcp.Request) bool {
	switch method {
	case "initialize", "notifications/initialized", "server/discover", "ping", "notifications/cancelled":
		return false
	case "tools/call":
		params, ok := request.GetParams().(*mcp.CallToolParamsRaw)
		return !ok || params.Name != PermissionTool
	}
	return true
}

// answer returns what answers the calls of a tool: with its outcome or a refusal, and
// with an error only when the client has cancelled the call.
func (s *server) answer(t toolRow) mcp.ToolHandler {
	return func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		end := s.presence.startCall(t.name)
		var seq uint64
		defer func() { end(seq) }()
		out, err := s.use(ctx, t, request)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return s.refused(t.name, err)
		}
		seq = out.base.Seq
		return callResult(false, sentence(t.name, out.base), out.full, out.text)
	}
}

// refused answers a call that changed nothing.
func (s *server) refused(tool string, err error) (*mcp.CallToolResult, error) {
	r := s.newRefusal(err)
	if r == nil {
		s.log.Error("call", "error", err)
		return callResult(true, "ferrus could not do this: "+err.Error(),
			map[string]any{"status": core.StatusError, "message": err.Error()}, "")
	}
	s.presence.refused(tool, *r.Refusal)
	return callResult(true, r.Refusal.Error(), r, "")
}

// use executes a call, and returns with its result what HQ left for this session.
func (s *server) use(ctx context.Context, t toolRow, request *mcp.CallToolRequest) (*outcome, error) {
	arguments, value, err := t.given(request.Params.Arguments)
	if err != nil {
		return nil, err
	}
	by, err := s.actor()
	if err != nil {
		return nil, err
	}
	if err := s.refuseUnmanaged(t.tool, by); err != nil {
		return nil, err
	}
	c := &toolCall{Context: ctx, conn: s.conn, tool: t.tool, arguments: arguments, value: value, by: by,
		id: s.journalCall(stdio.RequestID(request.Extra)), progress: newProgress(ctx, request)}
	defer c.progress.end()
	if t.once {
		c.id.Key = callKey(c.id.Session, t.name, arguments)
	}
	out, err := t.run(c)
	if err != nil {
		return out, err
	}
	if d, ok := s.directive(); ok {
		out.base.Message, out.base.Next = d.Text, cmp.Or(nextAfter[d.Kind], out.base.Next)
	}
	return out, nil
}

// end ends the presence and gives back what the session held.
func (s *server) end() error {
	if !s.presence.end() {
		return nil // another connection is the agent's
	}
	return s.release()
}
