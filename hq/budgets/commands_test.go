package budgets

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ferrus/hq/benchtest"
)

// emptyEnv makes the test binary a server with one tool, made with the same SDK.
const emptyEnv = "FERRUS_BUDGET_EMPTY"

func serveNothing() error {
	server := mcp.NewServer(&mcp.Implementation{Name: "empty", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "status"}, func(context.Context, *mcp.CallToolRequest,
		struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{}, nil, nil
	})
	return server.Run(context.Background(), &mcp.StdioTransport{})
}

// size measures the released program's size, and the time of its shortest command.
func size(b *testing.B) {
	info, err := os.Stat(program(b))
	if err != nil {
		b.Fatal(err)
	}
	budget{"the program, stripped", "MB", 22, false}.report(b, float64(info.Size())/1e6, "", 0)
	var ours []time.Duration
	for range repeats {
		ours = append(ours, run(b, "/", program(b), "version"))
	}
	var other []time.Duration
	for range repeats {
		other = append(other, run(b, "/", "tmux", "-V"))
	}
	budget{"ferrus version", "ms", 6, false}.report(b, benchtest.Milliseconds(ours, 0.5), "tmux -V",
		benchtest.Milliseconds(other, 0.5))
}

// slowInit is the time that a package's initialization may take.
const slowInit = 0.2 // ms

// initialization names the packages that initialize slowly, in each part of the program.
func initialization(b *testing.B) {
	dir := newProject(b, 0, "off")
	for _, args := range [][]string{{"version"}, {"serve", "--role", "executor"}, {"host"}, {}} {
		least := map[string]float64{}
		for range 5 { // a thread that has to wait is not the package's fault
			for name, took := range initTimes(dir, program(b), args) {
				if old, ok := least[name]; !ok || took < old {
					least[name] = took
				}
			}
		}
		longest, slow := 0.0, ""
		for name, took := range least {
			if longest = max(longest, took); took > slowInit {
				slow += fmt.Sprintf(" %s %.2f", name, took)
			}
		}
		name := strings.TrimSpace("init of ferrus " + strings.Join(args, " "))
		budget{name, "ms", slowInit, false}.report(b, longest, slow, longest)
	}
}

// initTimes returns each package's initialization time in milliseconds. The process ends by itself,
// because it has neither input nor a terminal.
func initTimes(dir, program string, args []string) map[string]float64 {
	command := exec.Command(program, args...)
	command.Dir, command.Env = dir, append(os.Environ(), "GODEBUG=inittrace=1")
	var out strings.Builder
	command.Stderr = &out
	_ = command.Run() // without a terminal HQ refuses once it has started
	all := map[string]float64{}
	for line := range strings.Lines(out.String()) {
		var name string
		var at, took float64
		if n, _ := fmt.Sscanf(line, "init %s @%g ms, %g ms", &name, &at, &took); n == 3 {
			all[name] = took
		}
	}
	return all
}

// firstTools measures the time from the start of a server to its first list of tools.
func firstTools(b *testing.B) {
	dir := newProject(b, 0, "off")
	var ours, empty []time.Duration
	for range repeats {
		ours = append(ours, listTools(b, dir, nil, program(b), "serve", "--role", "executor"))
		empty = append(empty, listTools(b, dir, []string{emptyEnv + "=1"}, os.Args[0]))
	}
	got, other := benchtest.Milliseconds(ours, 0.5), benchtest.Milliseconds(empty, 0.5)
	budget{"serve to the first list, of an empty server", "x", 2, false}.report(b, got/other,
		fmt.Sprintf("%.3g ms, empty", got), other)
}

const (
	helloLine = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{},"clientInfo":{"name":"b","version":"1"}}}` + "\n"
	listLines = `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n"
)

func listTools(b *testing.B, dir string, env []string, argv ...string) time.Duration {
	b.Helper()
	command := exec.Command(argv[0], argv[1:]...)
	command.Dir, command.Env = dir, append(os.Environ(), env...)
	in, _ := command.StdinPipe()
	out, err := command.StdoutPipe()
	began := time.Now()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	lines := bufio.NewReaderSize(out, 1<<20)
	for _, request := range []string{helloLine, listLines} {
		_, _ = in.Write([]byte(request)) // if it fails, the answer is missing
		if answer, err := lines.ReadString('\n'); err != nil || !strings.Contains(answer, "result") {
			b.Fatalf("%v answered %q, %v", argv, answer, err)
		}
	}
	took := time.Since(began)
	_ = in.Close()
	_ = command.Wait()
	return took
}

// gate measures a check with one command that does nothing, after one file has changed.
func gate(b *testing.B) {
	var took [2][]time.Duration
	for i, mode := range []string{"off", "auto"} {
		dir := newProject(b, 0, mode)
		for n := range repeats {
			if err := os.WriteFile(filepath.Join(dir, "change.txt"), fmt.Append(nil, n), 0o644); err != nil {
				b.Fatal(err)
			}
			took[i] = append(took[i], run(b, dir, program(b), "check", "--force"))
		}
	}
	off, walls := benchtest.Milliseconds(took[0], 0.5), benchtest.Milliseconds(took[1], 0.5)
	budget{"check with the command true, no sandbox", "ms", 12, false}.report(b, off, "", 0)
	budget{"the same with walls, more", "ms", 40, false}.report(b, walls-off, "", 0)
}
