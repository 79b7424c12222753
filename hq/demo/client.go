package demo

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// client is the agent's connection to its own `ferrus serve`.
type client struct {
	session *mcp.ClientSession
	pane    *pane
	cursors map[string]string // by tool, from its last result
}

// answer is the result of a tool, as far as the scripts use it.
type answer struct {
	Status  string `json:"status"`
	State   string `json:"state"`
	Next    string `json:"next"`
	Cursor  string `json:"cursor"`
	Message string `json:"message"`
	taskAnswer
	gateAnswer
	workflowAnswer
	text    string // the sentence of the result
	refused bool
}

// taskAnswer is a task and what was said about it.
type taskAnswer struct {
	Task       string     `json:"task"`
	Review     string     `json:"review"`
	Submission string     `json:"submission"`
	Consults   []exchange `json:"consults"`
	Answers    []exchange `json:"answers"`
	Cycles     int        `json:"review_cycles_used"`
	Comments   []struct {
		ID string `json:"id"`
	} `json:"comments"`
}

// gateAnswer is the verdict of a gate.
type gateAnswer struct {
	Report  string   `json:"report"`
	Verdict string   `json:"verdict"`
	Changed []string `json:"changed"`
}

// workflowAnswer is the state of a workflow.
type workflowAnswer struct {
	Phase    string    `json:"phase"`
	Type     string    `json:"workflowType"`
	Request  string    `json:"request"`
	Notes    string    `json:"notes"`
	Required []string  `json:"requiredReviews"`
	Tasks    []planned `json:"tasks"`
}

type exchange struct{ Question, Answer string }

// connect starts the server and opens an MCP session with it.
func connect(ctx context.Context, o Options, p *pane) (*client, error) {
	command, err := serverCommand(o)
	if err != nil {
		return nil, err
	}
	command.Stderr = p
	progress := func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { p.progress(r.Params.Message) }
	options := &mcp.ClientOptions{ProgressNotificationHandler: progress}
	c := mcp.NewClient(&mcp.Implementation{Name: "ferrus-demo-agent", Version: "1"}, options)
	session, err := c.Connect(ctx, &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		return nil, fmt.Errorf("start ferrus serve: %w", err)
	}
	return &client{session: session, pane: p, cursors: map[string]string{}}, nil
}

func serverCommand(o Options) (*exec.Cmd, error) {
	program := o.Ferrus
	if program == "" {
		own, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("find ferrus: %w", err)
		}
		program = own
	}
	index := strconv.Itoa(max(o.Index, 1))
	name := cmp.Or(o.Name, "demo")
	command := exec.Command(program, "serve", "--role", o.Role, "--agent-name", name, "--agent-index", index)
	command.Dir = cmp.Or(o.Dir, o.Project)
	command.Env = append(os.Environ(), "FERRUS_PROJECT="+o.Project)
	if o.Nonce != "" {
		command.Env = append(command.Env, "FERRUS_NONCE="+o.Nonce)
	}
	if o.WaitSecs > 0 {
		command.Env = append(command.Env, "FERRUS_WAIT_SECS="+strconv.Itoa(o.WaitSecs))
	}
	command.Env = append(command.Env, o.Env...)
	return command, nil
}

// close ends the server and waits for it.
func (c *client) close() error {
	if err := c.session.Close(); err != nil {
		return fmt.Errorf("end ferrus serve: %w", err)
	}
	return nil
}

// call calls a tool. A refusal is an answer; an error means that the server is gone.
func (c *client) call(ctx context.Context, tool string, arguments map[string]any) (answer, error) {
	if arguments == nil {
		arguments = map[string]any{}
	}
	if cursor := c.cursors[tool]; cursor != "" {
		arguments["cursor"] = cursor
	}
	c.pane.calls(tool)
	params := &mcp.CallToolParams{Name: tool, Arguments: arguments}
	params.SetProgressToken(tool)
	result, err := c.session.CallTool(ctx, params)
	if err != nil {
		return answer{}, fmt.Errorf("call %s: %w", tool, errors.Join(ctx.Err(), err))
	}
	a, err := read(result)
	if err != nil {
		return a, fmt.Errorf("read the answer of %s: %w", tool, err)
	}
	c.cursors[tool] = a.Cursor
	c.pane.answered(tool, a)
	return a, nil
}

func read(result *mcp.CallToolResult) (answer, error) {
	a := answer{refused: result.IsError}
	for _, content := range result.Content {
		if text, ok := content.(*mcp.TextContent); ok {
			a.text = text.Text
			break
		}
	}
	if result.StructuredContent == nil {
		return a, nil
	}
	data, err := json.Marshal(result.StructuredContent)
	if err == nil {
		err = json.Unmarshal(data, &a)
	}
	return a, err
}

// wait calls a waiting tool until it returns anything but a timeout.
func (c *client) wait(ctx context.Context, tool string) (answer, error) {
	for {
		a, err := c.call(ctx, tool, nil)
		if err != nil || a.refused || a.Status != "timeout" {
			return a, err
		}
		if idleStates[a.State] {
			return a, nil
		}
	}
}

// idleStates are the states in which no agent has work.
var idleStates = map[string]bool{"Idle": true, "Complete": true, "Failed": true}

// resource reads a text that ferrus keeps; empty: there is none.
func (c *client) resource(ctx context.Context, name string) (string, error) {
	result, err := c.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "ferrus://" + name})
	if err != nil {
		return "", fmt.Errorf("read ferrus://%s: %w", name, errors.Join(ctx.Err(), err))
	}
	var text strings.Builder
	for _, content := range result.Contents {
		text.WriteString(content.Text)
	}
	return text.String(), nil
}
