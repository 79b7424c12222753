package serve_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/hq/serve"
	"ferrus/machine"
	"ferrus/store"
	"ferrus/store/memtemp"
)

// TestMain lets the test binary act as ferrus, for the servers that tests start and for the gates
// that those servers start.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "serve" || os.Args[1] == "gate") {
		if err := ferrus(os.Args[1], os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, "ferrus:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) > 1 && (os.Args[1] == "bare" || os.Args[1] == "relay") {
		if err := map[string]func() error{"bare": bare, "relay": relay}[os.Args[1]](); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(memtemp.M{Tests: m}.Run())
}

func ferrus(command string, arguments []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	flags := flag.NewFlagSet(command, flag.ContinueOnError)
	role, mode := flags.String("role", "", ""), flags.String("mode", "", "")
	name, index := flags.String("agent-name", "", ""), flags.Int("agent-index", 1, "")
	ticket, standby := flags.Uint64("ticket", 0, ""), flags.Bool("standby", false, "")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	dir := os.Getenv("FERRUS_PROJECT")
	if dir == "" {
		dir, _ = os.Getwd()
	}
	p, err := project.Open(dir, "one", "two")
	if err != nil {
		return err
	}
	if *standby {
		if *ticket = gate.AwaitTicket(os.Stdin); *ticket == 0 {
			return nil
		}
	}
	if command == "gate" {
		return gate.Run(ctx, p, *ticket, gate.Options{})
	}
	wait, _ := strconv.Atoi(os.Getenv("FERRUS_WAIT_SECS"))
	return serve.Run(ctx, serve.Options{
		Project: p, Role: machine.Role(*role), Mode: core.Mode(*mode), AgentName: *name, Index: *index,
		Nonce: os.Getenv("FERRUS_NONCE"), WaitSecs: wait, In: os.Stdin, Out: os.Stdout, Log: os.Stderr,
		Asks: serve.Asks(os.Getenv("ASKS")),
	})
}

// fixture is a project in a git repository of its own.
type fixture struct {
	*project.Task
	t testing.TB
}

func newFixture(t testing.TB, toml string) *fixture {
	t.Helper()
	return &fixture{Task: hqtest.NewProject(t, hqtest.Files{"ferrus.toml": toml}, "one", "two"), t: t}
}

func write(t testing.TB, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// command returns a server of this project as a program.
func (p *fixture) command(role machine.Role, mode core.Mode, nonce string, env ...string) *exec.Cmd {
	command := exec.Command(os.Args[0], "serve", "--role", string(role), "--mode", string(mode), "--agent-name", "test")
	command.Env = append(os.Environ(), "FERRUS_PROJECT="+p.Dir, "FERRUS_NONCE="+nonce,
		"FERRUS_WAIT_SECS=")
	command.Env = append(command.Env, env...)
	command.Stderr = os.Stderr
	return command
}

// agent is a client with its own server.
type agent struct {
	*mcp.ClientSession
	t testing.TB
}

func (p *fixture) agent(role machine.Role, mode core.Mode, env ...string) *agent {
	p.t.Helper()
	return p.session(p.command(role, mode, "", env...))
}

func (p *fixture) session(command *exec.Cmd) *agent {
	p.t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(p.t.Context(), &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = session.Close() })
	return &agent{session, p.t}
}

// answer is what a tool said.
type answer struct {
	core.Result
	Code    machine.Code
	Machine string
	Failed  []machine.Failed
	Options []machine.Option
	Refused bool   `json:"-"`
	Text    string `json:"-"`
	Page    string `json:"-"` // everything, for clients that show text
	JSON    string `json:"-"`
}

func (a answer) guards() string {
	var all []string
	for _, f := range a.Failed {
		all = append(all, f.Guard)
	}
	return strings.Join(all, " ")
}

type args = map[string]any

// use calls a tool; a protocol error ends the test.
func (a *agent) use(tool string, arguments args) answer {
	a.t.Helper()
	got, err := a.try(a.t.Context(), tool, arguments)
	if err != nil {
		a.t.Fatalf("%s: %v", tool, err)
	}
	return got
}

func (a *agent) try(ctx context.Context, tool string, arguments args) (answer, error) {
	a.t.Helper()
	if arguments == nil {
		arguments = args{}
	}
	result, err := a.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return answer{}, err
	}
	var got answer
	data, _ := json.Marshal(result.StructuredContent)
	if err := json.Unmarshal(data, &got); err != nil {
		a.t.Fatalf("%s answered %s: %v", tool, data, err)
	}
	got.Refused, got.JSON = result.IsError, string(data)
	for i, content := range result.Content {
		if text, ok := content.(*mcp.TextContent); ok && i == 0 {
			got.Text = text.Text
		} else if ok {
			got.Page = text.Text
		}
	}
	if got.Text == "" {
		a.t.Errorf("%s says nothing: %s", tool, data)
	}
	return got, nil
}

// want uses a tool and expects a status.
func (a *agent) want(status, tool string, arguments args) answer {
	a.t.Helper()
	got := a.use(tool, arguments)
	if string(got.Status) != status {
		a.t.Fatalf("%s answered %s, want status %s", tool, got.JSON, status)
	}
	if got.State == "" || got.Seq == 0 && got.State != "Idle" {
		a.t.Errorf("%s answered without state or seq: %s", tool, got.JSON)
	}
	return got
}

// refused uses a tool and expects a refusal by a guard; empty means no guard.
func (a *agent) refused(code machine.Code, guards, tool string, arguments args) answer {
	a.t.Helper()
	got := a.want("refused", tool, arguments)
	if !got.Refused || got.Code != code || got.guards() != guards {
		a.t.Errorf("%s is refused as %s, want %s by %q", tool, got.JSON, code, guards)
	}
	return got
}

func (p *fixture) world() core.World {
	p.t.Helper()
	state, err := p.World()
	if err != nil {
		p.t.Fatal(err)
	}
	return state.World
}

// events returns the journal's words so far.
func (p *fixture) events() string {
	p.t.Helper()
	lines, err := p.Store.Journal(0)
	if err != nil {
		p.t.Fatal(err)
	}
	var all []string
	for _, line := range lines {
		all = append(all, line.Event)
	}
	return strings.Join(all, " ")
}

// human gives a command as the human does.
func (p *fixture) human(kind machine.Kind, text string) {
	p.t.Helper()
	if _, err := p.Do(p.t.Context(), store.Call{ID: "person." + string(kind)},
		core.Command{Kind: kind, Text: text, By: project.HumanActor()}); err != nil {
		p.t.Fatal(err)
	}
}

// until waits for a state that must come.
func (p *fixture) until(what string, there func(core.World) bool) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
	defer cancel()
	changed, err := p.Store.Watch(ctx, "run")
	if err != nil {
		p.t.Fatal(err)
	}
	for !there(p.world()) {
		select {
		case <-changed:
		case <-ctx.Done():
			p.t.Fatalf("it never came to %s: %+v", what, p.world())
		}
	}
}

func (a *agent) read(uri string) (string, error) {
	got, err := a.ReadResource(a.t.Context(), &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return "", err
	}
	return got.Contents[0].Text, nil
}

func (a *agent) resource(name string) string {
	a.t.Helper()
	text, err := a.read("ferrus://" + name)
	if err != nil {
		a.t.Errorf("%s: %v", name, err)
	}
	return text
}

func (a *agent) prompt(name string) string {
	a.t.Helper()
	got, err := a.GetPrompt(a.t.Context(), &mcp.GetPromptParams{Name: name})
	if err != nil || len(got.Messages) != 1 {
		a.t.Fatalf("%s: %v %v", name, got, err)
	}
	return got.Messages[0].Content.(*mcp.TextContent).Text
}
