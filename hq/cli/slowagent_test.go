package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// slowAgent is an agent that works slowly, one line at a time, and retries every failed call.
type slowAgent struct{ session *mcp.ClientSession }

// lines is how many lines of work a task has, and pace how long each takes where paceEnv does not say another time.
const (
	lines   = 10
	pace    = 400 * time.Millisecond
	paceEnv = "TEST_PACE"
)

// playSlowAgent is the program of such an agent.
func playSlowAgent(role, config string) int {
	var c struct {
		Servers map[string]struct {
			Command string            `json:"command"`
			Args    []string          `json:"args"`
			Env     map[string]string `json:"env"`
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(config), &c); err != nil {
		fmt.Println(err)
		return 2
	}
	s := c.Servers["ferrus"]
	command := exec.Command(s.Command, s.Args...)
	command.Env = os.Environ()
	for name, value := range s.Env {
		command.Env = append(command.Env, name+"="+value)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "slowagent", Version: "1"}, nil)
	session, err := client.Connect(context.Background(), &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	p := &slowAgent{session: session}
	if role == "executor" {
		err = p.execute()
	} else {
		err = p.review()
	}
	if err == nil {
		err = session.Close()
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// toolOutput is the part of a tool's answer that the agent reads.
type toolOutput struct{ Status, State, Task, Cursor, Text string }

// call calls a tool until it is no longer refused.
func (p *slowAgent) call(tool string, arguments map[string]any) (a toolOutput, err error) {
	for range 60 {
		r, err := p.session.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil {
			return a, err
		}
		data, err := json.Marshal(r.StructuredContent)
		if err == nil {
			err = json.Unmarshal(data, &a)
		}
		if err == nil && !r.IsError {
			return a, nil
		}
		for _, c := range r.Content {
			if text, ok := c.(*mcp.TextContent); ok {
				a.Text = text.Text
			}
		}
		fmt.Println(tool, "is refused:", a.Text)
		time.Sleep(time.Second)
	}
	return a, fmt.Errorf("%s is refused: %s", tool, a.Text)
}

// until calls a waiting tool until it no longer says that it waits.
func (p *slowAgent) until(tool, waiting string, arguments map[string]any) (toolOutput, error) {
	for {
		a, err := p.call(tool, arguments)
		if err != nil || a.Status != waiting {
			return a, err
		}
		if a.State == "Idle" || a.State == "Complete" || a.State == "Failed" {
			return a, nil
		}
		if arguments == nil {
			arguments = map[string]any{}
		}
		arguments["cursor"] = a.Cursor
	}
}

func (p *slowAgent) execute() error {
	for {
		a, err := p.until("wait_for_task", "timeout", nil)
		if err != nil || a.Status != "claimed" {
			return err
		}
		title, _, _ := strings.Cut(strings.TrimLeft(a.Task, "# \n"), "\n")
		name := strings.ReplaceAll(strings.ToLower(title), " ", "-") + ".txt"
		for n := range lines {
			data, _ := os.ReadFile(name) // the first line makes it
			if strings.Count(string(data), "\n") > n {
				continue
			}
			each, err := time.ParseDuration(os.Getenv(paceEnv))
			if err != nil {
				each = pace
			}
			time.Sleep(each)
			if err := os.WriteFile(name, fmt.Appendf(data, "%d\n", n), 0o644); err != nil {
				return err
			}
			if _, err := p.call("status", nil); err != nil {
				return err
			}
		}
		const summary = "## Summary\nDone.\n\n## How to verify manually\nLook.\n"
		a, err = p.until("submit", "running", map[string]any{"content": summary})
		if err != nil || a.Status == "submitted" {
			return err
		}
	}
}

func (p *slowAgent) review() error {
	a, err := p.until("wait_for_review", "timeout", nil)
	if err != nil || a.Status != "claimed" {
		return err
	}
	if _, err := p.call("review_pending", nil); err != nil {
		return err
	}
	_, err = p.call("approve", nil)
	return err
}
