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

// troubles are the problems that each client gets, with ferrus's diagnosis.
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

// The problems that no server causes: no key, and no permission to call tools.
const (
	keyless = "no-key"
	refused = "refused"
)

// unsaid are problems that a client does not have, or does not report. opencode has its key in its
// configuration, a headless gemini-cli is not offered tools that it may not use, and codex and
// qwen-code retry until they are stopped.
var unsaid = map[string][]string{
	"opencode": {keyless}, "gemini-cli": {refused}, "qwen-code": {"later"}, "codex": {"later"},
}

// TestTrouble gives each client a problem that keeps it from working, and checks that ferrus
// diagnoses it.
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
					t.Errorf("diagnosed as %+v\n%s", got, out)
				}
				if *capture {
					write(t, filepath.Join("..", "..", "agent", "testdata", "trouble", name+"-"+trouble.name+
						".jsonl"), string(out))
				}
			})
		}
	}
}

// tried returns all clients if FERRUS_E2E is all.
func tried() []string {
	all := players()
	if len(all) > len(names) {
		all = slices.Concat(all, alone)
	}
	return all
}

// telling is the time that a client gets to report its problem; some retry first.
var telling = map[string]time.Duration{
	"claude-code": time.Minute, "codex": time.Minute, "copilot": 2 * time.Minute,
	"gemini-cli": 30 * time.Second, "opencode": 75 * time.Second, "qwen-code": 150 * time.Second,
}

// shown returns the part of a client's output that its pane shows.
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

// calling calls a ferrus tool, whatever its result.
func calling(c model.Conversation) model.Action {
	if c.Failed() {
		return model.Action{Text: "It was not to be."}
	}
	return c.Once("approve", nil, func(string) model.Action { return model.Action{Text: "That is all."} })
}

// unasked has the arguments of a launch that make its client allow ferrus's tools.
var unasked = strings.NewReplacer(`,"trust":true`, "", "--allow-tool=ferrus", "--allow-tool=none",
	`"ferrus_*":"allow"`, `"ferrus_*":"ask"`, `default_tools_approval_mode="approve"`,
	`default_tools_approval_mode="prompt"`, "mcp__ferrus,", "")

// troubled runs a client as ferrus would launch it, and returns its output.
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
