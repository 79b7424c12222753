package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/store"
)

// PermissionTool is the tool that a client calls to ask the human whether its agent may do
// something. A client calls it, not a model; its result has the form that clients expect of such
// a tool: {"behavior":"allow","updatedInput":{...}}, or {"behavior":"deny","message":"..."}.
const PermissionTool = "request_permission"

// Asks says which of a session's questions for permission reach the human.
type Asks string

// The kinds of sessions that ask.
const (
	AsksNothing Asks = ""
	AsksToRead  Asks = "read" // its role only reads: what changes files is refused
	AsksToEdit  Asks = "edit"
)

// verdict is the result of [PermissionTool].
type verdict struct {
	Behavior string          `json:"behavior"`
	Input    json.RawMessage `json:"updatedInput,omitempty"`
	Message  string          `json:"message,omitempty"`
	Answer   core.Permission `json:"answer,omitempty"`
}

// describePermission returns the tool as clients see it.
func describePermission() *mcp.Tool {
	no, text := false, map[string]any{"type": "string"}
	return &mcp.Tool{
		Name: PermissionTool, Title: "Ask for permission",
		Description: "Called by the client before a tool runs that needs the human's permission. Do not call it " +
			"yourself.",
		InputSchema: map[string]any{"type": "object", "properties": map[string]any{
			"tool_name": text, "input": map[string]any{"type": "object"}, "tool_use_id": text,
		}},
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, DestructiveHint: &no, OpenWorldHint: &no},
	}
}

// permission answers a call of [PermissionTool] when the human has answered. The error is of a
// call that the client cancelled.
func (s *server) permission(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	end := s.presence.startCall(PermissionTool)
	defer func() { end(0) }()
	alive := newProgress(ctx, request)
	defer alive.end()
	v := s.permit(ctx, request)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(data)}}}, nil
}

// permit asks for what a call is about.
func (s *server) permit(ctx context.Context, request *mcp.CallToolRequest) verdict {
	asked, err := readPermission(request.Params.Arguments)
	if err != nil {
		return denied("ferrus cannot ask the human for this: " + err.Error())
	}
	by, err := s.actor()
	if err != nil {
		return denied("ferrus does not know this session: " + err.Error())
	}
	if !by.Managed {
		return denied("only a session that ferrus started can ask the human; set its permissions yourself")
	}
	if s.asks != AsksToEdit && asked.kind == core.PermitWrite {
		return denied("this role is read-only")
	}
	state, err := s.project.World()
	if err != nil {
		return denied("ferrus could not ask: " + err.Error())
	}
	wanted, whole, err := asked.wanted(by.Role, s.project.Workspace(state.World))
	if err != nil {
		return denied("ferrus cannot ask the human for this: " + err.Error())
	}
	v := s.awaitPermission(ctx, by, wanted, whole)
	if v.Behavior == allow {
		v.Input = asked.Input
	}
	if asked.Kind == "" { // a vendor's client, whose result format has no room for more
		v.Answer = ""
	} else if v.Answer == core.PermitNever {
		s.leave(v.Message, wanted)
	}
	return v
}

// leave makes the agent's own server return a refusal with its next result: the client refuses
// without the reason. Anything else that waits for the agent there comes first.
func (s *server) leave(why string, wanted core.Wanted) {
	if s.project.HasDirective(s.who.session) {
		return
	}
	err := s.project.PostDirective(s.who.session, project.Directive{Kind: project.DirectiveMessage,
		Text: "You asked to " + wanted.String() + ": " + why})
	if err != nil {
		s.log.Warn("leave a message", "error", err)
	}
}

// The behaviors of a verdict.
const (
	allow = "allow"
	deny  = "deny"
)

func denied(why string) verdict { return verdict{Behavior: deny, Message: why} }

// awaitPermission asks, unless the same was answered for the task, and waits for the answer
// without a limit. Whole is what the request has only the ends of.
func (s *server) awaitPermission(ctx context.Context, by core.Actor, wanted core.Wanted, whole string) verdict {
	changed, err := s.project.Store.Watch(ctx)
	if err != nil {
		return denied("ferrus could not ask: " + err.Error())
	}
	asked, err := s.project.Do(ctx, store.Call{Session: by.Session},
		core.Command{Kind: core.KindAskPermission, By: by, Wanted: &wanted, Text: whole})
	switch {
	case err != nil:
		return denied("ferrus could not ask the human: " + err.Error())
	case asked.Status == core.StatusAnswered:
		return explainPermission(core.Permission(asked.Answer), asked.Message)
	}
	ticks := time.NewTicker(lookAgain)
	defer ticks.Stop()
	for {
		if state, err := s.project.World(); err == nil {
			a, open := state.World.PermissionOf(asked.Ticket)
			if !open {
				return explainPermission(a.Answer, a.Note)
			}
		}
		select {
		case <-ctx.Done():
			s.withdraw(by, asked.Ticket)
			return verdict{}
		case <-s.inputEnded:
			s.withdraw(by, asked.Ticket)
			return denied("the session has ended")
		case <-changed:
		case <-ticks.C:
		}
	}
}

// withdraw drops a request for whose answer the client does not wait any more.
func (s *server) withdraw(by core.Actor, number uint64) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_, err := s.project.Do(ctx, store.Call{Session: by.Session},
		core.Command{Kind: core.KindWithdrawPermission, By: by, Ticket: number})
	if err != nil && !machine.IsRefusal(err) {
		s.log.Warn("withdraw a request for permission", "error", err) // the conductor does it, too
	}
}

// explainPermission returns what an answer means for the agent.
func explainPermission(a core.Permission, note string) verdict {
	switch {
	case a.Allows():
		return verdict{Behavior: allow, Answer: a}
	case a == core.PermitNever:
		why := "the human does not allow this in this task"
		if note != "" {
			why += ", and says: " + note
		}
		why += "; do not retry or work around it, continue without it"
		return verdict{Behavior: deny, Message: why, Answer: a}
	}
	return denied("the request was withdrawn: its task is over, or its session has ended")
}
