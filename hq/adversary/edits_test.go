package adversary

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/store/longtest"
)

// drawn is the number of attackers that run without FERRUS_LONG.
const drawn = 3

// TestEditsAreCaught runs executors that edit what the checks depend on, each in a real ferrus run,
// which must ask the human for the reason that catches the attack.
func TestEditsAreCaught(t *testing.T) {
	all := slices.Concat(edits, hidden, disguised, forgers)
	if testing.Short() || !longtest.On() {
		all = slices.Concat(edits, hidden, disguised)
	}
	all = slices.DeleteFunc(all, func(e edit) bool {
		program, _, _ := strings.Cut(e.commands, " ")
		_, err := exec.LookPath(strings.TrimSuffix(program, ";"))
		if program == "" || program == "cd" || err == nil {
			return false
		}
		t.Logf("skipped: %s: %v", e.Does, err)
		return true
	})
	if testing.Short() {
		all = all[:1]
	} else {
		all = longtest.Draw(t, drawn, all)
	}
	for _, e := range all {
		t.Run(e.Does, func(t *testing.T) {
			t.Parallel()
			playEdit(t, e).mustNeedHuman(e)
		})
	}
}

// editPlay is a project whose executor edits.
type editPlay struct {
	*attackedProject
	printed string
}

// playEdit runs ferrus with an attack's executor until it needs the human.
func playEdit(t *testing.T, e edit) *editPlay {
	t.Helper()
	p := &editPlay{attackedProject: newProject(t)}
	p.write(filepath.Join(p.out, "attack"), "touch ok\n"+e.script+"\n")
	commands := e.commands
	if commands == "" {
		commands = "test -f ok"
	}
	p.write(filepath.Join(p.dir, "ferrus.toml"), fmt.Sprintf("[checks]\ncommands = [%q]\n[hq.supervisor]\nagent = "+
		"\"editor\"\n[hq.executor]\nagent = \"editor\"\n[agent.editor]\ncommand = [%q, \"{role}\"]\n"+noWalls,
		commands, filepath.Join(filepath.Dir(p.dir), "bin", "editor")))
	for name, text := range e.files {
		p.ok(os.MkdirAll(filepath.Join(p.dir, filepath.Dir(name)), 0o755))
		p.write(filepath.Join(p.dir, name), text)
	}
	p.start()
	p.Cleanup(p.end)
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Minute) // go recompiles its standard library
	defer stop()
	cmd := p.command("run", "do it")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	p.ok(cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 3 {
			t.Fatalf("ferrus run: %v, want exit code 3:\n%s\n%s", err, out.String(), p.output())
		}
	case <-ctx.Done():
		_ = cmd.Process.Kill()
		<-ended // or it still writes to out
		t.Fatalf("ferrus run does not end:\n%s\n%s", out.String(), p.output())
	}
	p.printed = out.String()
	return p
}

// mustNeedHuman requires that the submission waits for the human, for the given reason.
func (p *editPlay) mustNeedHuman(e edit) {
	p.Helper()
	open, err := project.Open(p.dir)
	p.ok(err)
	state, err := open.World()
	p.ok(err)
	alarms := state.World.HumanAlarms()
	if state.World.State == "Complete" || !slices.ContainsFunc(alarms, func(a core.Alarm) bool {
		return a.Rule == e.rule && (e.path == "" || a.Path == e.path)
	}) {
		p.Errorf("in %s, no alarm %s %s:"+
			" %+v\n%s\n%s", state.World.State, e.rule, e.path, alarms, p.printed, p.output())
	}
}

// playEditor plays both roles: the executor runs the attack's script and submits, and the reviewer
// approves whatever it gets.
func playEditor(role string) error {
	ctx := context.Background()
	cmd := exec.Command("ferrus", "serve", "--role", role, "--agent-name", "editor")
	cmd.Stderr = os.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "editor", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		return err
	}
	defer session.Close() //nolint:errcheck // the server ends with this process
	s := editorSession{ctx, session}
	if role == "supervisor" {
		return errors.Join(s.call("wait_for_review", "claimed", nil), s.call("approve", "", nil))
	}
	if err := s.call("wait_for_task", "claimed", nil); err != nil {
		return err
	}
	script := exec.Command("sh", filepath.Join(os.Getenv("OUT"), "attack"))
	script.Stdout, script.Stderr = os.Stderr, os.Stderr
	return errors.Join(script.Run(), s.call("submit", "submitted", map[string]any{"content": "done"}))
}

type editorSession struct {
	context.Context
	*mcp.ClientSession
}

// call calls a tool until its result has the given status, or any if status is empty.
func (s editorSession) call(tool, status string, arguments map[string]any) error {
	cursor := ""
	for {
		given := map[string]any{}
		for name, value := range arguments {
			given[name] = value
		}
		if cursor != "" {
			given["cursor"] = cursor
		}
		result, err := s.CallTool(s, &mcp.CallToolParams{Name: tool, Arguments: given})
		if err != nil {
			return err
		}
		var got struct{ Status, Cursor string }
		data, _ := json.Marshal(result.StructuredContent)
		_ = json.Unmarshal(data, &got)
		fmt.Fprintf(os.Stderr, "%s: %s\n", tool, data)
		if result.IsError {
			return fmt.Errorf("%s is refused", tool)
		}
		if status == "" || got.Status == status {
			return nil
		}
		if cursor = got.Cursor; got.Status != "timeout" && got.Status != "running" {
			return fmt.Errorf("%s is %s", tool, got.Status)
		}
	}
}

// editorMain plays an edit's program; its output is in $OUT/output.
func editorMain() int {
	name := filepath.Join(os.Getenv("OUT"), "output")
	if out, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err == nil {
		os.Stderr = out
	}
	if err := playEditor(strings.Join(os.Args[1:], "")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
