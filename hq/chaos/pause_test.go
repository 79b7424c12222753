package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ferrus/agent/process"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/serve"
	"ferrus/machine"
	"ferrus/store"
)

// clientEnv marks a session without a host: its server trusts agents.json.
const clientEnv = "CHAOS_GUEST"

// serveClient is otherwise a real server.
func serveClient() int {
	p, err := project.OpenKept(os.Getenv(project.ProjectEnv), store.UserHeads())
	if err == nil {
		err = serve.Run(context.Background(), serve.Options{Project: p, Role: machine.Executor, AgentName: "demo",
			Nonce: os.Getenv(process.NonceEnv), WaitSecs: 5, In: os.Stdin, Out: os.Stdout, Log: os.Stderr})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// client is an agent's end of a real `ferrus serve`.
type client struct {
	*trial
	*mcp.ClientSession
	server *exec.Cmd
}

func (p *trial) client(nonce string) client {
	p.Helper()
	c := p.command("serve", "--role", "executor", "--agent-name", "demo")
	c.Env = append(c.Env, project.ProjectEnv+"="+p.dir, process.NonceEnv+"="+nonce, "FERRUS_WAIT_SECS=5",
		clientEnv+"=1")
	session, err := mcp.NewClient(&mcp.Implementation{Name: "guest", Version: "1"}, nil).Connect(p.Context(),
		&mcp.CommandTransport{Command: c}, nil)
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { _ = session.Close() })
	return client{p, session, c}
}

// use returns the status of a tool's result, and a refusal's code.
func (g client) use(tool string) (status, code string) {
	g.Helper()
	arguments := map[string]any{}
	switch text := strings.Join(core.ConsultHeadings, "\nx\n") + "\nx"; tool {
	case "submit":
		arguments["content"] = text
	case "consult", "ask_human":
		arguments["question"] = text
	}
	result, err := g.CallTool(g.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		g.Fatalf("%s: %v", tool, err)
	}
	data, err := json.Marshal(result.StructuredContent)
	var reply struct{ Status, Code string }
	if err == nil {
		err = json.Unmarshal(data, &reply)
	}
	if err != nil {
		g.Fatalf("%s: %s %v", tool, data, err)
	}
	return reply.Status, reply.Code
}

func (g client) signal(s syscall.Signal) {
	g.Helper()
	if err := g.server.Process.Signal(s); err != nil {
		g.Fatal(err)
	}
}

// A server is paused for longer than its lease. While a conductor sees that the server is alive, no
// other session gets the lease. Without a conductor the next session gets it, and once the first
// one wakes, every tool that needs the lease refuses it.
func TestPausedServerComesTooLate(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs the demo in processes that are killed")
	}
	t.Parallel()
	p, a, b := twoGuests(t)
	if status, _ := a.use("wait_for_task"); status != "claimed" {
		t.Fatalf("the first session: %s, want claimed", status)
	}
	lock, err := p.project().Store.TryLock(project.ConductorLock)
	if err != nil {
		t.Fatal(err)
	}
	a.signal(syscall.SIGSTOP)
	if status, _ := b.use("wait_for_task"); status != "timeout" {
		t.Errorf("while the first session and its conductor are alive: %s, want timeout", status)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	if status, _ := b.use("wait_for_task"); status != "claimed" {
		t.Fatalf("without a conductor: %s, want claimed", status)
	}
	a.signal(syscall.SIGCONT)
	a.late()
	if status, _ := b.use("consult"); status != "asked" {
		t.Fatalf("the second session: %s, want asked", status)
	}
	a.late()
}

// twoGuests returns a task with a short lease, and two executors that may claim it.
func twoGuests(t *testing.T) (p *trial, a, b client) {
	t.Helper()
	p = newTrial(t)
	config, err := os.OpenFile(filepath.Join(p.dir, "ferrus.toml"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := config.WriteString("\n[lease]\nttl_secs = 2\nheartbeat_interval_secs = 1\n"); err != nil {
		t.Fatal(err)
	}
	config.Close()
	p.setUp()
	opened, first, second := p.project(), nonce(), nonce()
	var r project.Registry
	for _, n := range []string{first, second} {
		r.Agents = append(r.Agents, project.SessionRecord{Role: machine.Executor, Mode: core.ModeWork,
			Name: "executor:demo:1", Session: process.SessionID(n), Status: project.Running})
	}
	if err := opened.SaveRegistry(r); err != nil {
		t.Fatal(err)
	}
	if _, err := opened.Do(t.Context(), store.Call{}, core.Command{Kind: "create_task", By: project.HumanActor(),
		Text: "# Work"}); err != nil {
		t.Fatal(err)
	}
	return p, p.client(first), p.client(second)
}

// late calls all tools that need the lease.
func (g client) late() {
	g.Helper()
	before := g.world()
	for _, tool := range []string{"check", "submit", "consult", "wait_for_consult", "ask_human",
		"wait_for_answer", "heartbeat"} {
		if status, code := g.use(tool); status != "refused" || code != string(machine.Stale) {
			g.Errorf("%s: %s %s, want refused as STALE", tool, status, code)
		}
	}
	if after := g.world(); after.Seq != before.Seq {
		g.Errorf("the sequence number went from %d to %d, want no change", before.Seq, after.Seq)
	}
}
