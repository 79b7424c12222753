//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"flag"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ferrus/agent"
	"ferrus/hq/clients/model"
	"ferrus/ui/vt"
)

var capture = flag.Bool("capture", false, "keep what the clients print as test data of package agent")

// troubles are what each client is put into, and what ferrus is to make of it.
var troubles = []struct {
	name  string
	fault model.Fault
	what  string
}{
	{"401", model.Unauthorized, "is not logged in"},
	{"403", model.Forbidden, "cannot use this model"},
	{"quota", model.Spent, "has used up"},
	{"later", model.Later, "has used up"},
	{"402", model.Unpaid, "has used up"},
	{keyless, model.Unauthorized, "is not logged in"},
	{refused, model.Well, "was refused a tool"},
}

// The troubles that no server makes: without a key, and without leave to call.
const (
	keyless = "no-key"
	refused = "refused"
)

// unsaid are troubles that a client does not have, or not in words of its own. The
// key of opencode is in its configuration, a headless gemini-cli is not given the
// tools that it may not use, and codex and qwen-code try again until they are ended.
var unsaid = map[string][]string{
	"opencode": {keyless}, "gemini-cli": {refused}, "qwen-code": {"later"}, "codex": {"later"},
}

// TestTrouble has each client say what keeps it from working, which ferrus knows
// for what it is.
func TestTrouble(t *testing.T) {
	for _, name := range tried() {
		for _, trouble := range troubles {
			if slices.Contains(unsaid[name], trouble.name) {
				continue
			}
			t.Run(name+"/"+trouble.name, func(t *testing.T) {
				b := newFixture(t, setup{supervisor: name, executor: name, script: calling})
				b.server.SetFault(trouble.fault)
				if trouble.name == keyless {
					b.env = slices.DeleteFunc(b.env, func(e string) bool {
						key, _, _ := strings.Cut(e, "=")
						return strings.HasSuffix(key, "_KEY") || strings.HasSuffix(key, "_TOKEN") ||
							strings.HasPrefix(key, "COPILOT_") && key != "COPILOT_HOME"
					})
				}
				out := b.troubled(name, trouble.name == refused)
				rows := shown(t, name, out)
				if got, ok := agent.Diagnose(name, rows, true); !ok || !strings.HasPrefix(got.What, trouble.what) {
					t.Errorf("taken for %+v\n%s", got, out)
				}
				if *capture {
					write(t, filepath.Join("..", "..", "agent", "testdata", "trouble", name+"-"+trouble.name+
						".jsonl"), string(out))
				}
			})
		}
	}
}

// tried returns all clients, where all is asked for.
func tried() []string {
	all := players()
	if len(all) > len(names) {
		all = slices.Concat(all, alone)
	}
	return all
}

// telling is how long a client takes to say what its trouble is: some try again
// before.
var telling = map[string]time.Duration{
	"claude-code": time.Minute, "codex": time.Minute, "copilot": 2 * time.Minute,
	"gemini-cli": 30 * time.Second, "opencode": 75 * time.Second, "qwen-code": 150 * time.Second,
}

// shown returns what of a client's output is on its pane.
func shown(t *testing.T, name string, out []byte) (rows []string) {
	t.Helper()
	a, err := agent.Lookup(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	renderer, terminal := a.Renderer(), vt.NewLocked(120, 40, 0)
	for line := range bytes.Lines(out) {
		terminal.Write(renderer.Render(bytes.TrimSpace(line))) //nolint:errcheck // never fails
	}
	terminal.Write(renderer.Close()) //nolint:errcheck // never fails
	terminal.With(func(v *vt.Terminal) {
		for y := range 40 {
			rows = append(rows, strings.TrimSpace(ansi.Strip(v.Row(y))))
		}
	})
	return rows
}

// calling calls a tool of ferrus, whatever becomes of it.
func calling(c model.Conversation) model.Action {
	if c.Failed() {
		return model.Action{Text: "It was not to be."}
	}
	return c.Once("approve", nil, func(string) model.Action { return model.Action{Text: "That is all."} })
}

// unasked are what a launch says so that its client lets the tools of ferrus pass.
var unasked = strings.NewReplacer(`,"trust":true`, "", "--allow-tool=ferrus", "--allow-tool=none",
	`"ferrus_*":"allow"`, `"ferrus_*":"ask"`, `default_tools_approval_mode="approve"`,
	`default_tools_approval_mode="prompt"`, "mcp__ferrus,", "")

// troubled runs a client as ferrus would launch it, and returns what it prints.
func (b *fixture) troubled(name string, refuse bool) []byte {
	b.t.Helper()
	a, err := agent.Lookup(name, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	inv, err := a.Invoke(agent.Launch{
		Role: "supervisor", Mode: "review", Slot: "reviewer", Prompt: "Call `mcp__ferrus__approve`.", Workspace: b.dir,
		Project: b.dir, Ferrus: b.ferrus,
		NoServer: slices.Contains(alone, name),
	})
	if err != nil {
		b.t.Fatal(err)
	}
	if refuse {
		for i := range inv.Args {
			inv.Args[i] = unasked.Replace(inv.Args[i])
		}
		for i := range inv.Env {
			inv.Env[i] = unasked.Replace(inv.Env[i])
		}
	}
	find := exec.Command("sh", "-c", "command -v "+inv.Path)
	find.Env = b.env
	path, err := find.Output()
	if err != nil {
		b.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(b.t.Context(), telling[name])
	defer cancel()
	cmd := exec.CommandContext(ctx, strings.TrimSpace(string(path)), inv.Args...)
	cmd.Dir, cmd.Env = b.dir, append(slices.Clone(b.env), inv.Env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		b.t.Log(err)
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // usually no process is left
	return bytes.ReplaceAll(out.Bytes(), []byte(b.root), []byte("/there"))
}
