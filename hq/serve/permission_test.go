package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"ferrus/agent/process"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/serve"
	"ferrus/machine"
	"ferrus/store"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestPermissionIsTheHumans(t *testing.T) {
	p := newFixture(t, once)
	a := p.asking(machine.Executor, core.ModeWork, serve.AsksToEdit)
	for _, step := range []struct{ answer, behavior, words string }{
		{"once", "allow", ""}, {"task", "allow", ""},
	} {
		got := a.permission(bash("make all"))
		r := p.waits()
		if r.What != "make all" || r.Kind != core.PermitCommand || r.By != "executor:one:1" ||
			r.Slot != core.SlotExecutor || r.Detail != "builds" {
			t.Errorf("the request is %+v, want make all by executor:one:1", r)
		}
		p.permit(r, step.answer)
		v := <-got
		if v.Behavior != step.behavior || v.UpdatedInput["command"] != "make all" || v.Message != step.words {
			t.Errorf("%s: %+v, want %s with %q", step.answer, v, step.behavior, step.words)
		}
	}
	if v := <-a.permission(bash("make all")); v.Behavior != "allow" {
		t.Errorf("what was permitted for the task is asked again: %+v", v)
	}
	got := a.permission(bash("make all install"))
	p.permit(p.waits(), "never try make check")
	for _, v := range []verdict{<-got, <-a.permission(bash("make all install"))} {
		if v.Behavior != "deny" || !strings.Contains(v.Message, "and says: try make check") {
			t.Errorf("never: %+v, want deny with your note", v)
		}
	}
	if words := p.events(); strings.Count(words, "ask_permission") != 3 || strings.Count(words, " permit") != 3 {
		t.Errorf("the journal has %s", words)
	}
}

func TestPermissionIsForWhatItNames(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it makes many calls")
	}
	p := newFixture(t, once)
	t.Setenv("DEPLOY_TOKEN", "hunter2-hunter2-hunter2")
	a := p.asking(machine.Executor, core.ModeWork, serve.AsksToEdit)
	for _, c := range []struct {
		arguments args
		kind      core.PermissionKind
		what      string
	}{
		{bash("a\nrm -rf b\x1b[2K\x07"), core.PermitCommand, `a ⏎ rm -rf b\x1b[2K\x07`},
		{bash("echo \x1b]0;$(rm -rf ~)\x07 done"), core.PermitCommand, `echo \x1b]0;$(rm -rf ~)\x07 done`},
		{bash("curl -H hunter2-hunter2\x00-hunter2"), core.PermitCommand, `hunter2-hunter2\x00-hunter2`},
		{bash("make" + strings.Repeat(" ", 3000) + "; rm -rf ~"), core.PermitCommand, "make (3000 blanks) ; rm -rf ~"},
		{bash(strings.Repeat("x", 10<<10) + "; rm -rf ~"), core.PermitCommand, "x; rm -rf ~"},
		{bash("curl -H hunter2-hunter2-hunter2"), core.PermitCommand, "curl -H [redacted]"},
		{args{"tool_name": "Bash", "input": args{"command": "ls", "dangerouslyDisableSandbox": true}},
			core.PermitCommand, `ls  with {"dangerouslyDisableSandbox":true}`},
		{args{"tool_name": "Write", "input": args{"file_path": "/etc/hosts", "content": "x"}}, core.PermitWrite,
			"/etc/hosts"},
		{args{"tool_name": "Read", "input": args{"file_path": "../x"}}, core.PermitRead, "/x"},
		{args{"tool_name": "WebFetch", "input": args{"url": "https://example.com/a"}}, core.PermitHost,
			"https://example.com/a"},
		{args{"tool_name": "mcp__db__run", "input": args{"command": "drop", "host": "prod"}}, core.PermitTool,
			`mcp__db__run {"command":"drop","host":"prod"}`},
		{args{"kind": "tool", "what": "mcp__db__run", "input": args{"command": "drop"}}, core.PermitTool,
			`mcp__db__run  with {"command":"drop"}`},
		{args{"kind": "tool", "what": "mcp__db__list", "input": args{}}, core.PermitTool, "mcp__db__list"},
		{args{"tool_name": "Read", "input": args{"path": " "}}, core.PermitTool, `Read {"path":" "}`},
		{args{"kind": "command", "what": "make", "input": args{"directory": "/tmp"}}, core.PermitCommand,
			"make"},
		{args{"kind": "command", "what": "make", "input": args{"command": "make", "commands": []string{"make"}}},
			core.PermitCommand, "make"},
		{args{"kind": "command", "what": "make",
			"input": args{"command": "make", "commands": []string{"make", "rm x"}}}, core.PermitCommand, `make  with {"commands":["make","rm x"]}`},
		{args{"tool_name": "WebFetch", "input": args{"url": "https://g\u0456thub.com"}}, core.PermitHost,
			`https://g\u0456thub.com`},
	} {
		got := a.permission(c.arguments)
		r := p.waits()
		if r.Kind != c.kind || !strings.HasSuffix(r.What, c.what) || len(r.What) > 2000 {
			t.Errorf("%v: the request is %s %.300q, want %s ending in %q", c.kind, r.Kind, r.What, c.kind, c.what)
		}
		p.permit(r, "once")
		<-got
	}
	for _, nothing := range []args{{}, {"tool_name": 7}, {"kind": "magic", "what": "x"},
		{"kind": "command", "what": "  "}, {"kind": "command", "what": 7}, bash(strings.Repeat("x", 1<<20)),
		{"kind": "command", "what": "make", "input": args{"cwd": strings.Repeat("/x", 1000)}},
		{"tool_name": "Write", "input": args{"file_path": strings.Repeat("/x", 1<<20)}}} {
		select {
		case v := <-a.permission(nothing):
			if v.Behavior != "deny" || v.Message == "" {
				t.Errorf("%.300s: %+v, want deny with a message", fmt.Sprint(nothing), v)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%.300s: the human is asked", fmt.Sprint(nothing))
		}
	}
}

// A command counts as the same only in the same directory, which is shown.
func TestPermissionIsForADirectory(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	p := newFixture(t, once)
	a := p.asking(machine.Executor, core.ModeWork, serve.AsksToEdit)
	dir := p.Workspace(core.World{})
	in := func(name, dir string) args {
		return args{"kind": "command", "what": "make", "input": args{"command": "make", name: dir}}
	}
	for _, c := range []struct {
		arguments args
		shown     string
	}{
		{in("cwd", "/elsewhere"), "run in /elsewhere: make"},
		{in("workdir", "sub/../lib"), "run in " + dir + "/lib: make"},
		{in("cwd", dir), "run: make"},
		{in("cwd", "/a: true;\x1b[2K b"), `run in "/a: true;\\x1b[2K b": make`},
		{args{"tool_name": "shell", "input": args{"command": "make", "directory": "/tmp"}}, "run in /tmp: make"},
		{args{"tool_name": "shell", "input": args{"command": "make", "cwd": "/a", "workdir": "/b"}},
			`run: make  with {"cwd":"/a","workdir":"/b"}`},
	} {
		got := a.permission(c.arguments)
		r := p.waits()
		if r.Wanted.String() != c.shown {
			t.Errorf("%v: %s, want %s", c.arguments, r.Wanted, c.shown)
		}
		p.permit(r, "task")
		<-got
	}
	if v := <-a.permission(args{"kind": "command", "what": "make"}); v.Behavior != "allow" {
		t.Errorf("the workspace is another directory if it is not named: %+v", v)
	}
}

// The middle of a long command is not in the list, but can be read unchanged.
func TestAllOfALongRequestCanBeRead(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	p := newFixture(t, once)
	a := p.asking(machine.Executor, core.ModeWork, serve.AsksToEdit)
	filler := strings.Repeat("echo working\n", 200)
	first := a.permission(bash(filler + "rm -rf ~ \x1b[8m\n" + filler))
	r := p.waits()
	if strings.Contains(r.What, "rm -rf") || !r.Long || len(r.What) > 2000 {
		t.Errorf("the request is %+v, want a long one that is cut", r)
	}
	whole, err := p.WholeRequest(r.Number)
	if want := "run: " + filler + "rm -rf ~ \\x1b[8m\n" + filler; err != nil || whole != want {
		t.Errorf("whole is %v, want %v; the error is %v, want none", whole, want, err)
	}
	p.permit(r, "once")
	<-first
	second := a.permission(bash(strings.Repeat("y", 9000)))
	next := p.waits()
	for n, want := range map[uint64]string{r.Number: "rm -rf ~", next.Number: strings.Repeat("y", 9000), 99999: ""} {
		if whole, err := p.WholeRequest(n); err != nil || !strings.Contains(whole, want) || want == "" && whole != "" {
			t.Errorf("%d: %v: %.200q; want %v", n, err, whole, want)
		}
	}
	p.permit(next, "never")
	<-second
	select {
	case v := <-a.permission(bash(strings.Repeat("\x1b", 60<<10))):
		if v.Behavior != "deny" || !strings.Contains(v.Message, "write it to a file") {
			t.Errorf("got %+v, want deny with the advice to write a file", v)
		}
	case <-time.After(10 * time.Second):
		t.Error("the human is asked for what takes 240 kB to show")
	}
}

func TestPermissionOfARoleThatReads(t *testing.T) {
	p := newFixture(t, once)
	a := p.asking(machine.Supervisor, core.ModeReview, serve.AsksToRead)
	v := <-a.permission(args{"tool_name": "Edit", "input": args{"file_path": "/a"}})
	if v.Message != "this role is read-only" {
		t.Errorf("got %+v, want that this role is read-only", v)
	}
	got := a.permission(bash("go test ./..."))
	if r := p.waits(); r.Slot != core.SlotReviewer {
		t.Errorf("the request is %+v, want the reviewer's", r)
	}
	p.permit(p.waits(), "task")
	if v := <-got; v.Behavior != "allow" {
		t.Errorf("got %+v, want allow", v)
	}
}

// A session that ferrus did not start has its own permissions, and its options answer no request.
func TestPermissionOnlyForManagedSessions(t *testing.T) {
	p := newFixture(t, once)
	p.human("create_task", "a task")
	a := p.session(p.command(machine.Executor, core.ModeWork, "", "ASKS=edit"))
	v := <-a.permission(bash("make"))
	if v.Behavior != "deny" || !strings.Contains(v.Message, "set its permissions yourself") {
		t.Errorf("got %+v, want deny, because it must not set its permissions", v)
	}
	for _, role := range []machine.Role{machine.Executor, machine.Supervisor} {
		session := p.session(p.command(role, core.ModeFree, "", "ASKS=edit"))
		all, err := session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range all.Tools {
			if tool.Name == string(core.KindPermit) {
				t.Errorf("a %s may answer its own request", role)
			}
		}
	}
	plain := p.session(p.command(machine.Executor, core.ModeWork, ""))
	if _, err := plain.CallTool(t.Context(), &mcp.CallToolParams{Name: serve.PermissionTool}); err == nil {
		t.Error("a session that does not ask is offered the tool")
	}
}

// An Asker's server runs beside the agent's: it is no sign that the agent is alive, it releases no
// lease, and the agent learns of a refusal through its own server.
func TestAskerAndAgentAreConcurrent(t *testing.T) {
	p := newFixture(t, once)
	a := p.asking(machine.Executor, core.ModeWork, serve.AsksToEdit)
	a.want("claimed", "wait_for_task", nil)
	var before project.Presence // written beside the answer of the call
	p.until("the agent's presence", func(core.World) (ok bool) {
		before, ok, _ = p.Presence(process.SessionID(nonce))
		return ok && before.PID != 0
	})
	command := p.command(machine.Executor, "", nonce, "ASKS=edit")
	asker := &serve.Asker{Command: command.Args, Env: command.Env}
	asked := func(ctx context.Context) <-chan serve.Reply {
		got := make(chan serve.Reply, 1)
		go func() {
			defer close(got)
			q := serve.Question{Kind: core.PermitCommand, What: "make", Call: "c1"}
			if reply, err := asker.Ask(ctx, q); err == nil {
				got <- reply
			}
		}()
		return got
	}
	ctx, cancel := context.WithCancel(t.Context())
	gone := asked(ctx)
	p.waits()
	cancel()
	<-gone
	p.until("withdrawn", func(w core.World) bool { return len(w.OpenPermissions()) == 0 })
	got := asked(t.Context())
	p.permit(p.waits(), "never use check")
	if reply := <-got; reply.Allowed || !strings.Contains(reply.Reason, "use check") {
		t.Errorf("got %+v, want deny with use check", reply)
	}
	asker.Close()
	after, _, err := p.Presence(process.SessionID(nonce))
	if err != nil || after.PID != before.PID || after.PID == 0 || !p.world().HeldBy(core.Actor{
		Role: machine.Executor, Session: process.SessionID(nonce)}) {
		t.Errorf("the executor is %+v, was %+v, %v; want the same process with the lease %+v",
			after, before, err, p.world().Lease)
	}
	if got := a.want("ok", "status", nil); !strings.Contains(got.Message, "run: make") ||
		!strings.Contains(got.Message, "use check") {
		t.Errorf("the agent is not told: %s", got.JSON)
	}
}

// A request no longer waits once its client is gone.
func TestPermissionIsWithdrawnWithItsClient(t *testing.T) {
	p := newFixture(t, once)
	p.register(machine.Executor, core.ModeWork)
	p.human("create_task", "a task")
	command := p.command(machine.Executor, "", nonce, "ASKS=edit")
	in, err := command.StdinPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
			`"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"` + serve.PermissionTool + `","arguments":` +
			jsonOf(t, bash("make")) + `}}`,
	} {
		if _, err := io.WriteString(in, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	r := p.waits()
	_ = in.Close()
	if err := command.Wait(); err != nil {
		t.Error(err)
	}
	p.until("withdrawn", func(w core.World) bool { return len(w.OpenPermissions()) == 0 })
	_, err = p.Do(t.Context(), store.Call{}, core.Command{Kind: core.KindPermit, By: project.HumanActor(),
		Ticket: r.Number, Text: "once"})
	if machine.AsRefusal(err) == nil {
		t.Errorf("an answer that comes too late: %v", err)
	}
}

// Text that an agent writes into the record answers nothing.
func TestForgedPermissionIsDamage(t *testing.T) {
	p := newFixture(t, once)
	a := p.asking(machine.Executor, core.ModeWork, serve.AsksToEdit)
	got := a.permission(bash("make"))
	r := p.waits()
	name := p.Store.Path() + "/STATE.json"
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	forged := strings.Replace(string(data), `"open": [`, `"answered": [{"number": `+
		jsonOf(t, r.Number)+`, "answer": "task", "key": "`+r.Key+`"}], "opened": [`, 1)
	if forged == string(data) {
		t.Fatalf("no request in %s", data)
	}
	if err := os.WriteFile(name, []byte(forged), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = p.World()
	if err == nil {
		t.Error("the record is believed")
	}
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	p.permit(r, "never")
	if v := <-got; v.Behavior != "deny" {
		t.Errorf("got %+v, want deny", v)
	}
}

func jsonOf(t *testing.T, value any) string {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
