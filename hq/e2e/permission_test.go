//go:build e2e

package e2e

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"ferrus/hq/clients/model"
	"ferrus/hq/core"
)

// asking are the agents whose headless sessions ask for permission.
var asking = []string{"claude-code", "gemini-cli", "qwen-code", "qwen-acp", "opencode", "copilot", "codex"}

// TestPermission has an executor with permissions = "ask" request commands and a file outside: each
// request waits in the inbox and is answered once, for the task, or never, and the session
// continues.
func TestPermission(t *testing.T) {
	for _, name := range asking {
		t.Run(name, func(t *testing.T) { askedThrough(t, name, "") })
	}
}

// TestPermissionWithoutASandbox is the same without ferrus's sandbox; a client may then use its
// own.
func TestPermissionWithoutASandbox(t *testing.T) {
	for _, name := range []string{"codex", "copilot"} {
		t.Run(name, func(t *testing.T) { askedThrough(t, name, "mode = \"off\"\n") })
	}
}

// askedThrough runs the loop of [TestPermission] with a client.
func askedThrough(t *testing.T, name, sandbox string) {
	outside := filepath.Join(t.TempDir(), "outside.txt")
	turns := make(chan []model.Turn, 1)
	b := newFixture(t, setup{supervisor: name, executor: name, permissions: "ask",
		more:   "[sandbox]\n" + sandbox + "write = [\"" + filepath.Dir(outside) + "\"]\n",
		script: func(c model.Conversation) model.Action { return wanting(c, outside, turns) }})
	stop := b.running("run", model.TaskText)
	for _, step := range []struct{ what, answer string }{
		{"date | tee one", "once"}, {"date | tee -a one", "task"},
		{"date | tee three", "never use two"}, {outside, "once"},
	} {
		r := b.asked(step.what)
		t.Logf("%s wants to %s (%s)", r.By, r.Wanted, r.Detail)
		args := append([]string{"permit", fmt.Sprint(r.Number)}, strings.Fields(step.answer)...)
		if code, out := b.run(args...); code != 0 {
			t.Fatalf("exit %d: %s", code, out)
		}
	}
	var all []model.Turn
	b.until("the agent does not continue\n"+b.evidence(), func() bool {
		select {
		case all = <-turns:
			return true
		default:
			return false
		}
	})
	if !b.had(core.ModeWork) && len(b.ended()) > 0 {
		t.Errorf("sessions ended without a request: %+v", b.ended())
	}
	refused := 0
	for _, turn := range all {
		t.Logf("%s %v: failed %v: %.200s", turn.Name, turn.Args, turn.Failed, turn.Result)
		command, _ := turn.Args["command"].(string)
		other, _ := turn.Args["cmd"].(string)
		if command += other; strings.Contains(command, "three") && !strings.Contains(turn.Result, "UTC") {
			refused++
		}
	}
	if refused != 2 || b.exists("three") || !b.exists("one") {
		t.Errorf("refused %d times, want 2; one exists: %v, three exists: %v",
			refused, b.exists("one"), b.exists("three"))
	}
	if text, err := os.ReadFile(outside); err != nil || strings.TrimSpace(string(text)) != "seen" {
		t.Errorf("the file outside is %q, %v; want seen", text, err)
	}
	stop()
}

// running starts ferrus and returns a function that interrupts it and waits for its end.
func (b *fixture) running(args ...string) (stop func()) {
	b.t.Helper()
	return b.printing(nil, args...)
}

// printing is running with the given output.
func (b *fixture) printing(out io.Writer, args ...string) (stop func()) {
	b.t.Helper()
	cmd := exec.Command(b.ferrus, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = b.dir, b.env, out, out
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	end := sync.OnceFunc(func() {
		_ = cmd.Process.Signal(os.Interrupt) // it may have ended
		_ = cmd.Wait()                       // its exit does not matter
	})
	b.t.Cleanup(end)
	return end
}

// asked waits for the only open request, which must name the given text.
func (b *fixture) asked(what string) (r core.PermissionRequest) {
	b.t.Helper()
	b.until("nothing asks for "+what+"\n"+b.evidence(), func() bool {
		all := b.world().OpenPermissions()
		if len(all) > 0 && !strings.Contains(all[0].What, what) {
			b.t.Fatalf("the client wants to %s, want %s", all[0].Wanted, what)
		}
		if len(all) == 1 {
			r = all[0]
		}
		return len(all) == 1
	})
	return r
}

// exists reports whether a file is in the task's workspace.
func (b *fixture) exists(name string) bool {
	b.t.Helper()
	all, _ := filepath.Glob(filepath.Join(b.dir, ".ferrus", "worktrees", "*", name))
	_, err := os.Stat(filepath.Join(b.dir, name))
	return err == nil || len(all) > 0
}

// wanting returns a loop whose executor first runs commands, twice each, and writes a file outside.
// Then it ends its turn and reports the answers.
func wanting(c model.Conversation, outside string, turns chan []model.Turn) model.Action {
	if !strings.Contains(c.Prompt, "wait_for_task") || strings.Contains(c.Prompt, "wait_for_review") {
		return model.LoopScript(c)
	}
	ran := slices.DeleteFunc(slices.Clone(c.Turns), func(t model.Turn) bool {
		return strings.Contains(t.Name, "wait_for") || strings.Contains(strings.ToLower(t.Name), "search")
	})
	commands := []string{
		"date | tee one", "date | tee -a one", "date | tee -a one", "date | tee three", "date | tee three",
	}
	claimed := slices.ContainsFunc(c.Turns, func(t model.Turn) bool {
		return strings.Contains(t.Name, "wait_for_task")
	})
	switch {
	case !claimed:
		return c.Call("wait_for_task", nil)
	case len(ran) < len(commands):
		return c.Run(commands[len(ran)])
	case len(ran) == len(commands):
		_, own := c.Tools["replace"]
		if _, other := c.Tools["edit"]; own && !other { // Gemini CLI's own tool only writes inside the workspace
			return c.Run("echo seen | tee " + outside)
		}
		for name, key := range map[string]string{"Write": "file_path", "write_file": "file_path", "write": "filePath"} {
			if tool, ok := c.Tools[name]; ok {
				return model.Action{Tool: tool, Args: map[string]any{key: outside, "content": "seen"}}
			}
		}
		return c.Run("echo seen | tee " + outside)
	}
	select {
	case turns <- ran:
	default:
	}
	return model.Action{Text: cmp.Or(ran[len(ran)-1].Result, "Done.")}
}
