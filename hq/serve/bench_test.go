package serve_test

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ferrus/hq/core"
	"ferrus/hq/door"
	"ferrus/machine"
)

// bare is an empty server made with the same SDK: what a call costs without
// ferrus.
func bare() error {
	server := mcp.NewServer(&mcp.Implementation{Name: "bare", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "status"}, func(context.Context, *mcp.CallToolRequest,
		struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "idle"}}}, nil, nil
	})
	return server.Run(context.Background(), &mcp.StdioTransport{})
}

// relay is the part of the server that a session inside the sandbox has.
func relay() error { return door.Relay(context.Background(), os.Getenv(door.Env), os.Stdin, os.Stdout) }

// BenchmarkCall measures one tool call: one that only reads and one that renews a lease on the
// disk, each also through the door of a session inside the sandbox, and one of an empty server.
func BenchmarkCall(b *testing.B) {
	run := func(name, tool string, start func(*testing.B) *mcp.ClientSession) {
		b.Run(name, func(b *testing.B) {
			session := start(b)
			for b.Loop() {
				if _, err := session.CallTool(b.Context(), &mcp.CallToolParams{Name: tool,
					Arguments: args{}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("empty", "status", func(b *testing.B) *mcp.ClientSession { return talk(b, exec.Command(os.Args[0], "bare")) })
	run("status", "status", ferrusCalls)
	run("heartbeat", "heartbeat", ferrusCalls)
	run("status by the door", "status", callsByDoor)
	run("heartbeat by the door", "heartbeat", callsByDoor)
}

// BenchmarkFirstAnswer measures the time from the start of a server to its list of tools.
func BenchmarkFirstAnswer(b *testing.B) {
	p := newFixture(b, once)
	for name, command := range map[string]func() *exec.Cmd{
		"empty":  func() *exec.Cmd { return exec.Command(os.Args[0], "bare") },
		"ferrus": func() *exec.Cmd { return p.command(machine.Executor, core.ModeWork, "") },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				session := talk(b, command())
				if _, err := session.ListTools(b.Context(), nil); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				session.Close()
				b.StartTimer()
			}
		})
	}
}

func ferrusCalls(b *testing.B) *mcp.ClientSession {
	return executor(b, func(server *exec.Cmd) *exec.Cmd { return server })
}

// callsByDoor is ferrusCalls through a relay, a door, and the server that it starts.
func callsByDoor(b *testing.B) *mcp.ClientSession {
	socket := filepath.Join(b.TempDir(), "door")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		b.Skip(err)
	}
	return executor(b, func(server *exec.Cmd) *exec.Cmd {
		d := &door.Door{Admit: func(*net.UnixConn) error { return nil }, Bounds: door.Usual,
			Server: func(context.Context) *exec.Cmd { return server }}
		d.Bounds.Messages = 1 << 30
		go d.Serve(l)
		b.Cleanup(func() {
			l.Close()
			d.Close()
		})
		client := exec.Command(os.Args[0], "relay")
		client.Env = append(os.Environ(), door.Env+"="+socket)
		return client
	})
}

// executor returns a session that works on a task, whose client starts what the caller makes of the
// server.
func executor(b *testing.B, client func(server *exec.Cmd) *exec.Cmd) *mcp.ClientSession {
	p := newFixture(b, once)
	p.human("create_task", "a task")
	session := talk(b, client(p.command(machine.Executor, core.ModeWork, "")))
	if _, err := session.CallTool(b.Context(), &mcp.CallToolParams{Name: "wait_for_task",
		Arguments: args{}}); err != nil {
		b.Fatal(err)
	}
	return session
}

func talk(b *testing.B, command *exec.Cmd) *mcp.ClientSession {
	b.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(b.Context(), &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { session.Close() })
	return session
}
