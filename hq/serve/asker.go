package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ferrus/hq/core"
)

// Asker asks the human for permission through the server of its session, for a client that
// cannot call [PermissionTool] itself. Its methods may be called from any goroutine.
type Asker struct {
	Command []string // that starts the server
	Env     []string // all of it

	mu   sync.Mutex // guards open
	open *mcp.ClientSession
}

// Question is what an agent wants to do.
type Question struct {
	Kind   core.PermissionKind `json:"kind"`
	What   string              `json:"what"` // a path is absolute
	Detail string              `json:"detail,omitempty"`
	Input  json.RawMessage     `json:"input,omitempty"`       // arguments of its tool, as far as they are known
	Call   string              `json:"tool_use_id,omitempty"` // the agent's name of the call
}

// Reply is the human's answer.
type Reply struct {
	Allowed bool
	Task    bool   // for equal requests of the task, too
	Reason  string // for the agent, if it is not allowed
}

// Ask waits for the human's answer. The error says why nothing could be asked.
func (a *Asker) Ask(ctx context.Context, q Question) (Reply, error) {
	session, err := a.connect(ctx)
	if err != nil {
		return Reply{}, fmt.Errorf("ask for permission: %w", err)
	}
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: PermissionTool, Arguments: q})
	if err != nil {
		a.forget(session)
		return Reply{}, fmt.Errorf("ask for permission: %w", err)
	}
	var v verdict
	if len(result.Content) == 1 {
		if text, ok := result.Content[0].(*mcp.TextContent); ok && json.Unmarshal([]byte(text.Text), &v) == nil {
			return Reply{v.Behavior == allow, v.Answer == core.PermitTask, v.Message}, nil
		}
	}
	return Reply{}, errors.New("ask for permission: ferrus's answer cannot be read")
}

// closeTime is how long to wait for a server's end. It ends anyway once its input does.
const closeTime = 2 * time.Second

// Close ends the server. Requests that wait are withdrawn.
func (a *Asker) Close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open == nil {
		return
	}
	closed, session := make(chan struct{}), a.open
	go func() {
		defer close(closed)
		session.Close() //nolint:errcheck // there is nothing left to ask
	}()
	select {
	case <-closed:
	case <-time.After(closeTime):
	}
	a.open = nil
}

// connect returns the connection to the server, which all requests share.
func (a *Asker) connect(ctx context.Context) (*mcp.ClientSession, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open != nil {
		return a.open, nil
	}
	cmd := exec.Command(a.Command[0], a.Command[1:]...)
	cmd.Env = a.Env
	client := mcp.NewClient(&mcp.Implementation{Name: "ferrus"}, nil)
	session, err := client.Connect(context.WithoutCancel(ctx), &mcp.CommandTransport{Command: cmd}, nil)
	if err == nil {
		a.open = session
	}
	return session, err
}

// forget closes a connection that has failed, so that the next request makes another.
func (a *Asker) forget(session *mcp.ClientSession) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open == session {
		a.open = nil
		go session.Close() //nolint:errcheck // it has failed
	}
}
