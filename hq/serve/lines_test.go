package serve_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"ferrus/hq/core"
	"ferrus/machine"
)

// wire is a server that is spoken to line by line.
type wire struct {
	t       testing.TB
	in      io.WriteCloser
	out     *bufio.Reader
	command *exec.Cmd
}

func (p *fixture) wire(role machine.Role, mode core.Mode) *wire {
	p.t.Helper()
	command := p.command(role, mode, "")
	in, err := command.StdinPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		p.t.Fatal(err)
	}
	w := &wire{t: p.t, in: in, out: bufio.NewReader(out), command: command}
	p.t.Cleanup(func() { _ = in.Close(); _ = command.Wait() })
	return w
}

func (w *wire) send(line string) {
	w.t.Helper()
	if _, err := io.WriteString(w.in, line+"\n"); err != nil {
		w.t.Fatal(err)
	}
}

// read returns the next line, which must be a message.
func (w *wire) read() map[string]any {
	w.t.Helper()
	line, err := w.out.ReadString('\n')
	if err != nil {
		w.t.Fatalf("read %q: %v", line, err)
	}
	var message map[string]any
	if err := json.Unmarshal([]byte(line), &message); err != nil || message["jsonrpc"] != "2.0" {
		w.t.Fatalf("not a message: %q", line)
	}
	return message
}

// ask sends a line and returns the result in the answer to it.
func (w *wire) ask(line string) map[string]any {
	w.t.Helper()
	w.send(line)
	message := w.read()
	result, ok := message["result"].(map[string]any)
	if !ok {
		w.t.Fatalf("%s\nis answered %v", line, message)
	}
	return result
}

func TestOldHandshakes(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	p := newFixture(t, once)
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		t.Run(version, func(t *testing.T) {
			w := (&fixture{p.Task, t}).wire(machine.Executor, core.ModeWork)
			got := w.ask(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + version +
				`","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
			if got["protocolVersion"] != version || got["serverInfo"].(map[string]any)["name"] != "ferrus" {
				t.Errorf("initialize answered %v, want version %s of ferrus", got, version)
			}
			capabilities, _ := json.Marshal(got["capabilities"])
			if string(capabilities) != `{"prompts":{},"resources":{},"tools":{}}` {
				t.Errorf("the capabilities are %s, want prompts, resources and tools", capabilities)
			}
			w.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			if tools := w.ask(`{"jsonrpc":"2.0","id":"a","method":"tools/list"}`)["tools"].([]any); len(tools) != 10 {
				t.Errorf("%d tools, want 10", len(tools))
			}
			status := w.ask(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"status"}}`)
			if status["structuredContent"].(map[string]any)["state"] != "Idle" {
				t.Errorf("the status is %v, want Idle", status)
			}
		})
	}
}

// meta is what a client of the newest revision sends with every request.
const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

func TestWithoutHandshake(t *testing.T) {
	p := newFixture(t, once)
	w := p.wire(machine.Supervisor, core.ModeTask)
	got := w.ask(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + meta + `}}`)
	if versions, _ := json.Marshal(got["supportedVersions"]); !strings.Contains(string(versions), "2026-07-28") {
		t.Errorf("discover answered %v, want version 2026-07-28", got)
	}
	got = w.ask(
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"create_task",` +
			`"arguments":{"description":"a task"},` + meta + `}}`)
	if got["structuredContent"].(map[string]any)["status"] != "created" {
		t.Errorf("create_task answered %v, want created", got)
	}
}

func TestMalformedLinesAreAnsweredAndSkipped(t *testing.T) {
	p := newFixture(t, once)
	w := p.wire(machine.Supervisor, core.ModeTask)
	for _, line := range []string{"hello", `{"jsonrpc":"2.0","id":1,`, "\x00\x01", `"text"`} {
		w.send(line)
		if got := w.read(); got["error"] == nil || got["id"] != nil {
			t.Errorf("%q is answered %v", line, got)
		}
	}
	got := w.ask(`{"jsonrpc":"2.0","id":9,"method":"tools/list","params":{` + meta + `}}`)
	if len(got["tools"].([]any)) != 3 {
		t.Errorf("then it answers %v", got)
	}
}

func TestEndsWithInputAndReleases(t *testing.T) {
	p := newFixture(t, once)
	p.human("create_task", "a task")
	w := p.wire(machine.Executor, core.ModeWork)
	w.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait_for_task",` + meta + `}}`)
	if p.world().ClaimedBy != "executor:unknown:1" && p.world().ClaimedBy != "executor:test:1" {
		t.Fatalf("claimed by %q", p.world().ClaimedBy)
	}
	w.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"consult","arguments":{"question":` +
		quote(question) + `},` + meta + `}}`)
	w.read()
	w.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"wait_for_consult",` + meta + `}}`)
	began := time.Now()
	_ = w.in.Close()
	if err := w.command.Wait(); err != nil {
		t.Errorf("ended with %v", err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("took %v to end with a wait in flight", took)
	}
	if world := p.world(); world.ClaimedBy != "" || world.State != "Consultation" {
		t.Errorf("left %q in %s", world.ClaimedBy, world.State)
	}
	if left, _ := p.Store.List("run"); strings.Contains(strings.Join(left, " "), ".json") {
		t.Errorf("left are %v, want no presence", left)
	}
}

// A client that asks and immediately closes its side gets an answer, even to a call that would
// wait, with what is known at that time.
func TestAnswersWhatWasAskedBeforeTheEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	signal := t.TempDir()
	p := newFixture(t, "[checks]\ncommands = [\"while test ! -e "+signal+"/go; do sleep 0.05; done\"]\n")
	p.human("create_task", "a task")
	claim := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait_for_task",` + meta + `}}`
	list := `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{` + meta + `}}`
	for _, c := range []struct{ lines, want string }{
		{list, `"wait_for_task"`}, {list + "\n", `"wait_for_task"`}, {"[" + list + "," + claim + "]", `"claimed"`},
	} {
		command := p.command(machine.Executor, core.ModeWork, "")
		command.Stdin = strings.NewReader(c.lines)
		if out, err := command.Output(); err != nil || !strings.Contains(string(out), c.want) {
			t.Errorf("%s\nis answered %v %s", c.lines, err, out)
		}
	}
	w := p.wire(machine.Executor, core.ModeWork)
	w.ask(claim)
	w.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"check",` + meta + `}}`)
	_ = w.in.Close()
	got, _ := w.read()["result"].(map[string]any)
	if structured, _ := got["structuredContent"].(map[string]any); structured["status"] != "running" {
		t.Errorf("the check is answered %v", got)
	}
	if err := w.command.Wait(); err != nil {
		t.Errorf("ended with %v", err)
	}
	if by := p.world().ClaimedBy; by != "" {
		t.Errorf("%q still holds the lease", by)
	}
	write(t, signal, "go", "")
	p.until("a verdict", func(w core.World) bool { return !w.GateRunning() })
	for held := true; held && t.Context().Err() == nil; { // who ran the gate is gone a moment later
		_, held, _ = p.Store.Holder("gate.lock")
	}
}

func quote(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}

func TestCancelledWaitIsFreedAtOnce(t *testing.T) {
	p := newFixture(t, once)
	w := p.wire(machine.Executor, core.ModeWork)
	w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait_for_task",` + meta + `}}`)
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	if got := w.read(); got["error"] == nil {
		t.Errorf("the cancelled wait is answered %v", got)
	}
	w.ask(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{` + meta + `}}`)
	p.human("create_task", "a task")
	if world := p.world(); world.ClaimedBy != "" {
		t.Errorf("the cancelled wait claimed it: %q", world.ClaimedBy)
	}
}

// A client can have only a limited number of calls waiting at the same time. Cancelling one makes
// room for another.
func TestOpenCallsAreLimited(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it opens many calls")
	}
	p := newFixture(t, once)
	w := p.wire(machine.Executor, core.ModeWork)
	const limit = 256
	for i := range limit {
		w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"wait_for_task",%s}}`, i, meta))
	}
	list := `{"jsonrpc":"2.0","id":"list","method":"tools/list","params":{` + meta + `}}`
	w.send(list)
	if got := w.read(); got["id"] != "list" || got["error"] == nil {
		t.Errorf("one more is answered %v", got)
	}
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
	if got := w.read(); got["id"] != 7.0 || got["error"] == nil {
		t.Errorf("the cancelled wait is answered %v", got)
	}
	w.ask(list)
	go io.Copy(io.Discard, w.out) //nolint:errcheck // the waits are answered at the end
}

func TestProgress(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	p := newFixture(t, "[checks]\ncommands = [\"echo one; echo two; test -f good\"]\n")
	p.human("create_task", "a task")
	w := p.wire(machine.Executor, core.ModeWork)
	w.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait_for_task",` + meta + `}}`)
	with := strings.Replace(meta, `"_meta":{`, `"_meta":{"progressToken":"p",`, 1)
	w.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"check",` + with + `}}`)
	for {
		got := w.read()
		if got["method"] == "notifications/progress" {
			if got["params"].(map[string]any)["progressToken"] != "p" {
				t.Errorf("the progress is %v, want it for token p", got)
			}
			continue
		}
		if got["id"] != 2.0 {
			t.Errorf("answered %v, want id 2", got)
		}
		return
	}
}

// TestOutlivesAClosedPipe has a client that stops reading before it goes.
func TestOutlivesAClosedPipe(t *testing.T) {
	p := newFixture(t, once)
	p.human("create_task", "a task")
	command := p.command(machine.Executor, core.ModeWork, "")
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	command.Stderr = nil
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	w := &wire{t: t, in: in, out: bufio.NewReader(out), command: command}
	w.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait_for_task",` + meta + `}}`)
	_ = out.Close()
	w.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"status",` + meta + `}}`)
	_ = command.Wait()
	_ = in.Close()
	if command.ProcessState.ExitCode() < 0 {
		t.Errorf("ended by %v", command.ProcessState)
	}
	if by := p.world().ClaimedBy; by != "" {
		t.Errorf("%q still holds the lease", by)
	}
}

// TestKilledServerLeavesAFreeLease has a server that could release nothing.
func TestKilledServerLeavesAFreeLease(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	p := newFixture(t, once)
	p.human("create_task", "a task")
	w := p.wire(machine.Executor, core.ModeWork)
	w.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait_for_task",` + meta + `}}`)
	if err := w.command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = w.command.Wait()
	p.agent(machine.Executor, core.ModeWork).want("claimed", "wait_for_task", nil)
}

func TestTerminatedServerReleases(t *testing.T) {
	p := newFixture(t, once)
	p.human("create_task", "a task")
	w := p.wire(machine.Executor, core.ModeWork)
	w.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait_for_task",` + meta + `}}`)
	w.ask(
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask_human","arguments":{"question":"what?"},` +
			meta + `}}`)
	w.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"wait_for_answer",` + meta + `}}`)
	p.inFlight("wait_for_answer")
	if err := w.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := w.command.Wait(); err != nil {
		t.Errorf("ended with %v", err)
	}
	if by := p.world().ClaimedBy; by != "" {
		t.Errorf("%q still holds the lease", by)
	}
}
